// SPDX-License-Identifier: MIT
// keys -- KeyObject and CryptoKey, and the keys that functions accept as arguments
// (js/crypto/key.c, js/crypto/encoding.c).
//
// A key is a handle of C.  A KeyObject is Node's object for it, a CryptoKey that of
// Web Crypto; both never change.
'use strict';

const { Buffer } = require('bytes/buffer');
const { checkObject, coded, invalidArgType, invalidArgValue } = require('core/errors');
const { BYTES, bytesOf, checkOneOf, invalidKeyType, isBytes, isText,
    viewOf } = require('crypto/arguments');
const { custom } = require('util/kinds');

const { details, isEqual, kindOf, makePublic, makeSecret, read, secretOf, write } = native;

const PEM = 0, DER = 1, JWK = 2;
const PKCS1 = 1, PKCS8 = 2, SPKI = 3, SEC1 = 4;
const formats = { __proto__: null, pem: PEM, der: DER, jwk: JWK };
const names = ['', 'pkcs1', 'pkcs8', 'spki', 'sec1'];

const incompatible = (name, why) => coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS',
    `The selected key encoding ${name} ${why}.`);

// ---- encodings ----

function formatOf(text, preset, name) {
    if (text === undefined && preset !== undefined)
        return preset;
    if (typeof text !== 'string' || !(text in formats))
        throw invalidArgValue(name, text);
    return formats[text];
}

// `kind` is the key's, or undefined for a key that is read.
function typeOf(text, isRequired, kind, isPublic, name) {
    if (text === undefined && !isRequired)
        return undefined;
    if (text === 'pkcs1') {
        if (kind !== undefined && kind !== 'rsa')
            throw incompatible(text, 'can only be used for RSA keys');
        return PKCS1;
    }
    if (text === 'spki' && isPublic !== false)
        return SPKI;
    if (text === 'pkcs8' && isPublic !== true)
        return PKCS8;
    if (text === 'sec1' && isPublic !== true) {
        if (kind !== undefined && kind !== 'ec')
            throw incompatible(text, 'can only be used for EC keys');
        return SEC1;
    }
    throw invalidArgValue(name, text);
}

// {format, type, cipher, passphrase}.  `where` is the option of generateKeyPair that
// has the encoding.
function encodingOf(options, kind, isPublic, where) {
    checkObject(options, 'options');
    const nameOf = (name) => where === undefined ? `options.${name}` : `options.${where}.${name}`;
    const isInput = kind === undefined;
    const format = formatOf(options.format, isInput ? PEM : undefined, nameOf('format'));
    const type = typeOf(options.type, (!isInput || format === DER) && format !== JWK, kind,
        isPublic, nameOf('type'));
    if (isPublic === true)
        return { format, type };
    const { cipher, passphrase, encoding } = options;
    if (!isInput && cipher != null) {
        if (typeof cipher !== 'string')
            throw invalidArgValue(nameOf('cipher'), cipher);
        if (format === DER && (type === PKCS1 || type === SEC1))
            throw incompatible(names[type], 'does not support encryption');
    } else if (!isInput && passphrase !== undefined) {
        throw invalidArgValue(nameOf('cipher'), cipher);
    }
    if ((isInput ? passphrase !== undefined : cipher != null) && !isText(passphrase))
        throw invalidArgValue(nameOf('passphrase'), passphrase);
    return { format, type, cipher, passphrase: passphrase === undefined ? undefined
        : bytesOf(passphrase, 'key.passphrase', encoding) };
}

const publicEncoding = (options, kind, where) =>
    encodingOf(options, kind, kind ? true : undefined, where);
const privateEncoding = (options, kind, where) => encodingOf(options, kind, false, where);

// A key in an encoding: a text or a Buffer, or an object.
function writeKey(handle, { format, type, cipher, passphrase }) {
    if (format === JWK)
        return require('crypto/jwk').write(handle);
    const bytes = Buffer.from(write(handle, format, type, cipher, passphrase));
    return format === PEM ? bytes.toString('latin1') : bytes;
}

// ---- KeyObject ----

const kHandle = Symbol('kHandle'), kKeyType = Symbol('kKeyType'), kKeyObject = Symbol('kKeyObject');
const kAlgorithm = Symbol('kAlgorithm'), kExtractable = Symbol('kExtractable'),
    kUsages = Symbol('kKeyUsages');
const isKeyObject = (value) => value != null && value[kKeyType] !== undefined;
const isCryptoKey = (value) => value != null && value[kKeyObject] !== undefined;
const handles = new WeakSet();

