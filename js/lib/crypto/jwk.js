// SPDX-License-Identifier: MIT
// jwk -- keys as JSON Web Keys (RFC 7517, RFC 7518, RFC 8037).
'use strict';

const { Buffer } = require('bytes/buffer');
const { checkObject, coded, plainly } = require('core/errors');
const { checkOneOf, checkString } = require('crypto/arguments');

const { details, kindOf, makeEc, makeRaw, makeRsa, parts } = native;

const curves = { 'P-256': ['prime256v1', 32], 'secp256k1': ['secp256k1', 32],
    'P-384': ['secp384r1', 48], 'P-521': ['secp521r1', 66] };
const rawSizes = { Ed25519: 32, X25519: 32, Ed448: 57, X448: 56 };
const rsaNames = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

const encode = (bytes) => Buffer.from(bytes).toString('base64url');
const decode = (text) => Buffer.from(text, 'base64');
const invalid = () => coded(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK data');
// Those that Node finds in C++
const invalidNumbers = (kty) => plainly(TypeError, 'ERR_CRYPTO_INVALID_JWK',
    `Invalid JWK ${kty} key`);

// ---- reading ----

// Left out are the zeros at the beginning, which some writers add or omit.
function fixed(text, size) {
    const bytes = decode(text), wanted = Buffer.alloc(size);
    let start = 0;
    while (bytes.length - start > size && bytes[start] === 0)
        start++;
    if (bytes.length - start > size)
        return undefined;
    bytes.copy(wanted, size - (bytes.length - start), start);
    return wanted;
}

// The handle of a key on a curve; undefined if it is none.
function readEc({ crv, x, y, d }) {
    const [curve, size] = curves[crv];
    const first = fixed(x, size), second = fixed(y, size);
    if (first === undefined || second === undefined)
        return undefined;
    return makeEc(curve, Buffer.concat([Buffer.from([4]), first, second]),
        d === undefined ? undefined : decode(d));
}

function readRsa(jwk) {
    return makeRsa(...rsaNames.map((name) =>
        jwk.d === undefined && !'ne'.includes(name) ? undefined : decode(jwk[name])));
}

const readRaw = (name, text, isPrivate) => {
    const bytes = decode(text);
    return bytes.length === rawSizes[name] ? makeRaw(name, bytes, isPrivate) : undefined;
};

// The handle of a key, checked as Node does for KeyObjects.
function read(key, isPublic) {
    checkObject(key, 'key');
    checkOneOf(key.kty, 'key.kty', ['RSA', 'EC', 'OKP']);
    let handle;
    if (key.kty === 'OKP') {
        checkString(key.crv, 'key.crv');
        checkOneOf(key.crv, 'key.crv', ['Ed25519', 'Ed448', 'X25519', 'X448']);
        checkString(key.x, 'key.x');
        if (!isPublic)
            checkString(key.d, 'key.d');
        handle = readRaw(key.crv, isPublic ? key.x : key.d, !isPublic);
    } else if (key.kty === 'EC') {
        checkString(key.crv, 'key.crv');
        checkOneOf(key.crv, 'key.crv', ['P-256', 'secp256k1', 'P-384', 'P-521']);
        for (const name of isPublic ? ['x', 'y'] : ['x', 'y', 'd'])
            checkString(key[name], `key.${name}`);
        handle = readEc({ ...key, d: isPublic ? undefined : key.d });
    } else {
        for (const name of isPublic ? ['n', 'e'] : rsaNames)
            checkString(key[name], `key.${name}`);
        handle = readRsa({ ...key, d: isPublic ? undefined : key.d });
    }
    if (handle === undefined)
        throw key.kty === 'OKP' ? invalid() : invalidNumbers(key.kty);
    return handle;
}

// ---- writing ----

function writeRsa(handle) {
    const jwk = { kty: 'RSA' };
    parts(handle).forEach((bytes, i) => { jwk[rsaNames[i]] = encode(bytes); });
    return jwk;
}

function writeEc(handle, isLenient) {
    const { namedCurve } = details(handle);
    const crv = Object.keys(curves).find((name) => curves[name][0] === namedCurve);
    if (crv === undefined && !isLenient)
        throw coded(Error, 'ERR_CRYPTO_JWK_UNSUPPORTED_CURVE',
            `Unsupported JWK EC curve: ${namedCurve}.`);
    const [x, y, d] = parts(handle);
    return { kty: 'EC', x: encode(x), y: encode(y), crv,
        ...d === undefined ? {} : { d: encode(d) } };
}

function writeRaw(handle, kind) {
    const [x, d] = parts(handle);
    return { crv: kind[0].toUpperCase() + kind.slice(1), ...d === undefined ? {} : { d: encode(d) },
        x: encode(x), kty: 'OKP' };
}

function write(handle) {
    const kind = kindOf(handle);
    switch (kind) {
    case 'rsa':
        return writeRsa(handle);
    case 'ec':
        return writeEc(handle);
    case 'ed25519':
    case 'x25519':
    case 'ed448':
    case 'x448':
        return writeRaw(handle, kind);
    default:
        throw coded(Error, 'ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE',
            'Unsupported JWK Key Type.');
    }
}

module.exports = { curves, decode, encode, invalid, rawSizes, read, readEc, readRaw, readRsa, write };
