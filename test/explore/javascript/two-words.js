// SPDX-License-Identifier: MIT
// An account in two words: one thread moves money, another adds them up.
// broken: failure
// options: --exhaustive --preemptions=1
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const A = 0, B = 1, VERSION = 2;

function sum(view) {
    if (isBroken)
        return Atomics.load(view, A) + Atomics.load(view, B);
    for (let tries = 0; tries < 3; tries++) {
        const before = Atomics.load(view, VERSION);
        const total = Atomics.load(view, A) + Atomics.load(view, B);
        if (before % 2 === 0 && Atomics.load(view, VERSION) === before)
            return total;
    }
    return 0; // gave up
}

start(__filename, {}, (view, id) => {
    if (id === 0) {
        Atomics.add(view, VERSION, 1);
        Atomics.add(view, A, -5);
        Atomics.add(view, B, 5);
        Atomics.add(view, VERSION, 1);
    } else {
        assert.strictEqual(sum(view), 0);
    }
});
