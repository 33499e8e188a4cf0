// SPDX-License-Identifier: MIT
// An invariant over two words, which is checked after each operation.
// broken: failure
// options: --exhaustive --preemptions=1
'use strict';
const { invariant } = require('weir:explore');
const { start, isBroken } = require('./start.cjs');
const IN = 0, OUT = 1;

start(__filename, {}, (view, id) => {
    if (id === 1)
        invariant('nothing comes out that did not go in',
            () => Atomics.load(view, OUT) <= Atomics.load(view, IN));
    if (isBroken && id === 0)
        Atomics.add(view, OUT, 1);
    Atomics.add(view, IN, 1);
    if (!isBroken && id === 0)
        Atomics.add(view, OUT, 1);
});
