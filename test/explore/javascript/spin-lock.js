// SPDX-License-Identifier: MIT
// A lock whose waiters spin.  Priorities would let one of them spin forever.
// broken: failure
// options: --executions=200
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const LOCK = 0, COUNT = 1;

start(__filename, {}, (view) => {
    while (!isBroken && Atomics.exchange(view, LOCK, 1) !== 0);
    Atomics.store(view, COUNT, Atomics.load(view, COUNT) + 1);
    Atomics.store(view, LOCK, 0);
}, (view) => assert.equal(Atomics.load(view, COUNT), 2));
