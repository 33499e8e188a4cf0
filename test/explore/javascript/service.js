// SPDX-License-Identifier: MIT
// weir:service as a user uses it: whoever enters has left when it is closed.
// correct: nothing found
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { Service } = require('weir:service');

if (isMainThread) {
    const service = new Service();
    const view = new Int32Array(new SharedArrayBuffer(4));
    service.start();
    for (let id = 0; id < 2; id++)
        new Worker(__filename, { workerData: { handle: service.handle, view } });
    setTimeout(() => service.drain().then(() =>
        assert.strictEqual(Atomics.load(view, 0), 0)), 100);
} else {
    const { handle, view } = workerData;
    const ticket = Service.from(handle).tryEnter('work');
    if (ticket) {
        Atomics.add(view, 0, 1);
        setTimeout(() => {
            Atomics.sub(view, 0, 1);
            ticket.exit();
        }, 10);
    }
}
