// SPDX-License-Identifier: MIT
// Readers and a writer.  The broken writer looks for readers before it has
// closed the door to them.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');
const WORD = 0, A = 1, B = 2, WRITER = -1;

function read(view) {
    for (;;) {
        const count = Atomics.load(view, WORD);
        if (count === WRITER)
            Atomics.wait(view, WORD, WRITER);
        else if (Atomics.compareExchange(view, WORD, count, count + 1) === count)
            break;
    }
    assert.strictEqual(Atomics.load(view, A), Atomics.load(view, B));
    Atomics.sub(view, WORD, 1);
    Atomics.notify(view, WORD);
}

function write(view) {
    if (isBroken) {
        for (let count; (count = Atomics.load(view, WORD)) !== 0;)
            Atomics.wait(view, WORD, count);
        Atomics.store(view, WORD, WRITER);
    } else {
        for (let count; (count = Atomics.compareExchange(view, WORD, 0, WRITER)) !== 0;)
            Atomics.wait(view, WORD, count);
    }
    Atomics.add(view, A, 1);
    Atomics.add(view, B, 1);
    Atomics.store(view, WORD, 0);
    Atomics.notify(view, WORD);
}

start(__filename, { workers: 2 }, (view, id) => id === 0 ? write(view) : read(view));
