// SPDX-License-Identifier: MIT
// check -- the options of tests and hooks.
'use strict';

const { coded, invalidArgType, outOfRange } = require('core/errors');

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

// The names in a test's option `explore`, with the type of each value or, for a
// number, its least value.
const explorations = { __proto__: null, preemptions: 0, seconds: 1, executions: 1, seed: 0,
    steps: 1, exhaustive: 'boolean', reduction: 'boolean', replay: 'string' };

function checkExplore(value) {
    if (value === undefined || value === true || value === false)
        return;
    if (value === null || typeof value !== 'object')
        throw invalidArgType('options.explore', 'one of type boolean or object', value);
    for (const key of Object.keys(value)) {
        const name = `options.explore.${key}`, kind = explorations[key];
        if (!(key in explorations))
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
                `The property '${name}' is unknown`);
        if (typeof kind === 'number')
            checkCount(value[key], name, kind);
        else if (typeof value[key] !== kind)
            throw invalidArgType(name, `of type ${kind}`, value[key]);
    }
}

module.exports = { checkCount, checkExplore, checkSignal, checkTimeout, concurrencyOf };
