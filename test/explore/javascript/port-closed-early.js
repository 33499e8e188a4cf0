// SPDX-License-Identifier: MIT
// A port is closed after a while, which may be before the answer is there.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');

if (isMainThread) {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(__filename);
    let answers = 0;
    port1.on('message', () => {
        answers++;
        if (!isBroken)
            port1.close();
    });
    if (isBroken)
        setTimeout(() => port1.close(), 50);
    port1.on('close', () => assert.strictEqual(answers, 1));
    worker.postMessage(port2, [port2]);
} else {
    parentPort.once('message', (port) => {
        port.postMessage('answer');
        port.close();
    });
}
