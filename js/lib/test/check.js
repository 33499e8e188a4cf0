// SPDX-License-Identifier: MIT
// check -- the options of tests and hooks.
'use strict';

const { invalidArgType, outOfRange } = require('core/errors');

const LONGEST = 2147483647; // milliseconds of a timer

// An integer from `least` up to 32 bits.
function checkCount(value, name, least) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!Number.isInteger(value))
        throw outOfRange(name, 'an integer', value);
    if (value < least || value > 4294967295)
        throw outOfRange(name, `>= ${least} && <= 4294967295`, value);
}

function checkTimeout(value) {
    if (value === undefined || value === null || value === Infinity)
        return;
    if (typeof value !== 'number')
        throw invalidArgType('options.timeout', 'of type number', value);
    if (!(value >= 0 && value <= LONGEST))
        throw outOfRange('options.timeout', `>= 0 && <= ${LONGEST}`, value);
}

function checkSignal(value) {
    if (value !== undefined && (value === null || typeof value !== 'object' ||
        !('aborted' in value)))
        throw invalidArgType('options.signal', 'an instance of AbortSignal', value);
}

// What options.concurrency means to a test: how many of its subtests run at once.
function concurrencyOf(value, inherited, isRoot) {
    if (value === undefined || value === null)
        return inherited;
    if (typeof value === 'number') {
        checkCount(value, 'options.concurrency', 1);
        return value;
    }
    if (typeof value !== 'boolean')
        throw invalidArgType('options.concurrency', 'one of type boolean or number', value);
    if (!value)
        return 1;
    return isRoot ? Math.max(require('system/os').availableParallelism() - 1, 1) : Infinity;
}

module.exports = { checkCount, checkSignal, checkTimeout, concurrencyOf };
