// SPDX-License-Identifier: MIT
// weir:pool as a user uses it: each call is answered once, also while it drains.
// correct: nothing found
// options: --executions=30
'use strict';
const assert = require('node:assert');
const { Pool } = require('weir:pool');

const pool = new Pool((n) => n * 2, { size: 2 });
Promise.all([1, 2, 3].map((n) => pool.run(n))).then(async (answers) => {
    assert.deepStrictEqual(answers, [2, 4, 6]);
    await pool.drain();
});
