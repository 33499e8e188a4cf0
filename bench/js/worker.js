// SPDX-License-Identifier: MIT
// From `new Worker` to its first message; nanoseconds.  The clock is read before
// `console` is, which weir loads when it is used.
'use strict';

const { Worker, isMainThread, parentPort } = require('worker_threads');

if (isMainThread) {
    const began = performance.now();
    new Worker(__filename).once('message', () => {
        const took = performance.now() - began;
        console.log(took * 1e6);
    });
} else {
    parentPort.postMessage(1);
}
