// SPDX-License-Identifier: MIT
// The main thread publishes a value for a worker by setting a flag.
//
//     weir explore race.js
//
// The flag is a plain element, so nothing orders the accesses.  FIXED=1 in the
// environment makes it atomic.
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const FLAG = 0, VALUE = 1;

if (isMainThread) {
    const view = new Int32Array(new SharedArrayBuffer(8));

    new Worker(__filename, { workerData: view });
    view[VALUE] = 42;
    if (process.env.FIXED)
        Atomics.store(view, FLAG, 1);
    else
        view[FLAG] = 1;
} else {
    const view = workerData;
    const flag = process.env.FIXED ? Atomics.load(view, FLAG) : view[FLAG];

    if (flag === 1)
        console.log(view[VALUE]);
}
