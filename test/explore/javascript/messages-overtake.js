// SPDX-License-Identifier: MIT
// A worker sends its result as a message, and says in shared memory that it is
// done.  The flag overtakes the message.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');

if (isMainThread) {
    const view = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(__filename, { workerData: view });
    let result;
    const finish = () => assert.strictEqual(result, 42);
    worker.on('message', (message) => {
        result = message;
        if (!isBroken)
            finish();
    });
    if (isBroken) {
        const poll = setInterval(() => {
            if (Atomics.load(view, 0) === 0)
                return;
            clearInterval(poll);
            finish();
        }, 1);
    }
} else {
    Atomics.store(workerData, 0, 1);
    parentPort.postMessage(42);
}
