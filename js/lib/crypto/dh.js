// SPDX-License-Identifier: MIT
// dh -- DiffieHellman and DiffieHellmanGroup (js/crypto/dh.c).
'use strict';

const { Buffer } = require('bytes/buffer');
const { invalidArgType, plainly } = require('core/errors');
const { bytesOf, checkInt32, encoded, isBytes, viewOf } = require('crypto/arguments');

const { generate, numbers, search, secret, setKey, use, useGroup, verifyError } = native;
const kHandle = Symbol('kHandle');
const PRIME = 0, GENERATOR = 1, PUBLIC = 2, PRIVATE = 3;
const EXPECTED = 'one of type number or string or an instance of ArrayBuffer, Buffer, ' +
    'TypedArray, or DataView';

const toBytes = (value, encoding) => typeof value === 'string'
    ? Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding) : viewOf(value);

function adopt(object, handle) {
    Object.defineProperty(object, kHandle, { value: handle });
    Object.defineProperty(object, 'verifyError',
        { value: verifyError(handle), enumerable: true });
}

function DiffieHellman(sizeOrKey, keyEncoding, generator, genEncoding) {
    if (!(this instanceof DiffieHellman))
        return new DiffieHellman(sizeOrKey, keyEncoding, generator, genEncoding);
    if (typeof sizeOrKey !== 'number' && typeof sizeOrKey !== 'string' && !isBytes(sizeOrKey))
        throw invalidArgType('sizeOrKey', EXPECTED, sizeOrKey);
    if (typeof sizeOrKey === 'number')
        checkInt32(sizeOrKey, 'sizeOrKey');
    if (keyEncoding && !Buffer.isEncoding(keyEncoding) && keyEncoding !== 'buffer')
        [keyEncoding, generator, genEncoding] = [undefined, keyEncoding, generator];
    if (!generator)
        generator = 2;
    else if (typeof generator === 'number')
        checkInt32(generator, 'generator');
    else if (typeof generator !== 'string' && !isBytes(generator))
        throw invalidArgType('generator', EXPECTED, generator);
    else
        generator = toBytes(generator, genEncoding);
    if (typeof sizeOrKey === 'number' && typeof generator !== 'number')
        throw new Error('Initialization failed');
    adopt(this, typeof sizeOrKey === 'number' ? search(sizeOrKey, generator)
        : use(toBytes(sizeOrKey, keyEncoding || undefined), generator));
    return this;
}

function DiffieHellmanGroup(name) {
    if (!(this instanceof DiffieHellmanGroup))
        return new DiffieHellmanGroup(name);
    const handle = useGroup(name);
    if (handle === undefined)
        throw plainly(Error, 'ERR_CRYPTO_UNKNOWN_DH_GROUP', 'Unknown DH group');
    adopt(this, handle);
    return this;
}

function part(object, index, name, encoding) {
    const bytes = numbers(object[kHandle])[index];
    if (bytes === undefined)
        throw plainly(Error, 'ERR_CRYPTO_INVALID_STATE',
            `No ${name} - did you forget to generate one?`);
    return encoded(bytes, encoding);
}

const methods = {
    generateKeys(encoding) {
        generate(this[kHandle]);
        return part(this, PUBLIC, 'public key', encoding);
    },
    computeSecret(key, inEnc, outEnc) {
        return encoded(secret(this[kHandle], bytesOf(key, 'key', inEnc)), outEnc);
    },
    getPrime(encoding) {
        return part(this, PRIME, 'prime', encoding);
    },
    getGenerator(encoding) {
        return part(this, GENERATOR, 'generator', encoding);
    },
    getPublicKey(encoding) {
        return part(this, PUBLIC, 'public key', encoding);
    },
    getPrivateKey(encoding) {
        return part(this, PRIVATE, 'private key', encoding);
    },
};
Object.assign(DiffieHellmanGroup.prototype, methods);
Object.assign(DiffieHellman.prototype, methods, {
    setPublicKey(key, encoding) {
        setKey(this[kHandle], bytesOf(key, 'key', encoding), false);
        return this;
    },
    setPrivateKey(key, encoding) {
        setKey(this[kHandle], bytesOf(key, 'key', encoding), true);
        return this;
    },
});

const createDiffieHellmanGroup = (name) => new DiffieHellmanGroup(name);

module.exports = { DiffieHellman, DiffieHellmanGroup, createDiffieHellmanGroup,
    getDiffieHellman: createDiffieHellmanGroup,
    createDiffieHellman: (...args) => new DiffieHellman(...args) };
