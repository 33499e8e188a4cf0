// SPDX-License-Identifier: MIT
// crypto/derive -- pbkdf2, scrypt and hkdf (js/crypto/derive.c).
'use strict';

const { Buffer } = require('bytes/buffer');
const { toBuffer } = require('bytes/bytes');
const { classOf } = require('util/kinds');
const { checkInteger, coded, invalidArgType, outOfRange } = require('core/errors');

const { derive, digestSize, checkScrypt } = native;
const PBKDF2 = 0, SCRYPT = 1, HKDF = 2;
const INT_MAX = 2 ** 31 - 1, UINT_MAX = 2 ** 32 - 1;
const none = new Uint8Array(0);

// ---- arguments ----

const isAnyBuffer = (value) => typeof value === 'object' && value !== null &&
    /^(Shared)?ArrayBuffer$/.test(classOf(value));

function bytesOf(value, name, expected) {
    if (typeof value === 'string')
        return Buffer.from(value);
    if (ArrayBuffer.isView(value))
        return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    if (isAnyBuffer(value))
        return new Uint8Array(value);
    throw invalidArgType(name, `of type string or an instance of ${expected}`, value);
}
const PASSWORD = 'ArrayBuffer, Buffer, TypedArray, or DataView';
const KEY = 'ArrayBuffer, TypedArray, DataView, or Buffer';

function checkFunction(callback) {
    if (typeof callback !== 'function')
        throw invalidArgType('callback', 'of type function', callback);
}

function checkDigest(digest) {
    if (typeof digest !== 'string')
        throw invalidArgType('digest', 'of type string', digest);
}

// The size of a digest that exists.
function sizeOf(digest) {
    const size = digestSize(digest);
    if (size === undefined)
        throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${digest}`);
    return size;
}

// ---- running ----

function failed() {
    return new Error('Deriving bits failed');
}

function now(args, convert) {
    const result = derive(...args);
    if (result === undefined)
        throw failed();
    return convert(result);
}

function later(args, convert, callback) {
    derive(...args, (result) => {
        if (result === undefined)
            callback(failed());
        else
            callback(null, convert(result));
    }, callback);
}

// ---- PBKDF2 ----

function pbkdf2Arguments(password, salt, iterations, keylen, digest) {
    checkDigest(digest);
    const inputs = [bytesOf(password, 'password', PASSWORD), bytesOf(salt, 'salt', PASSWORD)];
    checkInteger(iterations, 'iterations', 1, INT_MAX);
    checkInteger(keylen, 'keylen', 0, INT_MAX);
    sizeOf(digest);
    return [PBKDF2, digest, ...inputs, none, [iterations], keylen];
}

function pbkdf2Sync(password, salt, iterations, keylen, digest) {
    return now(pbkdf2Arguments(password, salt, iterations, keylen, digest), toBuffer);
}

function pbkdf2(password, salt, iterations, keylen, digest, callback) {
    if (typeof digest === 'function') {
        callback = digest;
        digest = undefined;
    }
    const args = pbkdf2Arguments(password, salt, iterations, keylen, digest);
    checkFunction(callback);
    later(args, toBuffer, callback);
}

// ---- scrypt ----

// Each option has two names.
function optionOf(options, short, long, preset, most) {
    let value;
    for (const name of long === undefined ? [short] : [short, long]) {
        if (options[name] === undefined)
            continue;
        if (value !== undefined)
            throw coded(Error, 'ERR_CRYPTO_SCRYPT_INVALID_PARAMETER', 'Invalid scrypt parameter');
        value = checkInteger(options[name], name, 0, most);
    }
    return value || preset;
}

function scryptArguments(password, salt, keylen, options) {
    const inputs = [bytesOf(password, 'password', PASSWORD), bytesOf(salt, 'salt', PASSWORD)];
    checkInteger(keylen, 'keylen', 0, INT_MAX);
    const own = typeof options === 'object' && options !== null ? options : {};
    const numbers = [optionOf(own, 'N', 'cost', 16384, UINT_MAX),
        optionOf(own, 'r', 'blockSize', 8, UINT_MAX),
        optionOf(own, 'p', 'parallelization', 1, UINT_MAX),
        optionOf(own, 'maxmem', undefined, 32 << 20, Number.MAX_SAFE_INTEGER)];
    const why = checkScrypt(numbers);
    if (why !== undefined)
        throw coded(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS',
            `Invalid scrypt params${why === '' ? '' : `: ${why}`}`);
    return [SCRYPT, '', ...inputs, none, numbers, keylen];
}

function scryptSync(password, salt, keylen, options = {}) {
    return now(scryptArguments(password, salt, keylen, options), toBuffer);
}

function scrypt(password, salt, keylen, options, callback = undefined) {
    if (callback === undefined) {
        callback = options;
        options = {};
    }
    const args = scryptArguments(password, salt, keylen, options);
    checkFunction(callback);
    later(args, toBuffer, callback);
}
Object.defineProperty(scrypt, 'length', { value: 4, configurable: true });

// ---- HKDF ----

// A key may be a KeyObject or a CryptoKey; what is a text or bytes needs neither.
function keyOf(ikm) {
    if (typeof ikm !== 'object' || ikm === null || ArrayBuffer.isView(ikm) || isAnyBuffer(ikm))
        return bytesOf(ikm, 'ikm', `SecretKeyObject, ${KEY}`);
    const { isCryptoKey, isKeyObject, secretBytes } = require('crypto/keys');
    return isKeyObject(ikm) || isCryptoKey(ikm) ? secretBytes(ikm)
        : bytesOf(ikm, 'ikm', `SecretKeyObject, ${KEY}`);
}

function hkdfArguments(digest, ikm, salt, info, length) {
    checkDigest(digest);
    const inputs = [keyOf(ikm), bytesOf(salt, 'salt', KEY),
        bytesOf(info, 'info', KEY)];
    checkInteger(length, 'length', 0, INT_MAX);
    if (inputs[2].byteLength > 1024)
        throw outOfRange('info', 'must not contain more than 1024 bytes', inputs[2].byteLength);
    if (length > 255 * sizeOf(digest))
        throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
    return [HKDF, digest, ...inputs, [], length];
}

const same = (buffer) => buffer;

function hkdfSync(digest, ikm, salt, info, length) {
    return now(hkdfArguments(digest, ikm, salt, info, length), same);
}

function hkdf(digest, ikm, salt, info, length, callback) {
    const args = hkdfArguments(digest, ikm, salt, info, length);
    checkFunction(callback);
    later(args, same, callback);
}

module.exports = { hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync };
