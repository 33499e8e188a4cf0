// SPDX-License-Identifier: MIT
// cipher -- symmetric ciphers, as objects that are fed in pieces and as streams
// (js/crypto/cipher.c).
'use strict';

const { Buffer } = require('bytes/buffer');
const { checkObject, coded, invalidArgType, invalidArgValue,
    unknownEncoding } = require('core/errors');
const { bytesOf, checkInt32, checkString, pieceOf } = require('crypto/arguments');
const LazyTransform = require('crypto/lazy');
const { secretBytes } = require('crypto/keys');

const { finish, getTag, info, names, open, passwordKey, setData, setPadding, setTag,
    update } = native;
const kHandle = Symbol('kHandle');

// ---- options ----

function uintOf(options, key) {
    const value = options ? options[key] : undefined;
    if (value == null)
        return -1;
    if (value >>> 0 !== value)
        throw invalidArgValue(`options.${key}`, value);
    return value;
}

function textOf(options, key) {
    const value = options ? options[key] : undefined;
    if (value != null)
        checkString(value, `options.${key}`);
    return value;
}

const invalidState = (name) => coded(Error, 'ERR_CRYPTO_INVALID_STATE',
    `Invalid state for operation ${name}`);

// ---- beginning ----

function begin(cipher, name, isDecryption, key, iv, options) {
    cipher[kHandle] = open(name, isDecryption, key, iv, uintOf(options, 'authTagLength'));
    cipher._decoder = null;
    LazyTransform.call(cipher, options);
}

function beginWithIv(cipher, name, isDecryption, key, iv, options) {
    checkString(name, 'cipher');
    const bytes = secretBytes(key, textOf(options, 'encoding'));
    begin(cipher, name, isDecryption, bytes, iv === null ? null : bytesOf(iv, 'iv'), options);
}

// The key and the IV come from a password, in the way of OpenSSL 0.9: deprecated.
function beginWithPassword(cipher, name, isDecryption, password, options) {
    checkString(name, 'cipher');
    const bytes = bytesOf(password, 'password');
    const [key, iv] = passwordKey(name, bytes);
    begin(cipher, name, isDecryption, key, iv, options);
}

// ---- pieces ----

// The text of output whose characters may be cut between pieces.
function textIn(cipher, encoding, method, bytes) {
    if (!Buffer.isEncoding(encoding))
        throw unknownEncoding(encoding);
    const { StringDecoder } = require('bytes/stringdecoder');
    const decoder = new StringDecoder(encoding);
    cipher._decoder ??= decoder;
    if (cipher._decoder.encoding !== decoder.encoding)
        throw coded(Error, 'ERR_INTERNAL_ASSERTION', 'Cannot change encoding');
    return cipher._decoder[method](bytes);
}

const output = (cipher, encoding, method, bytes) => encoding && encoding !== 'buffer'
    ? textIn(cipher, encoding, method, bytes) : bytes;

const methods = {
    _transform(chunk, encoding, callback) {
        this.push(Buffer.from(update(this[kHandle], pieceOf(chunk, encoding))));
        callback();
    },

    _flush(callback) {
        try {
            this.push(Buffer.from(finish(this[kHandle])));
        } catch (error) {
            callback(error);
            return;
        }
        callback();
    },

    update(data, inputEncoding, outputEncoding) {
        const bytes = Buffer.from(update(this[kHandle], pieceOf(data, inputEncoding)));
        return output(this, outputEncoding, 'write', bytes);
    },

    final(outputEncoding) {
        return output(this, outputEncoding, 'end', Buffer.from(finish(this[kHandle])));
    },

    setAutoPadding(ap) {
        if (!setPadding(this[kHandle], !!ap))
            throw invalidState('setAutoPadding');
        return this;
    },

    setAAD(aadbuf, options) {
        const encoding = textOf(options, 'encoding');
        const size = uintOf(options, 'plaintextLength');
        if (!setData(this[kHandle], bytesOf(aadbuf, 'aadbuf', encoding), size))
            throw invalidState('setAAD');
        return this;
    },
};

function getAuthTag() {
    const tag = getTag(this[kHandle]);
    if (tag === undefined)
        throw invalidState('getAuthTag');
    return Buffer.from(tag);
}

function setAuthTag(tagbuf, encoding) {
    if (!setTag(this[kHandle], bytesOf(tagbuf, 'buffer', encoding)))
        throw invalidState('setAuthTag');
    return this;
}

// ---- classes ----

function Cipheriv(cipher, key, iv, options) {
    if (!(this instanceof Cipheriv))
        return new Cipheriv(cipher, key, iv, options);
    beginWithIv(this, cipher, false, key, iv, options);
    return this;
}

function Decipheriv(cipher, key, iv, options) {
    if (!(this instanceof Decipheriv))
        return new Decipheriv(cipher, key, iv, options);
    beginWithIv(this, cipher, true, key, iv, options);
    return this;
}

function Cipher(cipher, password, options) {
    if (!(this instanceof Cipher))
        return new Cipher(cipher, password, options);
    beginWithPassword(this, cipher, false, password, options);
    return this;
}

function Decipher(cipher, password, options) {
    if (!(this instanceof Decipher))
        return new Decipher(cipher, password, options);
    beginWithPassword(this, cipher, true, password, options);
    return this;
}

for (const [Class, more] of [[Cipheriv, { getAuthTag }], [Cipher, { getAuthTag }],
    [Decipheriv, { setAuthTag }], [Decipher, { setAuthTag }]]) {
    Object.setPrototypeOf(Class.prototype, LazyTransform.prototype);
    Object.setPrototypeOf(Class, LazyTransform);
    Object.assign(Class.prototype, methods, more);
}

// ---- lists ----

let known;
const getCiphers = () => [...known ??= [...new Set(names())]];

function getCipherInfo(nameOrNid, options) {
    if (typeof nameOrNid !== 'string' && typeof nameOrNid !== 'number')
        throw invalidArgType('nameOrNid', 'one of type string or number', nameOrNid);
    if (typeof nameOrNid === 'number')
        checkInt32(nameOrNid, 'nameOrNid');
    if (options !== undefined)
        checkObject(options, 'options');
    const { keyLength, ivLength } = options ?? {};
    if (keyLength !== undefined)
        checkInt32(keyLength, 'options.keyLength');
    if (ivLength !== undefined)
        checkInt32(ivLength, 'options.ivLength');
    const found = info(nameOrNid, keyLength ?? -1, ivLength ?? -1);
    if (found !== undefined)
        found.name = found.name.toLowerCase();
    return found;
}

module.exports = { Cipher, Cipheriv, Decipher, Decipheriv, getCipherInfo, getCiphers,
    createCipheriv: (cipher, key, iv, options) => new Cipheriv(cipher, key, iv, options),
    createDecipheriv: (cipher, key, iv, options) => new Decipheriv(cipher, key, iv, options),
    createCipher: (cipher, password, options) => new Cipher(cipher, password, options),
    createDecipher: (cipher, password, options) => new Decipher(cipher, password, options) };
