// SPDX-License-Identifier: MIT
// algorithms -- the algorithms of crypto.subtle by name: the parameters that each
// operation takes, and names of digests in other standards.
'use strict';

const { viewOf } = require('crypto/arguments');
const { converters } = require('crypto/webidl');

function fail(text, name, cause) {
    const error = new DOMException(text, name);
    if (cause !== undefined)
        Object.defineProperty(error, 'cause', { value: cause, writable: true, configurable: true });
    return error;
}
const failed = (cause) => fail('The operation failed for an operation-specific reason',
    'OperationError', cause);

// ---- tables ----

const each = (names, params) => Object.fromEntries(names.map((name) => [name, params]));
const rsa = ['RSASSA-PKCS1-v1_5', 'RSA-PSS', 'RSA-OAEP'];
const aes = ['AES-CTR', 'AES-CBC', 'AES-GCM', 'AES-KW'];
const ec = ['ECDSA', 'ECDH'];
const edwards = ['Ed25519', 'Ed448'], montgomery = ['X25519', 'X448'];
const signing = { 'RSASSA-PKCS1-v1_5': null, 'RSA-PSS': 'RsaPssParams', 'ECDSA': 'EcdsaParams',
    'HMAC': null, 'Ed25519': null, 'Ed448': 'Ed448Params' };
const encryption = { 'RSA-OAEP': 'RsaOaepParams', 'AES-CBC': 'AesCbcParams',
    'AES-GCM': 'AesGcmParams', 'AES-CTR': 'AesCtrParams' };

// Operation, name, and the dictionary of its parameters.
const supported = {
    digest: each(['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'], null),
    generateKey: { ...each(rsa, 'RsaHashedKeyGenParams'), ...each(ec, 'EcKeyGenParams'),
        ...each(aes, 'AesKeyGenParams'), HMAC: 'HmacKeyGenParams',
        ...each([...edwards, ...montgomery], null) },
    sign: signing, verify: signing,
    importKey: { ...each(rsa, 'RsaHashedImportParams'), ...each(ec, 'EcKeyImportParams'),
        HMAC: 'HmacImportParams', ...each(['HKDF', 'PBKDF2', ...aes, ...edwards, ...montgomery],
            null) },
    deriveBits: { HKDF: 'HkdfParams', PBKDF2: 'Pbkdf2Params',
        ...each(['ECDH', ...montgomery], 'EcdhKeyDeriveParams') },
    encrypt: encryption, decrypt: encryption,
    'get key length': { ...each(aes, 'AesDerivedKeyParams'), HMAC: 'HmacImportParams',
        ...each(['HKDF', 'PBKDF2'], null) },
    wrapKey: { 'AES-KW': null }, unwrapKey: { 'AES-KW': null },
};

const where = { prefix: 'Failed to normalize algorithm', context: 'passed algorithm' };

// An algorithm with its parameters, of which those that are bytes are copies.
function normalize(algorithm, operation) {
    if (typeof algorithm === 'string')
        return normalize({ name: algorithm }, operation);
    const { name } = converters.Algorithm(algorithm, where);
    const table = supported[operation], wanted = name.toUpperCase();
    const key = Object.keys(table).find((one) => one.toUpperCase() === wanted);
    if (key === undefined)
        throw fail('Unrecognized algorithm name', 'NotSupportedError');
    if (table[key] === null)
        return { name: key };
    const made = converters[table[key]](algorithm, where);
    made.name = key;
    for (const member of ['iv', 'additionalData', 'salt', 'info', 'context', 'label', 'counter'])
        if (made[member] !== undefined)
            made[member] = viewOf(made[member]).slice();
    if (made.hash !== undefined)
        made.hash = normalize(made.hash, 'digest');
    return made;
}

// ---- digests ----

const digests = {
    'SHA-1': { node: 'sha1', size: 20, block: 512, oaep: 'RSA-OAEP' },
    'SHA-256': { node: 'sha256', size: 32, block: 512, oaep: 'RSA-OAEP-256' },
    'SHA-384': { node: 'sha384', size: 48, block: 1024, oaep: 'RSA-OAEP-384' },
    'SHA-512': { node: 'sha512', size: 64, block: 1024, oaep: 'RSA-OAEP-512' },
};

const prefixes = { 'RSASSA-PKCS1-v1_5': 'RS', 'RSA-PSS': 'PS', 'HMAC': 'HS' };

// The "alg" of a JWK
const algOf = (name, hash) => name === 'RSA-OAEP' ? digests[hash].oaep
    : `${prefixes[name]}${hash.slice(4)}`;

module.exports = { aes, algOf, digests, ec, edwards, fail, failed, montgomery, normalize, rsa };
