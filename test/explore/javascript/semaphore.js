// SPDX-License-Identifier: MIT
// A semaphore of one.  The broken one decrements without looking again.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const { isMainThread } = require('node:worker_threads');
const COUNT = 0, INSIDE = 1;

function acquire(view) {
    for (;;) {
        const count = Atomics.load(view, COUNT);
        if (count === 0) {
            Atomics.wait(view, COUNT, 0);
        } else if (isBroken) {
            Atomics.sub(view, COUNT, 1);
            return;
        } else if (Atomics.compareExchange(view, COUNT, count, count - 1) === count) {
            return;
        }
    }
}

const view = start(__filename, {}, (shared) => {
    acquire(shared);
    assert.strictEqual(Atomics.add(shared, INSIDE, 1), 0, 'two threads are inside');
    Atomics.sub(shared, INSIDE, 1);
    Atomics.add(shared, COUNT, 1);
    Atomics.notify(shared, COUNT, 1);
});
if (isMainThread) {
    Atomics.store(view, COUNT, 1);
    Atomics.notify(view, COUNT, 1);
}
