// SPDX-License-Identifier: MIT
// options -- what weir:jobs accepts.  Anything else is refused with an error that
// names it.
'use strict';

const { checkObject, invalidArgType, invalidArgValue, outOfRange } = require('core/errors');

const NAME_BYTES = 255; // WEIR_JOBS_NAME_LIMIT
const FOREVER = -1;
const MOST_MS = 2 ** 52; // C takes a little more

function checkName(value, name, most = NAME_BYTES) {
    if (typeof value !== 'string')
        throw invalidArgType(name, 'of type string', value);
    if (value === '' || value.includes('\0') || !value.isWellFormed() ||
        require('bytes/encodings').utf8Length(value) > most)
        throw invalidArgValue(name, value,
            `must be well-formed text of 1 to ${most} bytes without NUL`);
    return value;
}

function checkNames(options, name, allowed) {
    checkObject(options, name);
    for (const key of Object.keys(options))
        if (!allowed.includes(key))
            throw invalidArgValue(name, key, `has no such member; there are ${allowed.join(', ')}`);
}

function readInteger(value, name, least, most = 2 ** 31 - 1) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!Number.isInteger(value) || value < least || value > most)
        throw outOfRange(name, `an integer >= ${least} && <= ${most}`, value);
    return value;
}

// Milliseconds for C, rounded up.
function readTime(value, name, least = 0) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!(value >= least && value <= MOST_MS))
        throw outOfRange(name, `>= ${least} && <= ${MOST_MS}`, value);
    return Math.ceil(value);
}

// Like readTime; Infinity becomes a negative number, which never comes.
function readDeadline(value, name) {
    return value === Infinity ? FOREVER : readTime(value, name);
}

function readDate(value, name) {
    const time = value instanceof Date ? value.getTime() : value;
    return readTime(time, name, 1);
}

// ---- a job ----

const JOB = ['key', 'unique', 'priority', 'delay', 'runAt', 'attempts', 'backoff',
    'backoffMax', 'timeout', 'keep', 'after'];

function readId(value, name) {
    const id = typeof value === 'object' && value !== null ? value.id : value;
    if (typeof id !== 'number')
        throw invalidArgType(name, 'a job or its id', value);
    return readInteger(id, name, 1, Number.MAX_SAFE_INTEGER);
}

function readAfter(value) {
    const list = Array.isArray(value) ? value : [value];
    if (list.length > 1000)
        throw outOfRange('options.after.length', '<= 1000', list.length);
    return list.map((one, i) => readId(one, `options.after[${i}]`));
}

// The last arguments of native.add, from `key` on.
function readJob(options) {
    checkNames(options, 'options', JOB);
    const { key, unique, priority = 0, delay, runAt, attempts = 0, backoff = 0,
        backoffMax = 0, timeout = 0, keep = 0, after } = options;
    if (delay !== undefined && runAt !== undefined)
        throw invalidArgValue('options.runAt', runAt, 'excludes options.delay');
    return [key === undefined ? undefined : checkName(key, 'options.key'),
        unique === undefined ? undefined : checkName(unique, 'options.unique'),
        readInteger(priority, 'options.priority', -(2 ** 31)),
        delay === undefined ? 0 : readTime(delay, 'options.delay'),
        runAt === undefined ? 0 : readDate(runAt, 'options.runAt'),
        readInteger(attempts, 'options.attempts', 0),
        readTime(backoff, 'options.backoff'), readTime(backoffMax, 'options.backoffMax'),
        readTime(timeout, 'options.timeout'), readDeadline(keep, 'options.keep'),
        after === undefined ? undefined : readAfter(after)];
}

// Data for C: bytes as they are, everything else as JSON.
function encode(data, name) {
    if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer)
        return data;
    const text = JSON.stringify(data);
    if (text === undefined && data !== undefined)
        throw invalidArgType(name, 'data that JSON can represent', data);
    return text?.toWellFormed();
}

module.exports = { checkName, checkNames, readInteger, readTime, readDeadline, readId,
    readJob, encode };
