// SPDX-License-Identifier: MIT
// Two workers with ten operations each, for bench/explore/run.
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');

if (isMainThread) {
    const view = new Int32Array(new SharedArrayBuffer(8));
    for (let i = 0; i < 2; i++)
        new Worker(__filename, { workerData: view });
} else {
    for (let i = 0; i < 10; i++)
        Atomics.add(workerData, 0, 1);
}
