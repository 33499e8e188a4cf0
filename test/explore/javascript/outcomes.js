// SPDX-License-Identifier: MIT
// Two threads access two elements; each outcome is noted.
// correct: nothing found
// options: --executions=40
'use strict';
const { reachable } = require('weir:explore');
const { start } = require('./start.cjs');

start(__filename, { words: 16 }, (view, id) => {
    Atomics.add(view, 8 * id, 1);
    if (id === 0)
        Atomics.add(view, 8, 2);
    else
        Atomics.store(view, 8, 5);
}, (view) => reachable(`${Atomics.load(view, 0)} ${Atomics.load(view, 8)}`));
