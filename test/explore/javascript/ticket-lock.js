// SPDX-License-Identifier: MIT
// A ticket lock.  Two threads can draw the same ticket of the broken one.
// broken: failure|deadlock|lost wake-up
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const NEXT = 0, SERVED = 1, INSIDE = 2;

function draw(view) {
    if (!isBroken)
        return Atomics.add(view, NEXT, 1);
    const ticket = Atomics.load(view, NEXT);
    Atomics.store(view, NEXT, ticket + 1);
    return ticket;
}

start(__filename, {}, (view) => {
    const ticket = draw(view);
    for (let served; (served = Atomics.load(view, SERVED)) !== ticket;)
        Atomics.wait(view, SERVED, served);
    assert.strictEqual(Atomics.add(view, INSIDE, 1), 0, 'two threads are inside');
    Atomics.sub(view, INSIDE, 1);
    Atomics.add(view, SERVED, 1);
    Atomics.notify(view, SERVED);
});
