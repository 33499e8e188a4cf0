// SPDX-License-Identifier: MIT
// A ring between two threads.  The broken one moves the tail before the item is
// there.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const HEAD = 0, TAIL = 1, ITEM = 2, SIZE = 2, ITEMS = 3;

function push(view, item) {
    const tail = Atomics.load(view, TAIL);
    for (let head; tail - (head = Atomics.load(view, HEAD)) === SIZE;)
        Atomics.wait(view, HEAD, head);
    if (isBroken)
        Atomics.store(view, TAIL, tail + 1);
    Atomics.store(view, ITEM + tail % SIZE, item);
    if (!isBroken)
        Atomics.store(view, TAIL, tail + 1);
    Atomics.notify(view, TAIL);
}

function pop(view) {
    const head = Atomics.load(view, HEAD);
    for (let tail; (tail = Atomics.load(view, TAIL)) === head;)
        Atomics.wait(view, TAIL, tail);
    const item = Atomics.load(view, ITEM + head % SIZE);
    Atomics.store(view, HEAD, head + 1);
    Atomics.notify(view, HEAD);
    return item;
}

start(__filename, {}, (view, id) => {
    for (let i = 1; i <= ITEMS; i++) {
        if (id === 0)
            push(view, i);
        else
            assert.strictEqual(pop(view), i);
    }
});
