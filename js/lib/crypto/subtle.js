// SPDX-License-Identifier: MIT
// subtle -- SubtleCrypto of the Web Cryptography API.
//
// Everything that may take long runs on the pool.  The errors are Node's: arguments
// that do not convert are TypeErrors, everything else is a DOMException.
'use strict';

const { aes, digests, fail, failed, montgomery, normalize } = require('crypto/algorithms');
const { viewOf } = require('crypto/arguments');
const { exportKey, generateKey, importKey } = require('crypto/imports');
const { kHandle, kKeyObject } = require('crypto/keys');
const idl = require('crypto/webidl');
const { coded, outOfRange } = require('core/errors');

const handleOf = (key) => key[kKeyObject][kHandle];

// Run one of C's operations on the pool.
const onPool = (operation, ...args) => new Promise((resolve, reject) => {
    try {
        operation(...args, resolve, (error) => reject(failed(error)));
    } catch (error) {
        reject(failed(error));
    }
});

// ---- encryption ----

const tagLengths = [32, 64, 96, 104, 112, 120, 128];

function checkSize(bytes, name, size) {
    if (bytes.byteLength !== size)
        throw fail(`${name} must contain exactly ${size} bytes`, 'OperationError');
}

const whole = (name, isDecryption, key, data, iv, tagSize, additional, bits) =>
    onPool(require('crypto/whole').cipher, name, isDecryption, handleOf(key), data, iv, tagSize,
        additional, bits);

const ciphers = {
    __proto__: null,
    'AES-CBC'(isDecryption, key, data, { iv }) {
        checkSize(iv, 'algorithm.iv', 16);
        return whole(`AES-${key.algorithm.length}-CBC`, isDecryption, key, data, iv, 0, undefined, 0);
    },
    'AES-CTR'(isDecryption, key, data, { counter, length }) {
        checkSize(counter, 'algorithm.counter', 16);
        if (length === 0 || length > 128)
            throw fail('AES-CTR algorithm.length must be between 1 and 128', 'OperationError');
        return whole(`AES-${key.algorithm.length}-CTR`, isDecryption, key, data, counter, 0,
            undefined, length);
    },
    'AES-GCM'(isDecryption, key, data, { iv, additionalData, tagLength = 128 }) {
        if (!tagLengths.includes(tagLength))
            throw fail(`${tagLength} is not a valid AES-GCM tag length`, 'OperationError');
        if (isDecryption && data.byteLength < tagLength / 8)
            throw fail('The provided data is too small.', 'OperationError');
        return whole(`AES-${key.algorithm.length}-GCM`, isDecryption, key, data, iv, tagLength / 8,
            additionalData, 0);
    },
    'AES-KW'(isDecryption, key, data) {
        return whole(`AES-${key.algorithm.length}-WRAP`, isDecryption, key, data, undefined, 0,
            undefined, 0);
    },
    'RSA-OAEP'(isDecryption, key, data, { label }) {
        if (key.type !== (isDecryption ? 'private' : 'public'))
            throw fail('The requested operation is not valid for the provided key',
                'InvalidAccessError');
        return onPool(require('crypto/asymmetric').encrypt, isDecryption ? 1 : 0, handleOf(key),
            data, 4, digests[key.algorithm.hash.name].node, label);
    },
};

function encryptOrWrap(isDecryption, algorithm, key, data, usage) {
    if (key.algorithm.name !== algorithm.name || !key.usages.includes(usage))
        throw fail('The requested operation is not valid for the provided key',
            'InvalidAccessError');
    return ciphers[algorithm.name](isDecryption, key, viewOf(data), algorithm);
}

// ---- signatures ----

function checkType(key, isVerification) {
    const type = isVerification ? 'public' : 'private';
    if (key.type !== type)
        throw fail(`Key must be a ${type} key`, 'InvalidAccessError');
}

const signer = (key, digest, data, padding, salt, isP1363, signature) =>
    onPool(require('crypto/sign').run, handleOf(key), digest, data, false, padding, salt, isP1363,
        signature);

