// SPDX-License-Identifier: MIT
// arguments -- what the functions of crypto accept, and how they refuse the rest.
'use strict';

const { Buffer } = require('bytes/buffer');
const { classOf } = require('util/kinds');
const { coded, checkInteger, invalidArgType, invalidArgValue } = require('core/errors');

const isAnyBuffer = (value) => typeof value === 'object' && value !== null &&
    /^(Shared)?ArrayBuffer$/.test(classOf(value));
const isBytes = (value) => ArrayBuffer.isView(value) || isAnyBuffer(value);
const isText = (value) => typeof value === 'string' || isBytes(value);

const BYTES = 'ArrayBuffer, Buffer, TypedArray, or DataView';

// A Uint8Array of what `isBytes` accepts.
function viewOf(value) {
    return ArrayBuffer.isView(value)
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : new Uint8Array(value);
}

// A Uint8Array of bytes, or of a text.
function bytesOf(value, name, encoding) {
    if (typeof value === 'string')
        return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
    if (!isBytes(value))
        throw invalidArgType(name, `of type string or an instance of ${BYTES}`, value);
    return viewOf(value);
}

function checkString(value, name) {
    if (typeof value !== 'string')
        throw invalidArgType(name, 'of type string', value);
}

function checkBoolean(value, name) {
    if (typeof value !== 'boolean')
        throw invalidArgType(name, 'of type boolean', value);
}

const checkInt32 = (value, name, least = -(2 ** 31)) =>
    checkInteger(value, name, least, 2 ** 31 - 1);
const checkUint32 = (value, name) => checkInteger(value, name, 0, 2 ** 32 - 1);

function checkOneOf(value, name, allowed) {
    if (!allowed.includes(value))
        throw invalidArgValue(name, value, `must be one of: ${allowed.map((one) =>
            typeof one === 'string' ? `'${one}'` : String(one)).join(', ')}`);
}

// Pieces of a stream: a text in an encoding, or a view.
function pieceOf(data, encoding) {
    if (typeof data === 'string') {
        if (encoding === 'hex' && data.length % 2 !== 0)
            throw invalidArgValue('encoding', encoding,
                `is invalid for data of length ${data.length}`);
        return Buffer.from(data, Buffer.isEncoding(encoding) ? encoding : 'utf8');
    }
    if (!ArrayBuffer.isView(data))
        throw invalidArgType('data',
            'of type string or an instance of Buffer, TypedArray, or DataView', data);
    return viewOf(data);
}

// A Buffer, or its text.
function encoded(bytes, encoding) {
    const buffer = Buffer.from(bytes);
    return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
}

// Run one of C's operations, whose last two parameters are functions: at once, or
// on the pool if there is a callback.
function perform(operation, args, convert, callback) {
    if (callback === undefined)
        return convert(operation(...args));
    operation(...args, (result) => {
        let value;
        try {
            value = convert(result);
        } catch (error) {
            callback(error);
            return;
        }
        callback(null, value);
    }, callback);
    return undefined;
}

const invalidKeyType = (type, expected) => coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE',
    `Invalid key object type ${type}, expected ${expected}.`);

module.exports = { BYTES, bytesOf, checkBoolean, checkInt32, checkOneOf, checkString, checkUint32,
    encoded, invalidKeyType, isAnyBuffer, isBytes, isText, perform, pieceOf, viewOf };
