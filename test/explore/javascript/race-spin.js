// SPDX-License-Identifier: MIT
// A thread spins until the other one has set a flag.  The broken flag is a plain
// element.
// broken: data race
// options: --executions=20
'use strict';
const { start, isBroken } = require('./start.cjs');

start(__filename, {}, (view, id) => {
    if (id === 0)
        isBroken ? view[0] = 1 : Atomics.store(view, 0, 1);
    else
        while ((isBroken ? view[0] : Atomics.load(view, 0)) === 0);
});
