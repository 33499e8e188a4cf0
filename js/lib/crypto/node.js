// SPDX-License-Identifier: MIT
// node -- the module crypto.
//
// Most programs use one part of it.  So each of the others is loaded when one of its
// names is first read.
'use strict';

const { coded } = require('core/errors');

const parts = {
    __proto__: null,
    'crypto/prime': 'checkPrime checkPrimeSync generatePrime generatePrimeSync',
    'crypto/cipher': 'createCipheriv createDecipheriv getCiphers getCipherInfo Cipher Cipheriv ' +
        'Decipher Decipheriv',
    'crypto/dh': 'createDiffieHellman createDiffieHellmanGroup getDiffieHellman DiffieHellman ' +
        'DiffieHellmanGroup',
    'crypto/ecdh': 'createECDH getCurves ECDH',
    'crypto/hash': 'createHash createHmac getHashes hash Hash Hmac',
    'crypto/keys': 'createPrivateKey createPublicKey createSecretKey KeyObject',
    'crypto/sign': 'createSign createVerify sign verify Sign Verify',
    'crypto/asymmetric': 'diffieHellman privateDecrypt privateEncrypt publicDecrypt publicEncrypt',
    'crypto/derive': 'hkdf hkdfSync pbkdf2 pbkdf2Sync scrypt scryptSync',
    'crypto/generate': 'generateKeyPair generateKeyPairSync generateKey generateKeySync',
    'net/x509': 'X509Certificate Certificate',
};

module.exports = { ...require('crypto/crypto'), getFips, setFips, setEngine, secureHeapUsed };

function define(name, isEnumerable, get) {
    Object.defineProperty(module.exports, name, { enumerable: isEnumerable, configurable: true, get,
        set(value) {
            Object.defineProperty(module.exports, name, { value, writable: true,
                enumerable: isEnumerable, configurable: true });
        } });
}

for (const lib of Object.keys(parts))
    for (const name of parts[lib].split(' '))
        define(name, true, () => require(lib)[name]);
for (const name of ['prng', 'pseudoRandomBytes', 'rng'])
    define(name, false, () => module.exports.randomBytes);
for (const name of ['createCipher', 'createDecipher'])
    define(name, false, () => deprecated[name] ??= require('util/util').deprecate(
        require('crypto/cipher')[name], `crypto.${name} is deprecated.`, 'DEP0106'));
const deprecated = {};

Object.defineProperties(module.exports, {
    constants: { enumerable: true, get: () => require('crypto/constants') },
    subtle: { enumerable: true, get: () => module.exports.webcrypto.subtle },
    fips: { get: getFips, set: setFips },
});

// ---- what OpenSSL has here, and what it has not ----

function getFips() {
    return 0;
}

// The provider of FIPS is not part of Debian's OpenSSL.
function setFips(value) {
    if (value)
        throw coded(Error, 'ERR_CRYPTO_FIPS_UNAVAILABLE', 'Cannot set FIPS mode in a non-FIPS build.');
}

// Engines are a mechanism of OpenSSL 1; weir loads none.
function setEngine(id, flags) {
    if (typeof id !== 'string')
        throw require('core/errors').invalidArgType('id', 'of type string', id);
    if (flags && typeof flags !== 'number')
        throw require('core/errors').invalidArgType('flags', 'of type number', flags);
    throw coded(Error, 'ERR_CRYPTO_ENGINE_UNKNOWN', `Engine "${id}" was not found`);
}

// There is no secure heap: keys are overwritten when they are freed.
function secureHeapUsed() {
    return { total: 0, used: 0, utilization: 0, min: 0 };
}
