// SPDX-License-Identifier: MIT
// webidl -- the arguments of crypto.subtle, converted as Web IDL says, with Node's
// messages.
'use strict';

const { coded } = require('core/errors');
const { isAnyBuffer } = require('crypto/arguments');
const { CryptoKey } = require('crypto/keys');
const { classOf } = require('util/kinds');

const isObject = (value) => typeof value === 'object' ? value !== null : typeof value === 'function';
const isShared = (buffer) => classOf(buffer) === 'SharedArrayBuffer';

// `where` is {prefix, context}.
function refuse(text, where, code = 'ERR_INVALID_ARG_TYPE') {
    const { prefix, context } = where;
    const start = prefix ? `${prefix}: ` : '';
    const what = context === '' ? '' : `${context ?? 'Value'} `;
    return coded(TypeError, code, `${start}${what}${text}`);
}

function boolean(value) {
    return !!value;
}

function text(value, where) {
    if (typeof value === 'symbol')
        throw refuse('is a Symbol and cannot be converted to a string.', where);
    return String(value);
}

// An unsigned integer of so many bits.
const unsigned = (bits, isStrict) => (value, where) => {
    const most = 2 ** bits - 1;
    if (typeof value === 'bigint' || typeof value === 'symbol')
        throw refuse(`is a ${typeof value === 'bigint' ? 'BigInt' : 'Symbol'} and cannot be ` +
            'converted to a number.', where);
    let number = Number(value);
    if (isStrict) {
        if (!Number.isFinite(number))
            throw refuse('is not a finite number.', where);
        number = Math.trunc(number);
        if (number < 0 || number > most)
            throw refuse(`is outside the expected range of 0 to ${most}.`, where,
                'ERR_OUT_OF_RANGE');
        return number + 0;
    }
    if (!Number.isFinite(number))
        return 0;
    number = Math.trunc(number) % (most + 1);
    return number < 0 ? number + most + 1 : number + 0;
};

function object(value, where) {
    if (!isObject(value))
        throw refuse('is not an object.', where);
    return value;
}

function bytes(value, where) {
    if (ArrayBuffer.isView(value)) {
        if (isShared(value.buffer))
            throw refuse('is a view on a SharedArrayBuffer, which is not allowed.', where);
        return value;
    }
    if (!isAnyBuffer(value) || isShared(value))
        throw refuse('is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.', where);
    return value;
}

function bigInteger(value, where) {
    if (!ArrayBuffer.isView(value) || classOf(value) !== 'Uint8Array')
        throw refuse('is not an Uint8Array object.', where);
    return bytes(value, where);
}

function key(value, where) {
    if (!isObject(value) || !(value instanceof CryptoKey))
        throw refuse('is not of type CryptoKey.', where);
    return value;
}

const oneOf = (name, values) => (value, where) => {
    const found = String(value);
    if (!values.includes(found))
        throw refuse(`value '${found}' is not a valid enum value of type ${name}.`, where,
            'ERR_INVALID_ARG_VALUE');
    return found;
};

const sequence = (convert) => (value, where) => {
    if (!isObject(value) || typeof value[Symbol.iterator] !== 'function')
        throw refuse('can not be converted to sequence.', where);
    return Array.from(value, (one, i) =>
        convert(one, { ...where, context: `${where.context}, index ${i}` }));
};

const algorithm = (value, where) => isObject(value) ? value : text(value, where);

// Members are read in the order of their names; '!' marks one that is required.
const dictionary = (name, members) => {
    const list = Object.entries(members).map(([key, convert]) =>
        [key.replace('!', ''), convert, key.endsWith('!')]).sort(([a], [b]) => a < b ? -1 : 1);
    const isNeeded = list.some(([, , isRequired]) => isRequired);
    return (value, where) => {
        if (value != null && !isObject(value))
            throw refuse('can not be converted to a dictionary', where);
        const made = {};
        if (value == null && !isNeeded)
            return made;
        for (const [key, convert, isRequired] of list) {
            const member = value == null ? undefined : value[key];
            if (member !== undefined)
                made[key] = convert(member, { ...where,
                    context: `'${key}' of '${name}'${where.context ? ` (${where.context})` : ''}` });
            else if (isRequired)
                throw refuse(`can not be converted to '${name}' because '${key}' is required in ` +
                    `'${name}'.`, where, 'ERR_MISSING_OPTION');
        }
        return made;
    };
};

const octet = unsigned(8, true), short = unsigned(16, true), long = unsigned(32, true);
const params = {
    Algorithm: {},
    RsaHashedKeyGenParams: { 'modulusLength!': long, 'publicExponent!': bigInteger,
        'hash!': algorithm },
    RsaHashedImportParams: { 'hash!': algorithm },
    EcKeyImportParams: { 'namedCurve!': text },
    EcKeyGenParams: { 'namedCurve!': text },
    AesKeyGenParams: { 'length!': short },
    HmacKeyGenParams: { 'hash!': algorithm, length: long },
    RsaPssParams: { 'saltLength!': long },
    RsaOaepParams: { label: bytes },
    EcdsaParams: { 'hash!': algorithm },
    HmacImportParams: { 'hash!': algorithm, length: long },
    HkdfParams: { 'hash!': algorithm, 'salt!': bytes, 'info!': bytes },
    Pbkdf2Params: { 'hash!': algorithm, 'iterations!': long, 'salt!': bytes },
    AesDerivedKeyParams: { 'length!': short },
    AesCbcParams: { 'iv!': bytes },
    AesGcmParams: { 'iv!': bytes, tagLength: octet, additionalData: bytes },
    AesCtrParams: { 'counter!': bytes, 'length!': octet },
    EcdhKeyDeriveParams: { 'public!': key },
    Ed448Params: { context: bytes },
};
const converters = Object.fromEntries(Object.entries(params).map(([name, members]) =>
    [name, dictionary(name, { 'name!': text, ...members })]));

const texts = (...names) => Object.fromEntries(names.map((name) => [name, text]));
const jwk = dictionary('JsonWebKey', {
    ...texts('kty', 'use', 'alg', 'crv', 'x', 'y', 'd', 'n', 'e', 'p', 'q', 'dp', 'dq', 'qi', 'k'),
    key_ops: sequence(text), ext: boolean,
    oth: sequence(dictionary('RsaOtherPrimesInfo', texts('r', 'd', 't'))),
});

const format = oneOf('KeyFormat', ['raw', 'pkcs8', 'spki', 'jwk']);
const usages = sequence(oneOf('KeyUsage', ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey',
    'deriveBits', 'wrapKey', 'unwrapKey']));

const ordinals = ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th'];

// Convert the arguments of a method of SubtleCrypto.
function convert(name, args, required, kinds) {
    const prefix = `Failed to execute '${name}' on 'SubtleCrypto'`;
    if (args.length < required)
        throw refuse(`${required} argument${required === 1 ? '' : 's'} required, but only ` +
            `${args.length} present.`, { prefix, context: '' }, 'ERR_MISSING_ARGS');
    return kinds.map((kind, i) => kind(args[i], { prefix, context: `${ordinals[i]} argument` }));
}

module.exports = { algorithm, boolean, bytes, convert, converters, format, jwk, key, object,
    unsignedLong: unsigned(32, false), usages };
