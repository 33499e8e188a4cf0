// SPDX-License-Identifier: MIT
// A worker's answer must come before the time-out of the main thread, or be
// ignored.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');

if (isMainThread) {
    let outcomes = 0, isOver = false;
    const settle = () => {
        if (!isBroken && isOver)
            return;
        isOver = true;
        outcomes++;
        assert.strictEqual(outcomes, 1);
    };
    const timer = setTimeout(settle, 1000);
    new Worker(__filename).on('message', () => {
        settle();
        if (!isBroken)
            clearTimeout(timer);
    });
} else {
    setTimeout(() => parentPort.postMessage('answer'), 100);
}
