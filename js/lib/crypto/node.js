// SPDX-License-Identifier: MIT
// node -- the module crypto.
//
// Digests are streams, so their file is loaded when one is made.
'use strict';

const { addFunctions } = require('program/absent');

module.exports = {
    createHash: (algorithm, options) => require('crypto/hash').createHash(algorithm, options),
    createHmac: (hmac, key, options) => require('crypto/hash').createHmac(hmac, key, options),
    getHashes: () => require('crypto/hash').getHashes(),
    hash: (...args) => require('crypto/hash').hash(...args),
    ...require('crypto/crypto'),
};
for (const name of ['Hash', 'Hmac'])
    Object.defineProperty(module.exports, name,
        { get: () => require('crypto/hash')[name], enumerable: true, configurable: true });
for (const name of ['hkdf', 'hkdfSync', 'pbkdf2', 'pbkdf2Sync', 'scrypt', 'scryptSync'])
    Object.defineProperty(module.exports, name, { enumerable: true, configurable: true,
        get: () => require('crypto/derive')[name],
        set(value) {
            Object.defineProperty(module.exports, name, { value, writable: true,
                enumerable: true, configurable: true });
        } });
addFunctions(module.exports, 'crypto', 'checkPrime checkPrimeSync createCipheriv ' +
    'createDecipheriv createDiffieHellman createDiffieHellmanGroup createECDH createPrivateKey ' +
    'createPublicKey createSecretKey createSign createVerify diffieHellman generatePrime ' +
    'generatePrimeSync getCiphers getCipherInfo getCurves getDiffieHellman ' +
    'generateKeyPair generateKeyPairSync generateKey generateKeySync privateDecrypt ' +
    'privateEncrypt publicDecrypt publicEncrypt sign setEngine getFips setFips ' +
    'verify Certificate Cipher Cipheriv Decipher Decipheriv DiffieHellman DiffieHellmanGroup ' +
    'ECDH KeyObject Sign Verify X509Certificate secureHeapUsed');
