// SPDX-License-Identifier: MIT
// sqlite/options -- arguments of node:sqlite for C, or the errors that Node throws
// in C++.
'use strict';

const { plainly } = require('core/errors');

function wrongType(name, expected) {
    return plainly(TypeError, 'ERR_INVALID_ARG_TYPE',
        `The "${name}" argument must be ${expected}.`);
}

function checkType(value, type, name) {
    if (typeof value !== type)
        throw wrongType(name, `a ${type}`);
    return value;
}

function checkFunction(value, name) {
    if (typeof value !== 'function')
        throw wrongType(name, 'a function');
    return value;
}

// An option: undefined means the default.
function option(options, name, type, fallback) {
    const value = options[name];
    return value === undefined ? fallback : checkType(value, type, `options.${name}`);
}

function checkOptions(options) {
    if (options === undefined)
        return {};
    if (typeof options !== 'object' || options === null)
        throw wrongType('options', 'an object');
    return options;
}

// A path for SQLite, which reads file: URLs itself.
function pathOf(value) {
    let path = value;
    if (value instanceof Uint8Array)
        path = require('bytes/buffer').Buffer.from(value).toString();
    else if (typeof value === 'object' && value !== null && typeof value.href === 'string') {
        if (value.protocol !== 'file:')
            throw plainly(TypeError, 'ERR_INVALID_URL_SCHEME',
                'The URL must be of scheme file:');
        path = value.href;
    }
    if (typeof path !== 'string' || path.includes('\0'))
        throw wrongType('path', 'a string, Uint8Array, or URL without null bytes');
    return path;
}

const READ_ONLY = 1, FOREIGN_KEYS = 2, DOUBLE_QUOTED = 4, EXTENSIONS = 8;
const BIG_INTS = 1, ARRAYS = 2, BARE_NAMES = 4, UNKNOWN_NAMES = 8;

const connectionOptions = [['readOnly', READ_ONLY, false],
    ['enableForeignKeyConstraints', FOREIGN_KEYS, true],
    ['enableDoubleQuotedStringLiterals', DOUBLE_QUOTED, false],
    ['allowExtension', EXTENSIONS, false]];
const statementOptions = [['readBigInts', BIG_INTS, false], ['returnArrays', ARRAYS, false],
    ['allowBareNamedParameters', BARE_NAMES, true],
    ['allowUnknownNamedParameters', UNKNOWN_NAMES, false]];

function flagsOf(options, table) {
    return table.reduce((flags, [name, flag, fallback]) =>
        option(options, name, 'boolean', fallback) ? flags | flag : flags, 0);
}

function timeoutOf({ timeout = 0 }) {
    if (!Number.isInteger(timeout) || timeout !== (timeout | 0))
        throw wrongType('options.timeout', 'an integer');
    return timeout;
}

module.exports = { checkFunction, checkOptions, checkType, connectionOptions, flags: { ARRAYS,
    BARE_NAMES, BIG_INTS, EXTENSIONS, UNKNOWN_NAMES }, flagsOf, option, pathOf,
statementOptions, timeoutOf, wrongType };
