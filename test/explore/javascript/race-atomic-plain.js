// SPDX-License-Identifier: MIT
// A counter is added to atomically, and read plainly.  That one of the two accesses is
// atomic does not help.
// broken: data race
// options: --executions=60
'use strict';
const { start, isBroken } = require('./start.cjs');
const COUNT = 0;

start(__filename, {}, (shared) => {
    Atomics.add(shared, COUNT, 1);
    if (isBroken)
        shared[COUNT];
    else
        Atomics.load(shared, COUNT);
});
