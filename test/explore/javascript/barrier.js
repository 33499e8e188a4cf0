// SPDX-License-Identifier: MIT
// A barrier that is used twice.  The broken one has no generation, so that a
// thread can enter the second round before another has left the first.
// broken: deadlock|lost wake-up
// options: --executions=60
'use strict';
const { start, isBroken } = require('./start.cjs');
const COUNT = 0, GENERATION = 1, THREADS = 2;

function arrive(view) {
    const generation = Atomics.load(view, GENERATION);
    const count = Atomics.add(view, COUNT, 1) + 1;
    if (count === THREADS) {
        Atomics.store(view, COUNT, 0);
        if (!isBroken)
            Atomics.add(view, GENERATION, 1);
        Atomics.notify(view, isBroken ? COUNT : GENERATION);
    } else if (isBroken) {
        while (Atomics.load(view, COUNT) !== 0)
            Atomics.wait(view, COUNT, count);
    } else {
        while (Atomics.load(view, GENERATION) === generation)
            Atomics.wait(view, GENERATION, generation);
    }
}

start(__filename, {}, (view) => {
    arrive(view);
    arrive(view);
});
