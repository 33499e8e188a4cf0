// SPDX-License-Identifier: MIT
// A worker answers each question, unless it is told to stop before.
// broken: deadlock|failure
// options: --executions=60
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');
const ANSWER = 0, STOP = 1, NONE = 0, YES = 1, NO = 2;

async function main() {
    const view = new Int32Array(new SharedArrayBuffer(8));
    new Worker(__filename, { workerData: view });
    setTimeout(() => Atomics.store(view, STOP, 1), 10);
    while (Atomics.load(view, ANSWER) === NONE)
        await Atomics.waitAsync(view, ANSWER, NONE).value;
}

if (isMainThread) {
    main();
} else if (Atomics.load(workerData, STOP) === 0 || !isBroken) {
    Atomics.store(workerData, ANSWER, Atomics.load(workerData, STOP) === 0 ? YES : NO);
    Atomics.notify(workerData, ANSWER);
}
