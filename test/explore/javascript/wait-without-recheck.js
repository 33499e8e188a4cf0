// SPDX-License-Identifier: MIT
// One item, two consumers that both are woken.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const ITEMS = 0, TAKEN = 1;

function take(view) {
    if (isBroken) {
        if (Atomics.load(view, ITEMS) === 0)
            Atomics.wait(view, ITEMS, 0);
        assert(Atomics.sub(view, ITEMS, 1) > 0, 'took an item that was not there');
        return;
    }
    for (;;) {
        const count = Atomics.load(view, ITEMS);
        if (count === 0)
            Atomics.wait(view, ITEMS, 0);
        else if (Atomics.compareExchange(view, ITEMS, count, count - 1) === count)
            return;
    }
}

start(__filename, { workers: 3 }, (view, id) => {
    if (id > 0)
        return take(view);
    for (let i = 0; i < 2; i++) {
        Atomics.add(view, ITEMS, 1);
        Atomics.notify(view, ITEMS);
    }
    return Atomics.add(view, TAKEN, 1);
}, (view) => assert.strictEqual(Atomics.load(view, ITEMS), 0));
