// SPDX-License-Identifier: MIT
// weir:explore chooses the input.
// broken: failure
// options: --exhaustive
'use strict';
const assert = require('node:assert');
const { choose, invariant, reachable, isActive } = require('weir:explore');
const { isBroken } = require('./start.cjs');

const a = choose(3), b = choose(4);
reachable('the sum');
if (isActive())
    assert(a + b < (isBroken ? 5 : 6), `${a} + ${b}`);
invariant('a is small', () => a < 3);
