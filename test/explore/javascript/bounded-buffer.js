// SPDX-License-Identifier: MIT
// A buffer with one place; producer and consumers wait for the same word.  The broken one
// wakes one of them, which may be the wrong one.
// broken: lost wake-up|deadlock
// options: --executions=200
'use strict';
const { start, isBroken } = require('./start.cjs');
const PLACE = 0, CHANGES = 1;

function change(view, from, to) {
    for (;;) {
        const changes = Atomics.load(view, CHANGES);
        if (Atomics.compareExchange(view, PLACE, from, to) === from)
            break;
        Atomics.wait(view, CHANGES, changes);
    }
    Atomics.add(view, CHANGES, 1);
    Atomics.notify(view, CHANGES, isBroken ? 1 : Infinity);
}

start(__filename, { workers: 3 }, (view, id) => {
    if (id > 0)
        return change(view, 1, 0);
    change(view, 0, 1);
    change(view, 0, 1);
});
