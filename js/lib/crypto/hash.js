// SPDX-License-Identifier: MIT
// hash -- Hash and Hmac: digests of bytes that come in pieces.
//
// They are streams, too.
'use strict';

const { open, setSize, show, copy, finish } = native;
const LazyTransform = require('crypto/lazy');
const { Buffer } = require('bytes/buffer');
const { HEX, kindOf } = require('bytes/encodings');
const { coded, invalidArgType, outOfRange } = require('core/errors');

const bufferPrototype = Buffer.prototype;
const mostSize = 2 ** 32 - 1;
const kHandle = Symbol('kHandle'), kState = Symbol('kState'), kFinalized = Symbol('kFinalized');

const isView = (value) => ArrayBuffer.isView(value);

function bytesFor(data, encoding, name) {
    if (typeof data === 'string')
        return Buffer.from(data, Buffer.isEncoding(encoding) ? encoding : 'utf8');
    if (!isView(data))
        throw invalidArgType(name,
            'of type string or an instance of Buffer, TypedArray, or DataView', data);
    return data.constructor === Uint8Array || Buffer.isBuffer(data) ? data
        : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

// Feed a digest with what C does not take as it is: it takes typed arrays, and strings in UTF-8.
function updateSlowly(hash, data, encoding, name) {
    return native.update(hash, bytesFor(data, encoding, name));
}

// The number of the encoding of a result, or undefined for a Buffer.
const formOf = (encoding) => encoding === 'hex' ? HEX
    : typeof encoding === 'string' ? kindOf(encoding) : undefined;

const finalized = () => coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');

// A digest is the object itself (js/crypto/hash.c).  These are what util.inspect shows, as in
// Node.
const handles = { hash: new (class Hash {})(), hmac: new (class Hmac {})() };
const begun = { [kFinalized]: false }, over = { [kFinalized]: true };

native.setHooks([kHandle, kState, handles.hash, handles.hmac, begun]);

// ---- Hash ----

function checkSize(size) {
    if (typeof size !== 'number')
        throw invalidArgType('options.outputLength', 'of type number', size);
    if (!Number.isInteger(size))
        throw outOfRange('options.outputLength', 'an integer', size);
    if (size < 0 || size > mostSize)
        throw outOfRange('options.outputLength', `>= 0 && <= ${mostSize}`, size);
}

function setSizeOf(handle, size) {
    if (!setSize(handle, size))
        throw Object.assign(new Error('error:030000B2:digital envelope routines::' +
            'not XOF or invalid length'), { library: 'digital envelope routines',
            reason: 'not XOF or invalid length',
            code: 'ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH' });
}

function Hash(algorithm, options) {
    if (!new.target)
        return new Hash(algorithm, options);
    const isCopy = typeof algorithm === 'object' && algorithm !== null && kHandle in algorithm;
    if (!isCopy && typeof algorithm !== 'string')
        throw invalidArgType('algorithm', 'of type string', algorithm);
    const size = typeof options === 'object' && options !== null ? options.outputLength : undefined;
    if (size !== undefined)
        checkSize(size);
    const { prototype } = new.target;
    const hash = isCopy ? copy(algorithm, prototype) : open(algorithm, undefined, prototype);
    if (hash === undefined)
        throw new Error('Digest method not supported');
    if (size !== undefined)
        setSizeOf(hash, size);
    return show(hash, options, false);
}
Object.setPrototypeOf(Hash.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hash, LazyTransform);

Hash.prototype.copy = function (options) {
    if (this[kState] === over)
        throw finalized();
    return new Hash(this, options);
};

function transform(chunk, encoding, callback) {
    updateSlowly(this, chunk, encoding, 'data');
    callback();
}

function flush(callback) {
    this.push(this.digest());
    callback();
}

Hash.prototype._transform = transform;
Hash.prototype._flush = flush;

Hash.prototype.update = function (data, encoding) {
    if (native.update(this, data, encoding))
        return this;
    if (this[kState] === over)
        throw finalized();
    if (!updateSlowly(this, data, encoding, 'data'))
        throw coded(Error, 'ERR_CRYPTO_HASH_UPDATE_FAILED', 'Hash update failed');
    return this;
};

Hash.prototype.digest = function (encoding) {
    const result = finish(this, formOf(encoding), bufferPrototype);
    if (result === undefined)
        throw finalized();
    this[kState] = over;
    return result;
};

const hashPrototype = Hash.prototype;

function createHash(algorithm, options) {
    if (typeof algorithm !== 'string' || options !== undefined)
        return new Hash(algorithm, options);
    const hash = open(algorithm, undefined, hashPrototype);
    if (hash === undefined)
        throw new Error('Digest method not supported');
    return show(hash, options, false);
}

// ---- Hmac ----

function Hmac(hmac, key, options) {
    if (!new.target)
        return new Hmac(hmac, key, options);
    if (typeof hmac !== 'string')
        throw invalidArgType('hmac', 'of type string', hmac);
    const secret = require('crypto/keys').secretBytes(key, options?.encoding);
    const made = open(hmac, secret, new.target.prototype);
    if (made === undefined)
        throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${hmac}`);
    return show(made, options, true);
}
Object.setPrototypeOf(Hmac.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hmac, LazyTransform);

Hmac.prototype.update = Hash.prototype.update;
Hmac.prototype.digest = function (encoding) {
    const result = finish(this, formOf(encoding), bufferPrototype);
    this[kState] = over;
    return result ?? (encoding && encoding !== 'buffer' ? '' : Buffer.alloc(0));
};
Hmac.prototype._flush = flush;
Hmac.prototype._transform = transform;

// ---- one call ----

function hash(algorithm, input, outputEncoding = 'hex') {
    if (typeof algorithm !== 'string')
        throw invalidArgType('algorithm', 'of type string', algorithm);
    if (typeof input !== 'string' && !isView(input))
        throw invalidArgType('input',
            'of type string or an instance of Buffer, TypedArray, or DataView', input);
    if (typeof outputEncoding !== 'string')
        throw invalidArgType('outputEncoding', 'of type string', outputEncoding);
    if (outputEncoding !== 'buffer' && !Buffer.isEncoding(outputEncoding))
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
            `The argument 'outputEncoding' is invalid. Received '${outputEncoding}'`);
    const handle = open(algorithm, undefined);
    if (handle === undefined)
        throw new Error(`Digest method ${algorithm} is not supported`);
    if (!native.update(handle, input))
        updateSlowly(handle, input, 'utf8', 'input');
    return finish(handle, formOf(outputEncoding), bufferPrototype);
}

// Those of OpenSSL 3 that need no other provider, in Node's order.
const getHashes = () => ('RSA-MD5 RSA-RIPEMD160 RSA-SHA1 RSA-SHA1-2 RSA-SHA224 RSA-SHA256 ' +
    'RSA-SHA3-224 RSA-SHA3-256 RSA-SHA3-384 RSA-SHA3-512 RSA-SHA384 RSA-SHA512 RSA-SHA512/224 ' +
    'RSA-SHA512/256 RSA-SM3 blake2b512 blake2s256 id-rsassa-pkcs1-v1_5-with-sha3-224 ' +
    'id-rsassa-pkcs1-v1_5-with-sha3-256 id-rsassa-pkcs1-v1_5-with-sha3-384 ' +
    'id-rsassa-pkcs1-v1_5-with-sha3-512 md5 md5-sha1 md5WithRSAEncryption ripemd ripemd160 ' +
    'ripemd160WithRSA rmd160 sha1 sha1WithRSAEncryption sha224 sha224WithRSAEncryption sha256 ' +
    'sha256WithRSAEncryption sha3-224 sha3-256 sha3-384 sha3-512 sha384 sha384WithRSAEncryption ' +
    'sha512 sha512-224 sha512-224WithRSAEncryption sha512-256 sha512-256WithRSAEncryption ' +
    'sha512WithRSAEncryption shake128 shake256 sm3 sm3WithRSAEncryption ssl3-md5 ssl3-sha1').split(' ');

module.exports = { Hash, Hmac, getHashes, hash, pieces: native,
    createHash, createHmac: (hmac, key, options) => new Hmac(hmac, key, options) };
