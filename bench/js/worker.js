// SPDX-License-Identifier: MIT
// From `new Worker` to its first message; nanoseconds.
'use strict';

const { Worker, isMainThread, parentPort } = require('worker_threads');

if (isMainThread) {
    const began = performance.now();
    new Worker(__filename).once('message',
        () => console.log((performance.now() - began) * 1e6));
} else {
    parentPort.postMessage(1);
}