class KeyObject {
    constructor(type, handle) {
        if (type !== 'secret' && type !== 'public' && type !== 'private')
            throw invalidArgValue('type', type);
        if (typeof handle !== 'object' || handle === null || !handles.has(handle))
            throw invalidArgType('handle', 'of type object', handle);
        Object.defineProperty(this, kKeyType, { value: type, enumerable: true });
        Object.defineProperty(this, kHandle, { value: handle });
    }

    get type() {
        return this[kKeyType];
    }

    static from(key) {
        if (!isCryptoKey(key))
            throw invalidArgType('key', 'an instance of CryptoKey', key);
        return key[kKeyObject];
    }

    equals(otherKeyObject) {
        if (!isKeyObject(otherKeyObject))
            throw invalidArgType('otherKeyObject', 'an instance of KeyObject', otherKeyObject);
        return otherKeyObject.type === this.type &&
            isEqual(this[kHandle], otherKeyObject[kHandle]);
    }
}
Object.defineProperty(KeyObject.prototype, Symbol.toStringTag,
    { value: 'KeyObject', configurable: true });

class SecretKeyObject extends KeyObject {
    constructor(handle) {
        super('secret', handle);
    }

    get symmetricKeySize() {
        return secretOf(this[kHandle]).byteLength;
    }

    export(options) {
        if (options !== undefined) {
            checkObject(options, 'options');
            checkOneOf(options.format, 'options.format', [undefined, 'buffer', 'jwk']);
            if (options.format === 'jwk')
                return { kty: 'oct', k: Buffer.from(secretOf(this[kHandle])).toString('base64url') };
        }
        return Buffer.from(secretOf(this[kHandle]));
    }
}

const toBigInt = (bytes) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

// The details of a key whose exponent is a BigInt.
function detailsOf(handle) {
    const found = details(handle);
    if (found.publicExponent !== undefined)
        found.publicExponent = toBigInt(found.publicExponent);
    return found;
}

class AsymmetricKeyObject extends KeyObject {
    #details;

    get asymmetricKeyType() {
        return kindOf(this[kHandle]);
    }

    get asymmetricKeyDetails() {
        return /^(rsa|rsa-pss|dsa|ec)$/.test(this.asymmetricKeyType)
            ? this.#details ??= detailsOf(this[kHandle]) : {};
    }
}

class PublicKeyObject extends AsymmetricKeyObject {
    constructor(handle) {
        super('public', handle);
    }

    export(options) {
        if (options && options.format === 'jwk')
            return require('crypto/jwk').write(this[kHandle]);
        return writeKey(this[kHandle], publicEncoding(options, this.asymmetricKeyType));
    }
}

class PrivateKeyObject extends AsymmetricKeyObject {
    constructor(handle) {
        super('private', handle);
    }

    export(options) {
        if (options && options.format === 'jwk') {
            if (options.passphrase !== undefined)
                throw incompatible('jwk', 'does not support encryption');
            return require('crypto/jwk').write(this[kHandle]);
        }
        return writeKey(this[kHandle], privateEncoding(options, this.asymmetricKeyType));
    }
}

// Wrap a handle of C, which no program can make.
function wrap(Class, handle) {
    handles.add(handle);
    return new Class(handle);
}
const secretKey = (bytes) => wrap(SecretKeyObject, makeSecret(bytes));
const publicKey = (handle) => wrap(PublicKeyObject, handle);
const privateKey = (handle) => wrap(PrivateKeyObject, handle);

// ---- CryptoKey ----

class CryptoKey {
    constructor() {
        throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }

