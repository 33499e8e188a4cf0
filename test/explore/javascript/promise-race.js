// SPDX-License-Identifier: MIT
// Two async functions on one thread take from a balance.  Between the check and
// the change of the broken one, the other can run.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { readFile } = require('node:fs/promises');
const { isBroken } = require('./start.cjs');
let balance = 100;

async function withdraw(amount) {
    if (!isBroken)
        await readFile(__filename);
    if (balance < amount)
        return;
    if (isBroken)
        await readFile(__filename); // writes the journal, say
    balance -= amount;
}

Promise.all([withdraw(80), withdraw(80)]).then(() => assert(balance >= 0, `${balance}`));
