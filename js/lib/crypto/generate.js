// SPDX-License-Identifier: MIT
// generate -- new keys and pairs of keys (js/crypto/generate.c).
'use strict';

const { checkFunction, checkInteger, checkObject, coded, invalidArgType, invalidArgValue,
    plainly } = require('core/errors');
const { checkInt32, checkOneOf, checkString, checkUint32, isBytes, perform,
    viewOf } = require('crypto/arguments');
const { privateEncoding, privateKey, publicEncoding, publicKey, secretKey,
    writeKey } = require('crypto/keys');

const { generate, isCipher, isCurve, isDigest, isGroup } = native;

// ---- pairs ----

// How the keys of a pair are returned: undefined is a KeyObject.
function encodingsOf(type, options = {}) {
    const { publicKeyEncoding, privateKeyEncoding } = options;
    const found = [];
    for (const [name, value, parse] of [['publicKeyEncoding', publicKeyEncoding, publicEncoding],
        ['privateKeyEncoding', privateKeyEncoding, privateEncoding]]) {
        if (value != null && typeof value !== 'object')
            throw invalidArgValue(`options.${name}`, value);
        found.push(value == null ? undefined : parse(value, type, name));
    }
    return found;
}

const pair = (name, other) => coded(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR',
    `Option "${name}" cannot be used in combination with option "${other}"`);

function digestOf(options, name, old, what) {
    const value = options[name], older = options[old];
    if (value !== undefined)
        checkString(value, `options.${name}`);
    if (older !== undefined) {
        process.emitWarning(`"options.${old}" is deprecated, use "options.${name}" instead.`,
            'DeprecationWarning', 'DEP0154');
        checkString(older, `options.${old}`);
        if (value && older !== value)
            throw invalidArgValue(`options.${old}`, older);
    }
    const digest = value || older;
    if (digest !== undefined && !isDigest(digest))
        throw plainly(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid ${what}: ${digest}`);
    return digest;
}

// The arguments of C: name, mask digest, three numbers, prime.
const parameters = {
    __proto__: null,
    rsa(options) {
        const { modulusLength, publicExponent } = options;
        checkUint32(modulusLength, 'options.modulusLength');
        if (publicExponent != null)
            checkUint32(publicExponent, 'options.publicExponent');
        return [undefined, undefined, modulusLength, publicExponent ?? 0x10001, -1];
    },
    'rsa-pss'(options) {
        const found = parameters.rsa(options), { saltLength } = options;
        if (saltLength !== undefined)
            checkInt32(saltLength, 'options.saltLength', 0);
        const digest = digestOf(options, 'hashAlgorithm', 'hash', 'digest');
        const mask = digestOf(options, 'mgf1HashAlgorithm', 'mgf1Hash', 'MGF1 digest');
        return [digest, mask, found[2], found[3], saltLength ?? -1];
    },
    dsa({ modulusLength, divisorLength }) {
        checkUint32(modulusLength, 'options.modulusLength');
        if (divisorLength != null)
            checkInt32(divisorLength, 'options.divisorLength', 0);
        return [undefined, undefined, modulusLength, divisorLength ?? -1, 0];
    },
    ec({ namedCurve, paramEncoding }) {
        checkString(namedCurve, 'options.namedCurve');
        if (paramEncoding != null && paramEncoding !== 'named' && paramEncoding !== 'explicit')
            throw invalidArgValue('options.paramEncoding', paramEncoding);
        if (!isCurve(namedCurve))
            throw plainly(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
        return [namedCurve, undefined, paramEncoding === 'explicit' ? 0 : 1, 0, 0];
    },
    dh({ group, primeLength, prime, generator }) {
        if (group != null) {
            for (const [name, value] of Object.entries({ prime, primeLength, generator }))
                if (value != null)
                    throw pair('group', name);
            checkString(group, 'options.group');
            if (!isGroup(group))
                throw plainly(Error, 'ERR_CRYPTO_UNKNOWN_DH_GROUP', 'Unknown DH group');
            return [group, undefined, 0, 2, 0];
        }
        if (prime != null) {
            if (primeLength != null)
                throw pair('prime', 'primeLength');
            if (!isBytes(prime))
                throw invalidArgType('options.prime',
                    'an instance of Buffer, TypedArray, or DataView', prime);
        } else if (primeLength != null) {
            checkInt32(primeLength, 'options.primeLength', 0);
        } else {
            throw coded(TypeError, 'ERR_MISSING_OPTION',
                'At least one of the group, prime, or primeLength options is required');
        }
        if (generator != null)
            checkInt32(generator, 'options.generator', 0);
        return [undefined, undefined, primeLength ?? 0, generator ?? 2, 0,
            prime == null ? undefined : viewOf(prime)];
    },
};
const plain = ['ed25519', 'ed448', 'x25519', 'x448'];

// Begin a generation; `convert` gets [public, private].
function begin(type, options, convert, callback) {
    checkString(type, 'type');
    const encodings = encodingsOf(type, options);
    if (options !== undefined)
        checkObject(options, 'options');
    if (!(type in parameters) && !plain.includes(type))
        throw invalidArgValue('type', type, 'must be a supported key type');
    if (type in parameters)
        checkObject(options, 'options');
    const found = type in parameters ? parameters[type](options)
        : [undefined, undefined, 0, 0, 0];
    if (found.length < 6)
        found.push(undefined);
    const cipher = encodings[1]?.cipher;
    if (cipher != null && !isCipher(cipher))
        throw plainly(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
    return perform(generate, [type, ...found], ([open, hidden]) => convert(
        encodings[0] === undefined ? publicKey(open) : writeKey(open, encodings[0]),
        encodings[1] === undefined ? privateKey(hidden) : writeKey(hidden, encodings[1])), callback);
}

function generateKeyPair(type, options, callback) {
    if (typeof options === 'function') {
        callback = options;
        options = undefined;
    }
    checkFunction(callback, 'callback');
    begin(type, options, (open, hidden) => [open, hidden],
        (error, keys) => error ? callback(error) : callback(null, ...keys));
}

Object.defineProperty(generateKeyPair, Symbol.for('nodejs.util.promisify.custom'), {
    value: (type, options) => new Promise((resolve, reject) =>
        generateKeyPair(type, options, (error, publicKey, privateKey) =>
            error ? reject(error) : resolve({ publicKey, privateKey }))),
});

const generateKeyPairSync = (type, options) =>
    begin(type, options, (publicKey, privateKey) => ({ publicKey, privateKey }));

// ---- secret keys ----

function makeKey(type, options) {
    checkString(type, 'type');
    checkObject(options, 'options');
    const { length } = options;
    if (type === 'hmac')
        checkInteger(length, 'options.length', 8, 2 ** 31 - 1);
    else if (type === 'aes')
        checkOneOf(length, 'options.length', [128, 192, 256]);
    else
        throw invalidArgValue('type', type, 'must be a supported key type');
    return secretKey(require('crypto/crypto').randomBytes(Math.floor(length / 8)));
}

// The kernel answers at once.
function generateKey(type, options, callback) {
    if (typeof options === 'function') {
        callback = options;
        options = undefined;
    }
    checkFunction(callback, 'callback');
    require('timers/timers').setImmediate(callback, null, makeKey(type, options));
}

const generateKeySync = (type, options) => makeKey(type, options);

module.exports = { generateKey, generateKeyPair, generateKeyPairSync, generateKeySync };
