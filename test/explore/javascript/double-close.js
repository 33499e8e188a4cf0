// SPDX-License-Identifier: MIT
// Two threads close a resource, which must happen once.
// broken: failure
// options: --exhaustive --preemptions=1
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const OPEN = 0, CLOSED = 1, STATE = 0, CLOSES = 1;

start(__filename, {}, (view) => {
    if (isBroken) {
        if (Atomics.load(view, STATE) === OPEN) {
            Atomics.store(view, STATE, CLOSED);
            Atomics.add(view, CLOSES, 1);
        }
    } else if (Atomics.compareExchange(view, STATE, OPEN, CLOSED) === OPEN) {
        Atomics.add(view, CLOSES, 1);
    }
}, (view) => assert.strictEqual(Atomics.load(view, CLOSES), 1));
