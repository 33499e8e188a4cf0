// SPDX-License-Identifier: MIT
// A queue of one place, with two producers: "if" instead of "while".
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const FULL = 0, PUT = 1;

function put(view) {
    do {
        if (Atomics.load(view, FULL) === 1)
            Atomics.wait(view, FULL, 1);
        if (isBroken) {
            assert.strictEqual(Atomics.exchange(view, FULL, 1), 0, 'an item is lost');
            break;
        }
    } while (Atomics.compareExchange(view, FULL, 0, 1) !== 0);
    Atomics.add(view, PUT, 1);
    Atomics.notify(view, FULL);
}

function take(view) {
    while (Atomics.compareExchange(view, FULL, 1, 0) !== 1)
        Atomics.wait(view, FULL, 0);
    Atomics.notify(view, FULL);
}

start(__filename, { workers: 3 }, (view, id) => {
    if (id > 0)
        return put(view);
    take(view);
    return take(view);
}, (view) => assert.strictEqual(Atomics.load(view, PUT), 2));
