// SPDX-License-Identifier: MIT
// Two threads add to a plain element, each under a lock.  The broken ones use two
// locks.
// broken: data race
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const SUM = 2;

function lock(view, index) {
    while (Atomics.compareExchange(view, index, 0, 1) !== 0)
        Atomics.wait(view, index, 1);
}

function unlock(view, index) {
    Atomics.store(view, index, 0);
    Atomics.notify(view, index, 1);
}

start(__filename, {}, (view, id) => {
    const mine = isBroken ? id : 0;
    lock(view, mine);
    view[SUM] += 1;
    unlock(view, mine);
}, (view) => assert.strictEqual(view[SUM], 2));
