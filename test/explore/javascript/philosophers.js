// SPDX-License-Identifier: MIT
// Three philosophers.  The correct ones take the lower fork first.
// broken: deadlock
// options: --executions=60
'use strict';
const { start, isBroken } = require('./start.cjs');
const SEATS = 3;

function take(view, fork) {
    while (Atomics.exchange(view, fork, 1) !== 0)
        Atomics.wait(view, fork, 1);
}

function put(view, fork) {
    Atomics.store(view, fork, 0);
    Atomics.notify(view, fork, 1);
}

start(__filename, { workers: SEATS }, (view, id) => {
    const forks = [id, (id + 1) % SEATS];
    if (!isBroken)
        forks.sort();
    forks.forEach((fork) => take(view, fork));
    forks.forEach((fork) => put(view, fork));
});