    [custom](depth, options) {
        if (depth < 0)
            return this;
        const { type, extractable, algorithm, usages } = this;
        return `CryptoKey ${require('util/inspect').inspect(
            { type, extractable, algorithm, usages },
            { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
    }

    get type() {
        return checkKey(this)[kKeyObject].type;
    }

    get extractable() {
        return checkKey(this)[kExtractable];
    }

    get algorithm() {
        return checkKey(this)[kAlgorithm];
    }

    get usages() {
        return checkKey(this)[kUsages];
    }
}
for (const key of ['type', 'extractable', 'algorithm', 'usages'])
    Object.defineProperty(CryptoKey.prototype, key, { enumerable: true });
Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag,
    { value: 'CryptoKey', configurable: true });

function checkKey(value) {
    if (!(value instanceof CryptoKey) || !isCryptoKey(value))
        throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type CryptoKey');
    return value;
}

function cryptoKey(keyObject, algorithm, usages, extractable) {
    return Object.create(CryptoKey.prototype, {
        [kKeyObject]: { value: keyObject }, [kAlgorithm]: { value: algorithm },
        [kUsages]: { value: usages }, [kExtractable]: { value: extractable } });
}

// ---- messages to other threads ----

const types = ['secret', 'public', 'private'];

function takeKey(key) {
    const handle = key[kHandle];
    return [types.indexOf(key.type), key.type === 'secret' ? secretOf(handle)
        : write(handle, DER, key.type === 'public' ? SPKI : PKCS8)];
}

function makeKey([type, bytes]) {
    if (types[type] === 'secret')
        return secretKey(bytes);
    return types[type] === 'public' ? publicKey(read(bytes, DER, SPKI, undefined, false))
        : privateKey(read(bytes, DER, PKCS8, undefined, true));
}

const { define } = require('messages/host');
define(KeyObject.prototype, function () {
    return isKeyObject(this) ? ['key', ...takeKey(this)] : undefined;
});
define(CryptoKey.prototype, function () {
    return isCryptoKey(this) ? ['cryptoKey', ...takeKey(this[kKeyObject]), this.algorithm,
        this.usages, this.extractable] : undefined;
});
const makeCryptoKey = ([type, bytes, algorithm, usages, extractable]) =>
    cryptoKey(makeKey([type, bytes]), algorithm, usages, extractable);

// ---- keys as arguments ----

const CONSUME_PUBLIC = 0, CONSUME_PRIVATE = 1, CREATE_PUBLIC = 2, CREATE_PRIVATE = 3;

function handleOf(key, use) {
    if (use === CREATE_PRIVATE)
        throw invalidArgType('key', `of type string or an instance of ${BYTES}`, key);
    if (key.type !== 'private') {
        if (use === CONSUME_PRIVATE || use === CREATE_PUBLIC)
            throw invalidKeyType(key.type, 'private');
        if (key.type !== 'public')
            throw invalidKeyType(key.type, 'private or public');
    }
    return key[kHandle];
}

const expectedFor = (use) => `of type string or an instance of ${use === CREATE_PRIVATE ? BYTES
    : 'ArrayBuffer, Buffer, TypedArray, DataView, KeyObject, or CryptoKey'}`;

// The handle of a key that comes as a KeyObject, a CryptoKey, a text, bytes, or an
// object with one of them.
function asymmetric(key, use) {
    const isPrivate = use === CONSUME_PRIVATE || use === CREATE_PRIVATE;
    if (isKeyObject(key))
        return handleOf(key, use);
    if (isCryptoKey(key))
        return handleOf(key[kKeyObject], use);
    if (isText(key))
        return read(bytesOf(key, 'key'), PEM, undefined, undefined, isPrivate);
    if (typeof key !== 'object' || key === null)
        throw invalidArgType('key', expectedFor(use), key);
    const { key: data, encoding, format } = key;
    if (isKeyObject(data))
        return handleOf(data, use);
    if (isCryptoKey(data))
        return handleOf(data[kKeyObject], use);
    if (format === 'jwk') {
        checkObject(data, 'key.key');
        return require('crypto/jwk').read(data, !isPrivate);
    }
    if (!isText(data))
        throw invalidArgType('key.key', expectedFor(use), data);
    const bytes = bytesOf(data, 'key', encoding);
    const found = encodingOf(key, undefined, isPrivate ? false : undefined);
    return read(bytes, found.format, found.type, found.passphrase, isPrivate);
}

const privateHandle = (key) => asymmetric(key, CONSUME_PRIVATE);
const publicHandle = (key) => asymmetric(key, CONSUME_PUBLIC);

// The bytes of a secret key.
function secretBytes(key, encoding, name = 'key') {
    const object = isCryptoKey(key) ? key[kKeyObject] : key;
    if (isKeyObject(object)) {
        if (object.type !== 'secret')
            throw invalidKeyType(object.type, 'secret');
        return new Uint8Array(secretOf(object[kHandle]));
    }
    if (!isText(key))
        throw invalidArgType(name, 'of type string or an instance of ArrayBuffer, Buffer, ' +
            'TypedArray, DataView, KeyObject, or CryptoKey', key);
    return bytesOf(key, name, encoding);
}

function createSecretKey(key, encoding) {
    if (!isText(key))
        throw invalidArgType('key', `an instance of ${BYTES}`, key);
    return secretKey(isBytes(key) ? viewOf(key) : bytesOf(key, 'key', encoding));
}

function createPublicKey(key) {
    const handle = asymmetric(key, CREATE_PUBLIC);
    return publicKey(handles.has(handle) ? makePublic(handle) : handle);
}

const createPrivateKey = (key) => privateKey(asymmetric(key, CREATE_PRIVATE));

module.exports = { CryptoKey, KeyObject, createPrivateKey, createPublicKey, createSecretKey,
    cryptoKey, details, isCryptoKey, isKeyObject, kHandle, kKeyObject, makeCryptoKey, makeKey,
    privateEncoding, privateHandle, privateKey, publicEncoding, publicHandle, publicKey,
    secretBytes, secretKey, writeKey, native };
