// SPDX-License-Identifier: MIT
// crypto -- random values: the global `crypto`, and the related part of Node's
// crypto.
'use strict';

const { fill, isEqual } = native;
const { HEX, decode } = require('bytes/encodings');
const { bytesOf } = require('bytes/encoding');
const { classOf } = require('util/kinds');
const { checkObject, coded, invalidArgType, outOfRange } = require('core/errors');

const isBytes = (value) => ArrayBuffer.isView(value) ||
    (typeof value === 'object' && value !== null &&
        /^(Shared)?ArrayBuffer$/.test(classOf(value)));

function uuid() {
    const bytes = new Uint8Array(16);
    fill(bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    const text = decode(HEX, bytes, 0, 16, false);
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-` +
        `${text.slice(16, 20)}-${text.slice(20)}`;
}

// ---- Web Crypto ----

const allowed = Symbol('allowed');
const integers = /^(Big)?(Int|Uint)(8|16|32|64)(Clamped)?Array$/;
const mostAtOnce = 65536;

class Crypto {
    #isOne = true;

    constructor(key) {
        if (key !== allowed)
            throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }

    static check(value) {
        if (typeof value !== 'object' || value === null || !(#isOne in value))
            throw coded(TypeError, 'ERR_INVALID_THIS',
                'Value of "this" must be of type Crypto');
    }

    getRandomValues(array) {
        check(this);
        if (arguments.length < 1)
            throw coded(TypeError, 'ERR_MISSING_ARGS', "Failed to execute " +
                "'getRandomValues' on 'Crypto': 1 argument required, but only 0 " +
                'present.');
        if (!ArrayBuffer.isView(array) || !integers.test(classOf(array)))
            throw new DOMException('The data argument must be an integer-type ' +
                'TypedArray', 'TypeMismatchError');
        if (array.byteLength > mostAtOnce)
            throw new DOMException('The requested length exceeds 65,536 bytes',
                'QuotaExceededError');
        fill(bytesOf(array));
        return array;
    }

    randomUUID() {
        check(this);
        return uuid();
    }

    get subtle() {
        check(this);
        return require('crypto/subtle').subtle;
    }
}

const { check } = Crypto;
delete Crypto.check;
for (const key of ['getRandomValues', 'randomUUID', 'subtle'])
    Object.defineProperty(Crypto.prototype, key, { enumerable: true });
Object.defineProperty(Crypto.prototype, Symbol.toStringTag,
    { value: 'Crypto', configurable: true });
Object.defineProperty(Crypto, 'length', { value: 0, configurable: true });

const webcrypto = new Crypto(allowed);

// ---- Node's crypto ----

const mostBytes = 2 ** 31 - 1, mostRange = 2 ** 48 - 1;

function checkFunction(callback) {
    if (typeof callback !== 'function')
        throw invalidArgType('callback', 'of type function', callback);
}

function checkSize(value, name, most) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (Number.isNaN(value) || value > most || value < 0)
        throw outOfRange(name, `>= 0 && <= ${most}`, value);
}

// Node uses its pool.  Here the kernel answers at once, and the callback is
// deferred.
function later(callback, ...args) {
    require('timers/timers').setImmediate(callback, ...args);
}

function randomBytes(size, callback = undefined) {
    checkSize(size, 'size', mostBytes);
    if (callback !== undefined)
        checkFunction(callback);
    const bytes = require('bytes/buffer').Buffer.alloc(Math.trunc(size));
    fill(bytes);
    if (callback === undefined)
        return bytes;
    later(callback, null, bytes);
    return undefined;
}

function fillPart(buf, offset = 0, size = undefined) {
    if (!isBytes(buf))
        throw invalidArgType('buf',
            'an instance of ArrayBuffer or ArrayBufferView', buf);
    const width = buf.BYTES_PER_ELEMENT ?? 1;
    if (typeof offset !== 'number')
        throw invalidArgType('offset', 'of type number', offset);
    offset *= width;
    checkSize(offset, 'offset', buf.byteLength);
    if (size === undefined) {
        size = buf.byteLength - offset;
    } else {
        if (typeof size !== 'number')
            throw invalidArgType('size', 'of type number', size);
        size *= width;
        checkSize(size, 'size', mostBytes);
    }
    if (size + offset > buf.byteLength)
        throw outOfRange('size + offset', `<= ${buf.byteLength}`, size + offset);
    fill(bytesOf(buf), offset, offset + size);
}

function randomFillSync(buf, offset, size) {
    fillPart(buf, offset, size);
    return buf;
}

function randomFill(buf, offset, size, callback) {
    if (!isBytes(buf))
        fillPart(buf);
    if (typeof offset === 'function') {
        callback = offset;
        offset = size = undefined;
    } else if (typeof size === 'function') {
        callback = size;
        size = undefined;
    }
    checkFunction(callback);
    fillPart(buf, offset, size);
    later(callback, null, buf);
}

function randomInt(min, max, callback) {
    const hasMin = max !== undefined && typeof max !== 'function';
    if (!hasMin) {
        callback = max;
        max = min;
        min = 0;
    }
    if (callback !== undefined)
        checkFunction(callback);
    if (!Number.isSafeInteger(min))
        throw invalidArgType('min', 'a safe integer', min);
    if (!Number.isSafeInteger(max))
        throw invalidArgType('max', 'a safe integer', max);
    if (max <= min)
        throw outOfRange('max', `greater than the value of "min" (${min})`, max);
    const range = max - min;
    if (!(range <= mostRange))
        throw outOfRange(hasMin ? 'max - min' : 'max', `<= ${mostRange}`, range);
    const number = min + below(range);
    if (callback === undefined)
        return number;
    later(callback, undefined, number);
    return undefined;
}

// Discard values past the last whole multiple, so that all results are equally
// likely.
function below(range) {
    const limit = 2 ** 48 - 2 ** 48 % range, bytes = new Uint8Array(6);
    for (;;) {
        fill(bytes);
        const number = bytes.reduce((sum, byte) => 256 * sum + byte, 0);
        if (number < limit)
            return number % range;
    }
}

function randomUUID(options = undefined) {
    if (options !== undefined)
        checkObject(options, 'options');
    const cache = options?.disableEntropyCache;
    if (cache !== undefined && typeof cache !== 'boolean')
        throw invalidArgType('options.disableEntropyCache', 'of type boolean', cache);
    return uuid();
}

function timingSafeEqual(buf1, buf2) {
    for (const [name, value] of [['buf1', buf1], ['buf2', buf2]])
        if (!isBytes(value))
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" argument ` +
                'must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.');
    if (buf1.byteLength !== buf2.byteLength)
        throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH',
            'Input buffers must have the same byte length');
    return isEqual(bytesOf(buf1), bytesOf(buf2));
}

module.exports = {
    randomBytes, randomFill, randomFillSync, randomInt, randomUUID,
    timingSafeEqual, webcrypto,
    getRandomValues: (array) => webcrypto.getRandomValues(array),
};
Object.defineProperty(module.exports, 'Crypto', { value: Crypto });
