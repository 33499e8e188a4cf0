// SPDX-License-Identifier: MIT
// The answers of two reads come in any order.
// broken: failure
// options: --executions=60
'use strict';
const assert = require('node:assert');
const { readFile } = require('node:fs/promises');
const { isBroken } = require('./start.cjs');

const order = [];
const first = readFile(__filename).then(() => order.push(1));
const second = isBroken ? readFile(__filename).then(() => order.push(2))
                        : first.then(() => readFile(__filename)).then(() => order.push(2));
Promise.all([first, second]).then(() => assert.deepStrictEqual(order, [1, 2]));
