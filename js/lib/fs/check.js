// SPDX-License-Identifier: MIT
// fs/check -- convert the arguments of fs for C, or throw Node's error.
'use strict';

const { coded, invalidArgType, invalidArgValue, outOfRange } = require('core/errors');
const { isEncoding, fromText } = require('bytes/bytes');
const constants = require('fs/constants');

const isBytes = (value) => value instanceof Uint8Array;

function fromURL(url) {
    if (url.protocol !== 'file:')
        throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
    if (url.hostname !== '')
        throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST',
            'File URL host must be "localhost" or empty on linux');
    if (/%2f/i.test(url.pathname))
        throw coded(TypeError, 'ERR_INVALID_FILE_URL_PATH',
            'File URL path must not include encoded / characters');
    return decodeURIComponent(url.pathname);
}

function isURL(value) {
    return value !== null && typeof value === 'object' && value.href &&
        value.protocol && value.auth === undefined && value.path === undefined;
}

function path(value, name = 'path') {
    const given = isURL(value) ? fromURL(value) : value;
    if (typeof given !== 'string' && !isBytes(given))
        throw invalidArgType(name,
            'of type string or an instance of Buffer or URL', value);
    if (isBytes(given) ? given.includes(0) : given.includes('\0'))
        throw invalidArgValue(name, given,
            'must be a string, Uint8Array, or URL without null bytes');
    return isBytes(given) ? given : given.toWellFormed();
}

function integer(value, name, min = Number.MIN_SAFE_INTEGER,
    max = Number.MAX_SAFE_INTEGER) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!Number.isInteger(value))
        throw outOfRange(name, 'an integer', value);
    if (value < min || value > max)
        throw outOfRange(name, `>= ${min} && <= ${max}`, value);
    return value;
}

const fd = (value, name = 'fd') => integer(value, name, 0, 2147483647);
const id = (value, name) => integer(value, name, -1, 4294967295) >>> 0;

function boolean(value, name) {
    if (typeof value !== 'boolean')
        throw invalidArgType(name, 'of type boolean', value);
    return value;
}

function mode(value, name, fallback) {
    value ??= fallback;
    if (typeof value === 'string') {
        if (!/^[0-7]+$/.test(value))
            throw invalidArgValue(name, value,
                'must be a 32-bit unsigned integer or an octal string');
        value = parseInt(value, 8);
    }
    return integer(value, name, 0, 4294967295);
}

// The check of access and copyFile for their modes.
function bits(value) {
    value ??= 0;
    if (typeof value !== 'number' || value !== (value | 0))
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE',
            'mode must be int32 or null/undefined');
    if (value < 0 || value > 7)
        throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range: >= 0 && <= 7');
    return value;
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_SYNC, O_TRUNC } = constants;
const letters = { __proto__: null,
    r: O_RDONLY, 'r+': O_RDWR, w: O_TRUNC | O_CREAT | O_WRONLY,
    'w+': O_TRUNC | O_CREAT | O_RDWR, a: O_APPEND | O_CREAT | O_WRONLY,
    'a+': O_APPEND | O_CREAT | O_RDWR };

function flags(value, name = 'flags') {
    if (typeof value === 'number')
        return integer(value, name, -2147483648, 2147483647);
    value ??= 'r';
    if (typeof value !== 'string')
        throw invalidArgValue('flags', value);
    // "rs+", "wx", "xa+": a modifier may stand anywhere except first.
    const base = value.replace(/[xs]/g, '');
    if (!(base in letters) || !/^(rs?\+?|sr\+?|[wa]x?\+?|x[wa]\+?|as\+?|sa\+?)$/.test(value))
        throw invalidArgValue('flags', value);
    return letters[base] | (value.includes('x') ? O_EXCL : 0) |
        (value.includes('s') ? O_SYNC : 0);
}

// A string stands for an encoding.
function options(value, defaults) {
    if (value === undefined || value === null || typeof value === 'function')
        return defaults;
    if (typeof value !== 'string' && typeof value !== 'object')
        throw invalidArgType('options', 'one of type string or object', value);
    const given = { ...defaults, ...(typeof value === 'string' ? { encoding: value } : value) };
    if (given.encoding && given.encoding !== 'buffer' && !isEncoding(given.encoding))
        throw invalidArgValue('encoding', given.encoding, 'is invalid encoding');
    if (given.signal !== undefined)
        signal(given.signal);
    return given;
}

function signal(value) {
    if (value === null || typeof value !== 'object' || !('aborted' in value))
        throw invalidArgType('options.signal', 'an instance of AbortSignal', value);
}

// Seconds; a Date or a string of digits is accepted.
function time(value, name = 'time') {
    if (typeof value === 'string' && value !== '' && +value == value)
        return +value;
    if (Number.isFinite(value))
        return value < 0 ? Date.now() / 1000 : value;
    if (value !== null && typeof value === 'object' &&
        require('util/inspect').classOf(value) === 'Date')
        return value.getTime() / 1000;
    throw invalidArgType(name, 'an instance of Date or an Time in seconds', value);
}

// The data to be written.
function data(value, encoding, name = 'data') {
    if (typeof value === 'string')
        return fromText(value, encoding ?? 'utf8');
    if (!ArrayBuffer.isView(value))
        throw invalidArgType(name,
            'of type string or an instance of Buffer, TypedArray, or DataView', value);
    return value instanceof Uint8Array ? value
        : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

// The file offset to read or write at; -1 means the current one.
function position(value) {
    if (value === undefined || value === null)
        return -1;
    if (typeof value === 'bigint') {
        if (value < -1n || value > 2n ** 63n - 1n)
            throw outOfRange('position', `>= -1 && <= ${2n ** 63n - 1n}`, value);
        return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
    }
    if (typeof value !== 'number')
        throw invalidArgType('position', 'of type bigint or integer', value);
    return integer(value, 'position', -1);
}

// The kind of a symbolic link matters on Windows only.
function linkType(value) {
    if (typeof value === 'string' && !/^(dir|file|junction)$/.test(value))
        throw coded(Error, 'ERR_FS_INVALID_SYMLINK_TYPE', 'Symlink type must be one of ' +
            `"dir", "file", or "junction". Received "${value}"`);
}

function callback(value) {
    if (typeof value !== 'function')
        throw invalidArgType('cb', 'of type function', value);
    return value;
}

module.exports = { isURL, path, integer, fd, id, boolean, mode, bits, flags, options,
    signal, time, data, position, linkType, callback };
