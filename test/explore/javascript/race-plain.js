// SPDX-License-Identifier: MIT
// A value is published by a flag.  Nothing orders the plain accesses of the broken
// one, whose flag is a plain element, too.
// broken: data race
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const FLAG = 0, VALUE = 1;

start(__filename, {}, (shared, id) => {
    if (id === 0) {
        shared[VALUE] += 42;
        if (isBroken)
            shared[FLAG] = 1;
        else
            Atomics.store(shared, FLAG, 1);
    } else if ((isBroken ? shared[FLAG] : Atomics.load(shared, FLAG)) === 1) {
        assert.strictEqual(shared[VALUE], 42);
    }
}, (shared) => assert.strictEqual(shared[VALUE], 42));
