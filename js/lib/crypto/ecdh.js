// SPDX-License-Identifier: MIT
// ecdh -- the class ECDH (js/crypto/ecdh.c).
'use strict';

const { coded } = require('core/errors');
const { bytesOf, checkString, encoded } = require('crypto/arguments');

const { convert, curves, generate, open, privateKey, publicKey, secret, setPrivate,
    setPublic } = native;
const kHandle = Symbol('kHandle');
const forms = { __proto__: null, compressed: 2, uncompressed: 4, hybrid: 6 };

function formOf(format) {
    if (format && !(format in forms))
        throw coded(TypeError, 'ERR_CRYPTO_ECDH_INVALID_FORMAT', `Invalid ECDH format: ${format}`);
    return forms[format || 'uncompressed'];
}

function ECDH(curve) {
    if (!(this instanceof ECDH))
        return new ECDH(curve);
    checkString(curve, 'curve');
    this[kHandle] = open(curve);
    return this;
}

Object.assign(ECDH.prototype, {
    computeSecret(key, inEnc, outEnc) {
        const bytes = secret(this[kHandle], bytesOf(key, 'key', inEnc));
        if (bytes === undefined)
            throw coded(Error, 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY',
                'Public key is not valid for specified curve');
        return encoded(bytes, outEnc);
    },
    setPrivateKey(key, encoding) {
        setPrivate(this[kHandle], bytesOf(key, 'key', encoding));
        return this;
    },
    setPublicKey(key, encoding) {
        setPublic(this[kHandle], bytesOf(key, 'key', encoding));
        return this;
    },
    getPrivateKey(encoding) {
        return encoded(privateKey(this[kHandle]), encoding);
    },
    generateKeys(encoding, format) {
        generate(this[kHandle]);
        return this.getPublicKey(encoding, format);
    },
    getPublicKey(encoding, format) {
        const form = formOf(format);
        return encoded(publicKey(this[kHandle], form), encoding);
    },
});

ECDH.convertKey = function (key, curve, inEnc, outEnc, format) {
    checkString(curve, 'curve');
    const bytes = bytesOf(key, 'key', inEnc);
    return encoded(convert(bytes, curve, formOf(format)), outEnc);
};

let known;
const getCurves = () => [...known ??= curves().sort()];

module.exports = { ECDH, getCurves, createECDH: (curve) => new ECDH(curve) };
