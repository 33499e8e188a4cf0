// SPDX-License-Identifier: MIT
// errors -- errors with Node's codes and messages.
'use strict';

// "TypeError [CODE]: message" in the stack and as a string, "TypeError" as the
// name.
function coded(Base, code, message) {
    const error = plainly(Base, code, message);
    Object.defineProperty(error, 'stack', {
        value: error.stack.replace(error.name, `${error.name} [${code}]`),
        writable: true, configurable: true,
    });
    if (code.startsWith('ERR_'))
        Object.defineProperty(error, 'toString', {
            value() { return `${this.name} [${code}]: ${this.message}`; },
            writable: true, configurable: true,
        });
    return error;
}

// Like an error that Node creates in C++: neither has the code.
function plainly(Base, code, message) {
    const error = new Base(message);
    Object.defineProperty(error, 'code',
        { value: code, writable: true, enumerable: true, configurable: true });
    return error;
}

// The engine's limit is 2 ** 30 - 1.
const stringTooLong = () => plainly(Error, 'ERR_STRING_TOO_LONG',
    'Cannot create a string longer than 0x3fffffff characters');

class SystemError extends Error {}
Object.defineProperty(SystemError.prototype, 'name',
    { value: 'SystemError', writable: true, configurable: true });
Object.defineProperty(SystemError.prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(depth, options, inspect) {
        return inspect(this, { ...options, getters: true, customInspect: false });
    },
});

// An error of the system that Node wraps.  `text` says what failed; `info` is
// {errno, code, message, syscall, path}, and the error shows its parts.
function systemError(code, text, info) {
    const { path } = info;
    const error = coded(SystemError, code, `${text}: ${info.syscall} returned ` +
        `${info.code} (${info.message})${path === undefined ? '' : ` ${path}`}`);
    Object.defineProperty(error, 'info',
        { value: info, enumerable: true, configurable: true });
    for (const key of ['errno', 'syscall', 'path'])
        if (info[key] !== undefined)
            Object.defineProperty(error, key, { enumerable: true, configurable: true,
                get: () => info[key], set(value) { info[key] = value; } });
    return error;
}

// Truncate a long text.  If it contains quotes, use those of JSON.
function quoted(text) {
    const shown = text.length > 28 ? `${text.slice(0, 25)}...` : text;
    return shown.includes("'") ? JSON.stringify(shown) : `'${shown}'`;
}

function hasClass(value) {
    const { constructor } = value;
    return (typeof constructor === 'function' ||
        (typeof constructor === 'object' && constructor !== null)) &&
        'name' in constructor;
}

// "type number (5)", "an instance of Map"
function describeType(value) {
    if (value == null)
        return `${value}`;
    if (typeof value === 'function')
        return `function ${value.name}`;
    if (typeof value === 'string')
        return `type string (${quoted(value)})`;
    if (typeof value === 'object' && hasClass(value))
        return `an instance of ${value.constructor.name}`;
    const text = require('util/inspect').inspect(value, { depth: -1 });
    return typeof value === 'object' ? text : `type ${typeof value} (${text})`;
}

function invalidArgType(name, expected, value) {
    const what = name.endsWith(' argument') ? `The ${name}`
        : `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
    return coded(TypeError, 'ERR_INVALID_ARG_TYPE',
        `${what} must be ${expected}. Received ${describeType(value)}`);
}

function checkObject(value, name) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
        throw invalidArgType(name, 'of type object', value);
}

function checkFunction(value, name) {
    if (typeof value !== 'function')
        throw invalidArgType(name, 'of type function', value);
}

function checkInteger(value, name, least, most = Number.MAX_SAFE_INTEGER) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!Number.isInteger(value))
        throw outOfRange(name, 'an integer', value);
    if (value < least || value > most)
        throw outOfRange(name, `>= ${least} && <= ${most}`, value);
    return value;
}

// Group the digits of large numbers.
function shownNumber(value) {
    const isLarge = typeof value === 'bigint'
        ? value > 2n ** 32n || value < -(2n ** 32n)
        : Number.isInteger(value) && Math.abs(value) > 2 ** 32;
    return require('util/inspect').inspect(value, { numericSeparator: isLarge });
}

function outOfRange(name, range, value) {
    return coded(RangeError, 'ERR_OUT_OF_RANGE',
        `The value of "${name}" is out of range. It must be ${range}.` +
        ` Received ${shownNumber(value)}`);
}

function invalidArgValue(name, value, reason = 'is invalid') {
    let text = require('util/inspect').inspect(value);
    if (text.length > 128)
        text = `${text.slice(0, 128)}...`;
    return coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${name.includes('.')
        ? 'property' : 'argument'} '${name}' ${reason}. Received ${text}`);
}

function unknownEncoding(encoding) {
    return coded(TypeError, 'ERR_UNKNOWN_ENCODING',
        require('util/format').format('Unknown encoding: %s', encoding));
}

// The reason with which an operation that a signal ended is rejected.
function abortError(signal) {
    const error = new Error('The operation was aborted', { cause: signal.reason });
    error.code = 'ABORT_ERR';
    error.name = 'AbortError';
    return error;
}

// A value, without calling its own methods.
function shortly(value) {
    if (typeof value !== 'object' || value === null)
        return String(value);
    const { constructor } = value;
    return Array.isArray(value) || typeof constructor !== 'function' ||
        constructor.name === '' ? Object.prototype.toString.call(value)
        : `#<${constructor.name}>`;
}

// The error that represents an unhandled rejection.
function unhandledRejection(reason) {
    if (require('util/inspect').isError(reason) ||
        (typeof reason === 'object' && reason !== null && Object.hasOwn(reason, 'stack')))
        return reason;
    const error = coded(Error, 'ERR_UNHANDLED_REJECTION', 'This error originated ' +
        'either by throwing inside of an async function without a catch block, ' +
        'or by rejecting a promise which was not handled with .catch(). The ' +
        `promise rejected with the reason "${shortly(reason)}".`);
    error.name = 'UnhandledPromiseRejection';
    error.stack = error.stack.replace('Error [ERR_UNHANDLED_REJECTION]', error.name);
    return error;
}

module.exports = { abortError, checkFunction, checkInteger, checkObject, coded,
    plainly, describeType, invalidArgType, invalidArgValue, outOfRange,
    shortly, stringTooLong, systemError, unhandledRejection, unknownEncoding };
