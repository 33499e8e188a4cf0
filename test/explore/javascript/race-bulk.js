// SPDX-License-Identifier: MIT
// Halves of a buffer belong to two threads: fill, set, copyWithin and a DataView.  In
// the broken one the halves overlap by a byte.
// broken: data race
// options: --executions=40
'use strict';
const assert = require('node:assert');
const { start, isBroken } = require('./start.cjs');

start(__filename, { words: 8 }, (view, id) => {
    const half = new Uint8Array(view.buffer, id * 16, isBroken && id === 0 ? 17 : 16);
    half.fill(id + 1);
    half.set(new Uint8Array([7, 8]), 1);
    half.copyWithin(8, 1, 3);
    new DataView(view.buffer, id * 16).setInt16(12, 300);
    half.subarray(0, 12).sort();
    assert.strictEqual(half.slice(0, 16).indexOf(7), 8);
}, (view) => assert.strictEqual(new DataView(view.buffer).getInt16(12), 300));
