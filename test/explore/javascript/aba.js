// SPDX-License-Identifier: MIT
// A stack of indices whose top is exchanged.  Without a version in the top, an
// item that was popped and pushed again looks as if it had never left.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const TOP = 0, NEXT = 0, HELD = 4; // NEXT + item, HELD + item; items are 1 to 3
const ITEM = 0xff, VERSION = isBroken ? 0 : 0x100;

function pop(view) {
    for (;;) {
        const top = Atomics.load(view, TOP);
        if ((top & ITEM) === 0)
            return 0;
        const next = Atomics.load(view, NEXT + (top & ITEM));
        const to = (top & ~ITEM) + VERSION + next;
        if (Atomics.compareExchange(view, TOP, top, to) === top)
            return top & ITEM;
    }
}

function push(view, item) {
    for (;;) {
        const top = Atomics.load(view, TOP);
        Atomics.store(view, NEXT + item, top & ITEM);
        if (Atomics.compareExchange(view, TOP, top, (top & ~ITEM) + VERSION + item) === top)
            return;
    }
}

function hold(view, item) {
    if (item !== 0)
        assert.strictEqual(Atomics.add(view, HELD + item, 1), 0, 'an item has two owners');
}

const { isMainThread } = require('node:worker_threads');
const view = start(__filename, { words: 8, workers: 2 }, (shared, id) => {
    if (id === 0) {
        hold(shared, pop(shared));
        hold(shared, pop(shared));
        return;
    }
    const a = pop(shared);
    hold(shared, pop(shared));
    if (a !== 0)
        push(shared, a);
});
if (isMainThread) {
    Atomics.store(view, NEXT + 1, 2);
    Atomics.store(view, NEXT + 2, 3);
    Atomics.store(view, TOP, 1);
}
