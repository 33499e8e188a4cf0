// SPDX-License-Identifier: MIT
// A worker is terminated while it holds a lock that the main thread takes afterwards.
// broken: deadlock
// options: --executions=200
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');

if (isMainThread) {
    const view = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(__filename, { workerData: view });
    const lock = async () => {
        if (isBroken)
            await worker.terminate();
        else
            await new Promise((resolve) => worker.once('exit', resolve));
        while (Atomics.compareExchange(view, 0, 0, 1) !== 0)
            await Atomics.waitAsync(view, 0, 1).value;
    };
    lock();
} else {
    while (Atomics.compareExchange(workerData, 0, 0, 1) !== 0)
        Atomics.wait(workerData, 0, 1);
    Atomics.store(workerData, 0, 0);
    Atomics.notify(workerData, 0);
}
