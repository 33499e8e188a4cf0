// SPDX-License-Identifier: MIT
// Two async functions add one to the number in a file.  The broken one does not wait for
// the other.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const { isBroken } = require('./start.cjs');

let last = Promise.resolve();

async function add(file) {
    const count = Number(await fs.readFile(file, 'utf8'));
    await fs.writeFile(file, `${count + 1}`);
}

async function main() {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'weir-'));
    const file = path.join(folder, 'count');
    await fs.writeFile(file, '0');
    await Promise.all([1, 2].map(() =>
        isBroken ? add(file) : (last = last.then(() => add(file)))));
    const count = await fs.readFile(file, 'utf8');
    await fs.rm(folder, { recursive: true });
    assert.equal(count, '2');
}

main();
