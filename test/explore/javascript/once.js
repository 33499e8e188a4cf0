// SPDX-License-Identifier: MIT
// A value that is made once.  Others may see the flag of the broken one before
// the value.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const STATE = 0, VALUE = 1, NONE = 0, BUSY = 1, DONE = 2;

function get(view) {
    if (Atomics.compareExchange(view, STATE, NONE, isBroken ? DONE : BUSY) === NONE) {
        Atomics.store(view, VALUE, 42);
        Atomics.store(view, STATE, DONE);
        Atomics.notify(view, STATE);
    }
    while (Atomics.load(view, STATE) !== DONE)
        Atomics.wait(view, STATE, BUSY);
    return Atomics.load(view, VALUE);
}

start(__filename, {}, (view) => assert.strictEqual(get(view), 42));
