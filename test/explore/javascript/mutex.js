// SPDX-License-Identifier: MIT
// A lock that waits.  The broken one tests and sets in two steps.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const LOCK = 0, INSIDE = 1;

function lock(view) {
    if (isBroken) {
        while (Atomics.load(view, LOCK) !== 0)
            Atomics.wait(view, LOCK, 1);
        Atomics.store(view, LOCK, 1);
        return;
    }
    while (Atomics.exchange(view, LOCK, 1) !== 0)
        Atomics.wait(view, LOCK, 1);
}

function unlock(view) {
    Atomics.store(view, LOCK, 0);
    Atomics.notify(view, LOCK, 1);
}

start(__filename, {}, (view) => {
    lock(view);
    assert.strictEqual(Atomics.add(view, INSIDE, 1), 0, 'two threads are inside');
    Atomics.sub(view, INSIDE, 1);
    unlock(view);
});
