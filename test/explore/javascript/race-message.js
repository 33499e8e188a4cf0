// SPDX-License-Identifier: MIT
// Plain accesses that messages order; the broken one goes on writing after it has
// sent.
// broken: data race
// options: --executions=40
'use strict';
const assert = require('node:assert');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');

if (isMainThread) {
    const bytes = new Uint8Array(new SharedArrayBuffer(16));
    new Worker(__filename, { workerData: bytes }).on('message', () => {
        assert(bytes[3] >= 7);
        bytes[3] = 8;
    });
} else {
    workerData[3] = 7;
    parentPort.postMessage('ready');
    if (isBroken)
        workerData[3] = 9;
}
