// SPDX-License-Identifier: MIT
// Work inside a weir:service writes plain elements; they are read when the service has
// closed.  The broken one reads while work may be inside.
// broken: data race
// options: --executions=40
'use strict';
const assert = require('node:assert');
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { Service } = require('weir:service');
const { isBroken } = require('./start.cjs');

if (isMainThread) {
    const service = new Service();
    const view = new Int32Array(new SharedArrayBuffer(8));
    service.start();
    for (let id = 0; id < 2; id++)
        new Worker(__filename, { workerData: { handle: service.handle, view, id } });
    const drained = service.drain();
    if (isBroken)
        view[0];
    drained.then(() => assert(view[0] + view[1] <= 2));
} else {
    const { handle, view, id } = workerData;
    const ticket = Service.from(handle).tryEnter('work');
    if (ticket) {
        view[id] = 1;
        ticket.exit();
    }
}
