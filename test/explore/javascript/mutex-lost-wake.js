// SPDX-License-Identifier: MIT
// A lock with three states that wakes only if somebody waits.  The broken one
// forgets that there may be a second waiter.
// broken: lost wake-up|deadlock
// options: --executions=60
'use strict';
const { start, isBroken } = require('./start.cjs');
const FREE = 0, TAKEN = 1, CONTENDED = 2;

function lock(view) {
    let state = Atomics.compareExchange(view, 0, FREE, TAKEN);
    while (state !== FREE) {
        if (state === CONTENDED || Atomics.compareExchange(view, 0, TAKEN, CONTENDED) !== FREE)
            Atomics.wait(view, 0, CONTENDED);
        state = Atomics.compareExchange(view, 0, FREE, isBroken ? TAKEN : CONTENDED);
    }
}

start(__filename, { workers: 3 }, (view) => {
    lock(view);
    if (Atomics.exchange(view, 0, FREE) === CONTENDED)
        Atomics.notify(view, 0, 1);
});
