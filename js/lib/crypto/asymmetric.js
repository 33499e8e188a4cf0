// SPDX-License-Identifier: MIT
// asymmetric -- encryption with RSA, and diffieHellman() (js/crypto/asymmetric.c).
'use strict';

const { Buffer } = require('bytes/buffer');
const { checkObject, coded, invalidArgValue, plainly } = require('core/errors');
const { bytesOf, checkString, invalidKeyType } = require('crypto/arguments');
const { KeyObject, kHandle, privateHandle, publicHandle } = require('crypto/keys');

const { agree, encrypt } = native;
const ENCRYPT = 0, DECRYPT = 1, SIGN = 2, RECOVER = 3;
const PKCS1_PADDING = 1, OAEP_PADDING = 4;

function rsa(method, preset, handleOf) {
    return (key, buffer) => {
        const handle = handleOf(key), padding = key.padding || preset;
        const { oaepHash, oaepLabel, encoding } = key;
        if (oaepHash !== undefined)
            checkString(oaepHash, 'key.oaepHash');
        const label = oaepLabel === undefined ? undefined
            : bytesOf(oaepLabel, 'key.oaepLabel', encoding);
        const bytes = bytesOf(buffer, 'buffer', encoding);
        // A padding that this OpenSSL cannot check in constant time.
        if (method === DECRYPT && padding === PKCS1_PADDING)
            throw plainly(TypeError, 'ERR_INVALID_ARG_VALUE', 'RSA_PKCS1_PADDING is no longer ' +
                'supported for private decryption, this can be reverted with ' +
                '--security-revert=CVE-2023-46809');
        return Buffer.from(encrypt(method, handle, bytes, padding, oaepHash, label));
    };
}

function diffieHellman(options) {
    checkObject(options, 'options');
    const { privateKey, publicKey } = options;
    if (!(privateKey instanceof KeyObject))
        throw invalidArgValue('options.privateKey', privateKey);
    if (!(publicKey instanceof KeyObject))
        throw invalidArgValue('options.publicKey', publicKey);
    if (privateKey.type !== 'private')
        throw invalidKeyType(privateKey.type, 'private');
    if (publicKey.type === 'secret')
        throw invalidKeyType(publicKey.type, 'private or public');
    const own = privateKey.asymmetricKeyType, theirs = publicKey.asymmetricKeyType;
    if (own !== theirs || !/^(dh|ec|x448|x25519)$/.test(own))
        throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY',
            `Incompatible key types for Diffie-Hellman: ${own} and ${theirs}`);
    return Buffer.from(agree(privateKey[kHandle], publicKey[kHandle]));
}

module.exports = { agree, diffieHellman, encrypt,
    publicEncrypt: rsa(ENCRYPT, OAEP_PADDING, publicHandle),
    publicDecrypt: rsa(RECOVER, PKCS1_PADDING, publicHandle),
    privateEncrypt: rsa(SIGN, PKCS1_PADDING, privateHandle),
    privateDecrypt: rsa(DECRYPT, OAEP_PADDING, privateHandle) };
