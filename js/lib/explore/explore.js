// SPDX-License-Identifier: MIT
// weir:explore -- for programs that run under `weir explore`.  Outside of it,
// nothing here has an effect.
'use strict';

const { invalidArgType, outOfRange } = require('core/errors');

const invariants = [];

function checkName(name) {
    if (typeof name !== 'string')
        throw invalidArgType('name', 'of type string', name);
}

// A number from 0 to count - 1.  An exhaustive search tries each of them.
function choose(count) {
    if (typeof count !== 'number')
        throw invalidArgType('count', 'of type number', count);
    if (!Number.isInteger(count) || count < 1 || count > 200)
        throw outOfRange('count', '>= 1 && <= 200', count);
    return native.choose(count);
}

// Notes that the program has come to a place.
function reachable(name) {
    checkName(name);
    native.reach(name);
}

// Called after each operation of this thread on shared memory.
function checkAll() {
    for (const { name, fn } of invariants) {
        if (!fn())
            throw new Error(`the invariant '${name}' does not hold`);
    }
}

// The function must return true after each operation of this thread on shared
// memory.
function invariant(name, fn) {
    checkName(name);
    if (typeof fn !== 'function')
        throw invalidArgType('fn', 'of type function', fn);
    if (!native.isActive())
        return;
    if (invariants.push({ name, fn }) === 1)
        native.onOperation(checkAll);
    native.check();
}

exports.choose = choose;
exports.invariant = invariant;
exports.reachable = reachable;
exports.isActive = () => native.isActive();