// The greatest salt that fits.
function checkSalt(salt, { modulusLength, hash }) {
    const most = Math.ceil((modulusLength - 1) / 8) - digests[hash.name].size - 2;
    if (salt > most)
        throw failed(outOfRange('algorithm.saltLength', `>= 0 && <= ${most}`, salt));
}

const PSS_PADDING = 6;

async function hmac(key, data, given) {
    const signature = given?.slice(); // the program may change it meanwhile
    const made = await onPool(require('crypto/whole').digest,
        digests[key.algorithm.hash.name].node, handleOf(key), data);
    return signature === undefined ? made : made.byteLength === signature.byteLength &&
        require('crypto/crypto').timingSafeEqual(new Uint8Array(made), signature);
}

const signers = {
    __proto__: null,
    'RSASSA-PKCS1-v1_5': (key, data, algorithm, signature) => signer(key,
        digests[key.algorithm.hash.name].node, data, undefined, undefined, false, signature),
    'RSA-PSS'(key, data, { saltLength }, signature) {
        checkSalt(saltLength, key.algorithm);
        return signer(key, digests[key.algorithm.hash.name].node, data, PSS_PADDING, saltLength,
            false, signature);
    },
    'ECDSA': (key, data, { hash }, signature) => signer(key, digests[hash.name].node, data,
        undefined, undefined, true, signature),
    'Ed25519': (key, data, algorithm, signature) => signer(key, undefined, data, undefined,
        undefined, false, signature),
    'Ed448'(key, data, { context }, signature) {
        if (context?.byteLength)
            throw fail('Non zero-length context is not yet supported.', 'NotSupportedError');
        return signers.Ed25519(key, data, undefined, signature);
    },
};

function signOrVerify(algorithm, key, data, signature) {
    const usage = signature === undefined ? 'sign' : 'verify';
    const found = normalize(algorithm, usage), { name } = found;
    if (!key.usages.includes(usage) || name !== key.algorithm.name)
        throw fail(`Unable to use this key to ${usage}`, 'InvalidAccessError');
    const bytes = viewOf(data), given = signature === undefined ? undefined : viewOf(signature);
    if (name === 'HMAC')
        return hmac(key, bytes, given);
    checkType(key, signature !== undefined);
    return signers[name](key, bytes, found, given);
}

// ---- derivation ----

// The first bits; the rest of the last byte is 0.
function firstBits(bytes, length) {
    if (length === null)
        return bytes;
    const size = Math.ceil(length / 8);
    if (bytes.byteLength < size)
        throw fail('derived bit length is too small', 'OperationError');
    const first = new Uint8Array(bytes.slice(0, size));
    if (length % 8 !== 0)
        first[size - 1] &= 0xff << 8 - length % 8;
    return first.buffer;
}

async function agree({ public: theirs }, own, length) {
    if (theirs.type !== 'public')
        throw fail('algorithm.public must be a public key', 'InvalidAccessError');
    if (own.type !== 'private')
        throw fail('baseKey must be a private key', 'InvalidAccessError');
    const { name, namedCurve } = theirs.algorithm;
    if (name !== 'ECDH' && !montgomery.includes(name))
        throw fail('Keys must be ECDH, X25519, or X448 keys', 'InvalidAccessError');
    if (name !== own.algorithm.name)
        throw fail('The public and private keys must be of the same type', 'InvalidAccessError');
    if (namedCurve !== own.algorithm.namedCurve)
        throw fail('Named curve mismatch', 'InvalidAccessError');
    return firstBits(await onPool(require('crypto/asymmetric').agree, handleOf(own),
        handleOf(theirs)), length);
}

async function stretch(algorithm, key, length) {
    const { name, hash, salt, info, iterations } = algorithm;
    if (name === 'PBKDF2' && iterations === 0)
        throw fail('iterations cannot be zero', 'OperationError');
    if (length === 0)
        return new ArrayBuffer(0);
    if (length === null)
        throw fail('length cannot be null', 'OperationError');
    if (length % 8 !== 0)
        throw fail('length must be a multiple of 8', 'OperationError');
    const { hkdf, pbkdf2 } = require('crypto/derive'), digest = digests[hash.name].node;
    return new Promise((resolve, reject) => {
        const done = (error, bytes) => error ? reject(failed(error))
            : resolve(ArrayBuffer.isView(bytes) ? bytes.buffer : bytes);
        try {
            if (name === 'HKDF')
                hkdf(digest, key[kKeyObject], salt, info, length / 8, done);
            else
                pbkdf2(key[kKeyObject].export(), salt, iterations, length / 8, digest, done);
        } catch (error) {
            done(error);
        }
    });
}

