// SPDX-License-Identifier: MIT
// Tasks of a weir:pool write to shared memory, and are read when they have been
// answered.  The broken program reads too early.
// broken: data race
// options: --executions=30
'use strict';
const assert = require('node:assert');
const { Pool } = require('weir:pool');
const { isBroken } = require('./start.cjs');

const view = new Int32Array(new SharedArrayBuffer(8));
view[0] = 1;
const pool = new Pool((shared) => {
    shared[1] = shared[0] + 1;
}, { size: 1 });
const answer = pool.run(view);
if (isBroken)
    view[1];
answer.then(async () => {
    assert.strictEqual(view[1], 2);
    await pool.drain();
});
