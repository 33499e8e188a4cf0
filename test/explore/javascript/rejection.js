// SPDX-License-Identifier: MIT
// A rejection that gets its handler too late in some schedules.
// broken: failure
// options: --executions=60
'use strict';
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');

if (isMainThread) {
    const worker = new Worker(__filename);
    const answer = new Promise((_, reject) => {
        worker.on('message', () => reject(new Error('no answer')));
    });
    if (isBroken)
        setTimeout(() => answer.catch(() => {}), 20);
    else
        answer.catch(() => {});
} else {
    parentPort.postMessage('done');
}
