// SPDX-License-Identifier: MIT
// Two threads increment a number.
// broken: failure
// options: --exhaustive --preemptions=1
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');

start(__filename, {}, (view) => {
    if (isBroken)
        Atomics.store(view, 0, Atomics.load(view, 0) + 1);
    else
        Atomics.add(view, 0, 1);
}, (view) => assert.strictEqual(Atomics.load(view, 0), 2));
