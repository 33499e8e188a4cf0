// SPDX-License-Identifier: MIT
// A thread waits until two others are done.  In the broken one, the last of them
// is found by a second look at the count.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const DONE = 0, LAST = 1;

start(__filename, {}, (view) => {
    const before = Atomics.add(view, DONE, 1);
    const isLast = isBroken ? Atomics.load(view, DONE) === 2 : before === 1;
    if (isLast)
        Atomics.add(view, LAST, 1);
}, (view) => assert.strictEqual(Atomics.load(view, LAST), 1));
