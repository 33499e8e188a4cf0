// SPDX-License-Identifier: MIT
// net/check -- the arguments of net, tls, dns and dgram: convert them, or throw
// Node's error.
'use strict';

const { checkInteger, coded, invalidArgType, invalidArgValue, outOfRange } = require('core/errors');

function number(value, name, least, most) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if ((least !== undefined && value < least) || (most !== undefined && value > most) ||
        ((least !== undefined || most !== undefined) && Number.isNaN(value)))
        throw outOfRange(name, [least === undefined ? '' : `>= ${least}`,
            most === undefined ? '' : `<= ${most}`].filter((part) => part).join(' && '),
        value);
    return value;
}

const integer = (value, name, least = Number.MIN_SAFE_INTEGER, most) =>
    checkInteger(value, name, least, most);

const int32 = (value, name, least = -2147483648, most = 2147483647) =>
    integer(value, name, least, most);

const uint32 = (value, name, isPositive = false) =>
    integer(value, name, isPositive ? 1 : 0, 4294967295);

function typed(type) {
    return (value, name) => {
        if (typeof value !== type)
            throw invalidArgType(name, `of type ${type}`, value);
        return value;
    };
}

const string = typed('string'), boolean = typed('boolean'), func = typed('function');

function object(value, name) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
        throw invalidArgType(name, 'of type object', value);
    return value;
}

// A port as a number: 80, '80', '0x50'.
function port(value, name = 'Port', isZeroAllowed = true) {
    if ((typeof value !== 'number' && typeof value !== 'string') ||
        (typeof value === 'string' && value.trim().length === 0) ||
        +value !== (+value >>> 0) || value > 0xFFFF || (value === 0 && !isZeroAllowed))
        throw coded(RangeError, 'ERR_SOCKET_BAD_PORT', `${name} should be >` +
            `${isZeroAllowed ? '=' : ''} 0 and < 65536. Received ${
                require('core/errors').describeType(value)}.`);
    return value | 0;
}

function signal(value, name) {
    if (value !== undefined &&
        (value === null || typeof value !== 'object' || !('aborted' in value)))
        throw invalidArgType(name, 'an instance of AbortSignal', value);
    return value;
}

function oneOf(value, name, allowed) {
    if (!allowed.includes(value))
        throw invalidArgValue(name, value, `must be one of: ${allowed.map((one) =>
            typeof one === 'string' ? `'${one}'` : String(one)).join(', ')}`);
    return value;
}

// The delay of a timeout in milliseconds.
function delay(value, name) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (value < 0 || !Number.isFinite(value))
        throw outOfRange(name, 'a non-negative finite number', value);
    if (value > 2147483647) {
        require('program/process').emitWarning(`${value} does not fit into a 32-bit` +
            ' signed integer.\nTimer duration was truncated to 2147483647.',
        'TimeoutOverflowWarning');
        return 2147483647;
    }
    return value;
}

module.exports = { number, integer, int32, uint32, string, boolean, func, object, port,
    signal, oneOf, delay };
