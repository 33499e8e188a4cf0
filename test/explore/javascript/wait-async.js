// SPDX-License-Identifier: MIT
// The main thread awaits a flag.  The broken one reads it, and then waits for a
// change of whatever it is by then.
// broken: deadlock|lost wake-up
// options: --executions=60
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');

async function main() {
    const view = new Int32Array(new SharedArrayBuffer(4));
    new Worker(__filename, { workerData: view });
    while (Atomics.load(view, 0) === 0) {
        const expected = isBroken ? Atomics.load(view, 0) : 0;
        await Atomics.waitAsync(view, 0, expected).value;
    }
}

if (isMainThread) {
    main();
} else {
    Atomics.store(workerData, 0, 1);
    Atomics.notify(workerData, 0);
}
