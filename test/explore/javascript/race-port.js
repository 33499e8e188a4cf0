// SPDX-License-Identifier: MIT
// A buffer is passed on from worker to worker by a port.  The message orders their
// accesses; the broken sender also reads the buffer after it was sent.
// broken: data race
// options: --executions=40
'use strict';
const assert = require('node:assert');
const { Worker, isMainThread, workerData, MessageChannel } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');

if (isMainThread) {
    const { port1, port2 } = new MessageChannel();
    new Worker(__filename, { workerData: { port: port1, sends: true }, transferList: [port1] });
    new Worker(__filename, { workerData: { port: port2, sends: false }, transferList: [port2] });
} else if (workerData.sends) {
    const array = new Float64Array(new SharedArrayBuffer(16));
    array[1] = 0.5;
    workerData.port.postMessage(array);
    if (isBroken)
        assert(array[1] > 0);
    workerData.port.close();
} else {
    workerData.port.once('message', (array) => {
        array[1] *= 3;
        assert.strictEqual(array[1], 1.5);
    });
}
