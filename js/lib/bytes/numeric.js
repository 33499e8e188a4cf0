// SPDX-License-Identifier: MIT
// numeric -- readUInt8, writeDoubleBE and the other numeric methods of Buffer.
'use strict';

const { coded, invalidArgType, outOfRange } = require('core/errors');

const BIG_ENDIAN = 1, SIGNED = 2, FLOAT = 4, BIGINT = 8; // js/bytes/buffer.c
const { readNumber, writeNumber } = native;

function checkNumber(value, name) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
}

function asNumber(value) {
    if (typeof value === 'bigint')
        throw new TypeError('Cannot convert a BigInt value to a number');
    return +value;
}

// Convert as arithmetic does, which accepts neither a number nor a string of
// digits; C would accept the string.
function asBig(value) {
    const negative = -value;
    if (typeof negative !== 'bigint')
        throw new TypeError('Cannot mix BigInt and other types, use explicit ' +
            'conversions');
    return -negative;
}

// The reason nothing could be read or written at `value`.
function boundsError(value, most, name) {
    if (Math.floor(value) !== value) {
        checkNumber(value, name ?? 'offset');
        return outOfRange(name ?? 'offset', 'an integer', value);
    }
    if (most < 0)
        return coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS',
            'Attempt to access memory outside buffer bounds');
    return outOfRange(name ?? 'offset',
        `>= ${name === undefined ? 0 : 1} and <= ${most}`, value);
}

function read(buffer, offset, width, flags) {
    const value = readNumber(buffer, offset, width, flags);
    if (value === undefined) {
        checkNumber(offset, 'offset');
        throw boundsError(offset, buffer.length - width);
    }
    return value;
}

function rangeOf(width, flags) {
    const bits = 8 * width, n = flags & BIGINT ? 'n' : '';
    if (flags & SIGNED)
        return width > 4 ? `>= -(2${n} ** ${bits - 1}${n}) and < 2${n} ** ${bits - 1}${n}`
            : `>= ${-(2 ** (bits - 1))} and <= ${2 ** (bits - 1) - 1}`;
    return width > 4 ? `>= 0${n} and < 2${n} ** ${bits}${n}`
        : `>= 0 and <= ${2 ** bits - 1}`;
}

function limitsOf(width, flags) {
    const bits = 8 * width;
    if (flags & BIGINT)
        return flags & SIGNED ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
    return flags & SIGNED ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1]
        : [0, 2 ** bits - 1];
}

function write(buffer, value, offset, width, flags, least, most) {
    if (!(flags & BIGINT) && typeof value !== 'number')
        value = asNumber(value);
    if (width === 1) // only here Node checks it first
        checkNumber(offset, 'offset');
    if (value > most || value < least)
        throw outOfRange('value', rangeOf(width, flags), value);
    checkNumber(offset, 'offset');
    if (flags & BIGINT && typeof value !== 'bigint') {
        read(buffer, offset, width, flags); // check the offset first
        value = asBig(value);
    }
    const next = writeNumber(buffer, value, offset, width, flags);
    if (next === undefined)
        throw boundsError(offset, buffer.length - width);
    return next;
}

// ---- the methods ----

function fixed(width, flags) {
    const [least, most] = flags & FLOAT ? [-Infinity, Infinity]
        : limitsOf(width, flags);
    return [
        function (offset = 0) { return read(this, offset, width, flags); },
        function (value, offset = 0) {
            return write(this, value, offset, width, flags, least, most);
        },
    ];
}

function variable(flags) {
    const limits = [1, 2, 3, 4, 5, 6].map((width) => limitsOf(width, flags));
    return [
        function (offset, byteLength) {
            if (offset === undefined)
                throw invalidArgType('offset', 'of type number', offset);
            if (!(byteLength >= 1 && byteLength <= 6) || byteLength % 1 !== 0 ||
                typeof byteLength !== 'number')
                throw boundsError(byteLength, 6, 'byteLength');
            return read(this, offset, byteLength, flags);
        },
        function (value, offset, byteLength) {
            if (!(byteLength >= 1 && byteLength <= 6) || byteLength % 1 !== 0 ||
                typeof byteLength !== 'number')
                throw boundsError(byteLength, 6, 'byteLength');
            return write(this, value, offset, byteLength, flags,
                ...limits[byteLength - 1]);
        },
    ];
}

const methods = {};

function add(name, [reader, writer], also) {
    for (const [verb, method] of [['read', reader], ['write', writer]]) {
        Object.defineProperty(method, 'name', { value: verb + name });
        methods[verb + name] = method;
        if (also !== undefined)
            methods[verb + also] = method;
    }
}

for (const [suffix, order] of [['LE', 0], ['BE', BIG_ENDIAN]]) {
    add(`BigUInt64${suffix}`, fixed(8, order | BIGINT), `BigUint64${suffix}`);
    add(`BigInt64${suffix}`, fixed(8, order | BIGINT | SIGNED));
    add(`UInt${suffix}`, variable(order), `Uint${suffix}`);
    add(`UInt32${suffix}`, fixed(4, order), `Uint32${suffix}`);
    add(`UInt16${suffix}`, fixed(2, order), `Uint16${suffix}`);
    add(`Int${suffix}`, variable(order | SIGNED));
    add(`Int32${suffix}`, fixed(4, order | SIGNED));
    add(`Int16${suffix}`, fixed(2, order | SIGNED));
    add(`Float${suffix}`, fixed(4, order | FLOAT));
    add(`Double${suffix}`, fixed(8, order | FLOAT));
}
add('UInt8', fixed(1, 0), 'Uint8');
add('Int8', fixed(1, SIGNED));

module.exports = { methods };