function derive(algorithm, key, length) {
    return algorithm.name === 'HKDF' || algorithm.name === 'PBKDF2'
        ? stretch(algorithm, key, length) : agree(algorithm, key, length);
}

function checkBase(key, algorithm, usage) {
    if (!key.usages.includes(usage))
        throw fail(`baseKey does not have ${usage} usage`, 'InvalidAccessError');
    if (key.algorithm.name !== algorithm.name)
        throw fail('Key algorithm mismatch', 'InvalidAccessError');
}

// In bits; null: as many as there are.
function keyLength({ name, length, hash }) {
    if (aes.includes(name)) {
        if (![128, 192, 256].includes(length))
            throw fail('Invalid key length', 'OperationError');
        return length;
    }
    if (name !== 'HMAC')
        return null;
    if (length === 0)
        throw fail('Invalid key length', 'OperationError');
    return length ?? digests[hash.name].block;
}

// ---- wrapping ----

// The algorithms that wrap keys are those that encrypt, and one more.
function normalizeWrapping(algorithm, operation, other) {
    try {
        return normalize(algorithm, operation);
    } catch {
        return normalize(algorithm, other);
    }
}

// JSON, padded with spaces where an algorithm takes whole blocks only.
function jsonBytes(jwk, name) {
    const text = JSON.stringify(jwk);
    const size = name === 'AES-KW' ? Math.ceil(text.length / 8) * 8 : text.length;
    return new TextEncoder().encode(text.padEnd(size));
}

function parseJson(bytes) {
    try {
        return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
        throw fail('Invalid wrapped JWK key', 'DataError');
    }
}

// ---- the class ----

const allowed = Symbol('allowed');

class SubtleCrypto {
    #isOne = true;

    constructor(key) {
        if (key !== allowed)
            throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }

