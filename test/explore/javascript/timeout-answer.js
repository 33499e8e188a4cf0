// SPDX-License-Identifier: MIT
// A timeout against the answer of a worker, which may come after all.
// broken: failure
// options: --executions=60
'use strict';
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');

if (isMainThread) {
    const worker = new Worker(__filename);
    let isFinished = false;
    const finish = () => {
        if (isFinished && !isBroken)
            return;
        if (isFinished)
            throw new Error('finished twice');
        isFinished = true;
        worker.terminate();
    };
    setTimeout(finish, 1000).unref();
    worker.on('message', finish);
} else {
    parentPort.postMessage('answer');
    parentPort.on('message', () => {});
}
