// SPDX-License-Identifier: MIT
// Peterson's lock.  The broken one gives way before it has raised its flag.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const TURN = 2, INSIDE = 3;

start(__filename, {}, (view, id) => {
    const other = 1 - id;
    if (isBroken)
        Atomics.store(view, TURN, other);
    Atomics.store(view, id, 1);
    if (!isBroken)
        Atomics.store(view, TURN, other);
    while (Atomics.load(view, other) === 1 && Atomics.load(view, TURN) === other)
        ;
    assert.strictEqual(Atomics.add(view, INSIDE, 1), 0, 'two threads are inside');
    Atomics.sub(view, INSIDE, 1);
    Atomics.store(view, id, 0);
});