    static check(value) {
        if (typeof value !== 'object' || value === null || !(#isOne in value))
            throw coded(TypeError, 'ERR_INVALID_THIS',
                'Value of "this" must be of type SubtleCrypto');
    }

    async encrypt(algorithm, key, data) {
        check(this);
        [algorithm, key, data] = idl.convert('encrypt', arguments, 3,
            [idl.algorithm, idl.key, idl.bytes]);
        return encryptOrWrap(false, normalize(algorithm, 'encrypt'), key, data, 'encrypt');
    }

    async decrypt(algorithm, key, data) {
        check(this);
        [algorithm, key, data] = idl.convert('decrypt', arguments, 3,
            [idl.algorithm, idl.key, idl.bytes]);
        return encryptOrWrap(true, normalize(algorithm, 'decrypt'), key, data, 'decrypt');
    }

    async sign(algorithm, key, data) {
        check(this);
        [algorithm, key, data] = idl.convert('sign', arguments, 3,
            [idl.algorithm, idl.key, idl.bytes]);
        return signOrVerify(algorithm, key, data);
    }

    async verify(algorithm, key, signature, data) {
        check(this);
        [algorithm, key, signature, data] = idl.convert('verify', arguments, 4,
            [idl.algorithm, idl.key, idl.bytes, idl.bytes]);
        return signOrVerify(algorithm, key, data, signature);
    }

    async digest(algorithm, data) {
        check(this);
        [algorithm, data] = idl.convert('digest', arguments, 2, [idl.algorithm, idl.bytes]);
        const { name } = normalize(algorithm, 'digest');
        return onPool(require('crypto/whole').digest, digests[name].node, undefined, viewOf(data));
    }

    async generateKey(algorithm, extractable, keyUsages) {
        check(this);
        [algorithm, extractable, keyUsages] = idl.convert('generateKey', arguments, 3,
            [idl.algorithm, idl.boolean, idl.usages]);
        return generateKey(normalize(algorithm, 'generateKey'), extractable, keyUsages);
    }

    async deriveKey(algorithm, baseKey, derivedKeyAlgorithm, extractable, keyUsages) {
        check(this);
        [algorithm, baseKey, derivedKeyAlgorithm, extractable, keyUsages] = idl.convert('deriveKey',
            arguments, 5, [idl.algorithm, idl.key, idl.algorithm, idl.boolean, idl.usages]);
        const found = normalize(algorithm, 'deriveBits');
        const wanted = normalize(derivedKeyAlgorithm, 'importKey');
        checkBase(baseKey, found, 'deriveKey');
        const length = keyLength(normalize(derivedKeyAlgorithm, 'get key length'));
        const bits = await derive(found, baseKey, length);
        return importKey('raw', bits, wanted, extractable, keyUsages);
    }

    async deriveBits(algorithm, baseKey, length = null) {
        check(this);
        [algorithm, baseKey] = idl.convert('deriveBits', arguments, 2, [idl.algorithm, idl.key]);
        if (length !== null)
            length = idl.unsignedLong(length, { context: '3rd argument',
                prefix: "Failed to execute 'deriveBits' on 'SubtleCrypto'" });
        const found = normalize(algorithm, 'deriveBits');
        checkBase(baseKey, found, 'deriveBits');
        return derive(found, baseKey, length);
    }

    async importKey(format, keyData, algorithm, extractable, keyUsages) {
        check(this);
        const data = `${format}` === 'jwk' ? idl.jwk : idl.bytes;
        [format, keyData, algorithm, extractable, keyUsages] = idl.convert('importKey', arguments,
            4, [idl.format, data, idl.algorithm, idl.boolean, idl.usages]);
        return importKey(format, keyData, normalize(algorithm, 'importKey'), extractable, keyUsages);
    }

    async exportKey(format, key) {
        check(this);
        [format, key] = idl.convert('exportKey', arguments, 2, [idl.format, idl.key]);
        return exportKey(format, key);
    }

    async wrapKey(format, key, wrappingKey, algorithm) {
        check(this);
        [format, key, wrappingKey, algorithm] = idl.convert('wrapKey', arguments, 4,
            [idl.format, idl.key, idl.key, idl.algorithm]);
        const found = normalizeWrapping(algorithm, 'wrapKey', 'encrypt');
        const data = exportKey(format, key);
        return encryptOrWrap(false, found, wrappingKey,
            format === 'jwk' ? jsonBytes(data, found.name) : data, 'wrapKey');
    }

    async unwrapKey(format, wrappedKey, unwrappingKey, unwrapAlgo, unwrappedKeyAlgo, extractable,
        keyUsages) {
        check(this);
        [format, wrappedKey, unwrappingKey, unwrapAlgo, unwrappedKeyAlgo, extractable, keyUsages] =
            idl.convert('unwrapKey', arguments, 7, [idl.format, idl.bytes, idl.key, idl.algorithm,
                idl.algorithm, idl.boolean, idl.usages]);
        const found = normalizeWrapping(unwrapAlgo, 'unwrapKey', 'decrypt');
        const data = await encryptOrWrap(true, found, unwrappingKey, wrappedKey, 'unwrapKey');
        return this.importKey(format, format === 'jwk' ? parseJson(data) : data, unwrappedKeyAlgo,
            extractable, keyUsages);
    }
}

const { check } = SubtleCrypto;
delete SubtleCrypto.check;
for (const key of Object.getOwnPropertyNames(SubtleCrypto.prototype))
    if (key !== 'constructor')
        Object.defineProperty(SubtleCrypto.prototype, key, { enumerable: true });
Object.defineProperty(SubtleCrypto.prototype, Symbol.toStringTag,
    { value: 'SubtleCrypto', configurable: true });
Object.defineProperty(SubtleCrypto, 'length', { value: 0, configurable: true });

module.exports = { SubtleCrypto, subtle: new SubtleCrypto(allowed) };
