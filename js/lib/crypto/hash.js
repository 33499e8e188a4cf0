// SPDX-License-Identifier: MIT
// hash -- Hash and Hmac: digests of bytes that come in pieces.
//
// They are streams, too.
'use strict';

const { open, setSize, update, finish, copy } = native;
const LazyTransform = require('crypto/lazy');
const { Buffer } = require('bytes/buffer');
const { coded, invalidArgType, outOfRange } = require('core/errors');

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

const result = (bytes, encoding) => encoding !== undefined && encoding !== 'buffer' &&
    Buffer.isEncoding(encoding) ? bytes.toString(encoding) : bytes;

const finalized = () => coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');

// util.inspect shows the handle of each by this name.
const shownAs = { hash: (class Hash {}).prototype, hmac: (class Hmac {}).prototype };

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
    const handle = isCopy ? copy(algorithm[kHandle]) : open(algorithm, undefined);
    if (handle === undefined)
        throw new Error('Digest method not supported');
    if (size !== undefined)
        setSizeOf(handle, size);
    this[kHandle] = Object.setPrototypeOf(handle, shownAs.hash);
    this[kState] = { [kFinalized]: false };
    LazyTransform.call(this, options);
    return this;
}
Object.setPrototypeOf(Hash.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hash, LazyTransform);

Hash.prototype.copy = function (options) {
    if (this[kState][kFinalized])
        throw finalized();
    return new Hash(this, options);
};

function transform(chunk, encoding, callback) {
    update(this[kHandle], bytesFor(chunk, encoding, 'data'));
    callback();
}

function flush(callback) {
    this.push(this.digest());
    callback();
}

Hash.prototype._transform = transform;
Hash.prototype._flush = flush;

Hash.prototype.update = function (data, encoding) {
    if (this[kState][kFinalized])
        throw finalized();
    if (!update(this[kHandle], bytesFor(data, encoding, 'data')))
        throw coded(Error, 'ERR_CRYPTO_HASH_UPDATE_FAILED', 'Hash update failed');
    return this;
};

Hash.prototype.digest = function (encoding) {
    if (this[kState][kFinalized])
        throw finalized();
    const bytes = Buffer.from(finish(this[kHandle]));
    this[kState][kFinalized] = true;
    return result(bytes, encoding);
};

// ---- Hmac ----

function Hmac(hmac, key, options) {
    if (!new.target)
        return new Hmac(hmac, key, options);
    if (typeof hmac !== 'string')
        throw invalidArgType('hmac', 'of type string', hmac);
    const secret = require('crypto/keys').secretBytes(key, options?.encoding);
    const handle = open(hmac, secret);
    if (handle === undefined)
        throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${hmac}`);
    this[kHandle] = Object.setPrototypeOf(handle, shownAs.hmac);
    this[kState] = { [kFinalized]: false };
    LazyTransform.call(this, options);
    return this;
}
Object.setPrototypeOf(Hmac.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hmac, LazyTransform);

Hmac.prototype.update = Hash.prototype.update;
Hmac.prototype.digest = function (encoding) {
    const bytes = this[kState][kFinalized] ? Buffer.alloc(0)
        : Buffer.from(finish(this[kHandle]));
    this[kState][kFinalized] = true;
    return result(bytes, encoding);
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
    update(handle, bytesFor(input, 'utf8', 'input'));
    return result(Buffer.from(finish(handle)), outputEncoding);
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
    createHash: (algorithm, options) => new Hash(algorithm, options),
    createHmac: (hmac, key, options) => new Hmac(hmac, key, options) };
