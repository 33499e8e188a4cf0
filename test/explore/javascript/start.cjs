// SPDX-License-Identifier: MIT
// start -- workers on shared words, for the programs beside this file.
//
//     start(__filename, { words: 2, workers: 2 }, (view, id) => { ... },
//         (view) => assert(...));
//
// The first function runs in each worker, the second one in the main thread when
// all of them have ended.
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');

exports.isBroken = process.env.BROKEN === '1';

exports.start = (file, { words = 4, workers = 2 }, body, check = () => {}) => {
    if (!isMainThread)
        return body(new Int32Array(workerData.memory), workerData.id);
    const memory = new SharedArrayBuffer(4 * words);
    const view = new Int32Array(memory);
    let left = workers;
    for (let id = 0; id < workers; id++) {
        new Worker(file, { workerData: { memory, id } }).on('exit', () => {
            if (--left === 0)
                check(view);
        });
    }
    return view;
};
