// SPDX-License-Identifier: MIT
// One thread waits for a flag.  The broken one does not look at it first.
// broken: deadlock|lost wake-up
// options: --exhaustive --preemptions=1
'use strict';
const { start, isBroken } = require('./start.cjs');

start(__filename, { workers: 2 }, (view, id) => {
    const generation = isBroken ? 1 : 0;
    if (id === 0) {
        if (isBroken) // waits for a change that may be over
            Atomics.wait(view, generation, Atomics.load(view, generation));
        else
            Atomics.wait(view, 0, 0);
    } else {
        Atomics.store(view, generation, 1);
        Atomics.notify(view, generation);
    }
});
