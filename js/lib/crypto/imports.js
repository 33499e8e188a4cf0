// SPDX-License-Identifier: MIT
// imports -- importKey, exportKey and generateKey of crypto.subtle: CryptoKeys of each
// algorithm.
'use strict';

const { Buffer } = require('bytes/buffer');
const { isAnyBuffer, viewOf } = require('crypto/arguments');
const { aes, algOf, digests, ec, edwards, fail, failed, montgomery, rsa } =
    require('crypto/algorithms');
const jwks = require('crypto/jwk');
const { createPrivateKey, createPublicKey, cryptoKey, details, kHandle, kKeyObject, native: keys,
    privateKey, publicKey, secretKey } = require('crypto/keys');
const { generateKeyPair } = require('crypto/generate');
const { invalidArgValue, outOfRange } = require('core/errors');

const curveNames = { 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };
const article = { ECDSA: 'an', ECDH: 'an', HMAC: 'an' };

// ---- usages ----

// [of the public key, of the private key]
function usagesOf(name) {
    if (name === 'RSA-OAEP')
        return [['encrypt', 'wrapKey'], ['decrypt', 'unwrapKey']];
    if (name === 'ECDH' || montgomery.includes(name))
        return [[], ['deriveKey', 'deriveBits']];
    return [['verify'], ['sign']];
}

const secretUsages = (name) => name === 'HMAC' ? ['sign', 'verify']
    : name === 'AES-KW' ? ['wrapKey', 'unwrapKey']
        : ['wrapKey', 'unwrapKey', 'encrypt', 'decrypt'];

function checkUsages(usages, allowed, what) {
    if (usages.some((usage) => !allowed.includes(usage)))
        throw fail(`Unsupported key usage for ${what} key`, 'SyntaxError');
}

const both = (usages, allowed) => allowed.filter((usage) => usages.includes(usage));

// ---- JWK ----

function checkOperations(operations, usages) {
    if (operations === undefined)
        return;
    const known = new Set(['sign', 'verify', 'encrypt', 'decrypt', 'wrapKey', 'unwrapKey',
        'deriveKey', 'deriveBits']);
    const seen = new Set();
    for (const operation of operations) {
        if (known.has(operation) && seen.has(operation))
            throw fail('Duplicate key operation', 'DataError');
        seen.add(operation);
    }
    if (usages.some((usage) => !operations.includes(usage)))
        throw fail('Key operations and usage mismatch', 'DataError');
}

function checkKty(jwk, kty) {
    if (!jwk.kty)
        throw fail('Invalid keyData', 'DataError');
    if (jwk.kty !== kty)
        throw fail('Invalid JWK "kty" Parameter', 'DataError');
}

function checkJwk(jwk, use, extractable, usages) {
    if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use)
        throw fail('Invalid JWK "use" Parameter', 'DataError');
    checkOperations(jwk.key_ops, usages);
    if (jwk.ext === false && extractable)
        throw fail('JWK "ext" Parameter and extractable mismatch', 'DataError');
}

const wrongAlg = () => fail('JWK "alg" does not match the requested algorithm', 'DataError');

// ---- importing ----

const invalid = (cause) => fail('Invalid keyData', 'DataError', cause);

// Run what reads a key; whatever it throws means that the data is wrong.
function readKey(read) {
    let found;
    try {
        found = read();
    } catch (error) {
        throw invalid(error);
    }
    if (found === undefined)
        throw invalid();
    return found;
}

// A public key as SPKI, or a private one as PKCS#8.
function readDer(type, data, name, usages, what) {
    const [open, hidden] = usagesOf(name), isPublic = type === 'spki';
    checkUsages(usages, isPublic ? open : hidden, what);
    const create = isPublic ? createPublicKey : createPrivateKey;
    return readKey(() => create({ key: viewOf(data), format: 'der', type }));
}

const wrapped = (handle, isPrivate) => isPrivate ? privateKey(handle) : publicKey(handle);

function importRsa(format, data, { name, hash }, extractable, usages) {
    const [open, hidden] = usagesOf(name), what = `an ${name}`;
    let key;
    switch (format) {
    case 'spki':
    case 'pkcs8':
        key = readDer(format, data, name, usages, what);
        break;
    case 'jwk': {
        checkKty(data, 'RSA');
        const isPrivate = data.d !== undefined;
        checkUsages(usages, isPrivate ? hidden : open, what);
        checkJwk(data, name === 'RSA-OAEP' ? 'enc' : 'sig', extractable, usages);
        // As in Node, only the digest of "alg" counts.
        if (data.alg !== undefined && !rsa.some((one) => algOf(one, hash.name) === data.alg))
            throw wrongAlg();
        key = wrapped(readKey(() => jwks.readRsa(data)), isPrivate);
        break;
    }
    default:
        throw fail(`Unable to import RSA key with format ${format}`, 'NotSupportedError');
    }
    if (key.asymmetricKeyType !== 'rsa')
        throw fail('Invalid key type', 'DataError');
    const { modulusLength, publicExponent } = details(key[kHandle]);
    return cryptoKey(key, { name, modulusLength, publicExponent: new Uint8Array(publicExponent),
        hash }, usages, extractable);
}

const ecAlgs = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

function importEc(format, data, { name, namedCurve }, extractable, usages) {
    if (!(namedCurve in curveNames))
        throw fail('Unrecognized namedCurve', 'NotSupportedError');
    const [open, hidden] = usagesOf(name), what = `a ${name}`;
    let key;
    switch (format) {
    case 'spki':
    case 'pkcs8':
        key = readDer(format, data, name, usages, what);
        break;
    case 'jwk': {
        checkKty(data, 'EC');
        if (data.crv !== namedCurve)
            throw fail('JWK "crv" does not match the requested algorithm', 'DataError');
        const isPrivate = data.d !== undefined;
        checkUsages(usages, isPrivate ? hidden : open, what);
        checkJwk(data, name === 'ECDH' ? 'enc' : 'sig', extractable, usages);
        if (name === 'ECDSA' && data.alg !== undefined && ecAlgs[data.alg] !== namedCurve)
            throw wrongAlg();
        key = wrapped(readKey(() => jwks.readEc(data)), isPrivate);
        break;
    }
    default:
        checkUsages(usages, open, what);
        key = publicKey(readKey(() =>
            keys.makeEc(curveNames[namedCurve], viewOf(data), undefined)));
    }
    if (key.asymmetricKeyType !== 'ec')
        throw fail('Invalid key type', 'DataError');
    if (!keys.isGood(key[kHandle]))
        throw invalid();
    if (key.asymmetricKeyDetails.namedCurve !== curveNames[namedCurve])
        throw fail('Named curve mismatch', 'DataError');
    return cryptoKey(key, { name, namedCurve }, usages, extractable);
}

function rawKey(name, data, isPrivate) {
    const bytes = viewOf(data), size = jwks.rawSizes[name];
    if (bytes.length !== size)
        throw fail(`${name} raw keys must be exactly ${size}-bytes`, 'DataError');
    const handle = keys.makeRaw(name, bytes, isPrivate);
    if (handle === undefined)
        throw invalid();
    return wrapped(handle, isPrivate);
}

// A private JWK of these curves must have the public key, and the right one.
function readOkp(name, jwk) {
    const open = rawKey(name, jwks.decode(jwk.x), false);
    if (jwk.d === undefined)
        return open;
    const hidden = rawKey(name, jwks.decode(jwk.d), true);
    if (!createPublicKey(hidden).equals(open))
        throw jwks.invalid();
    return hidden;
}

function importOkp(format, data, { name }, extractable, usages) {
    const [open, hidden] = usagesOf(name), what = `a ${name}`;
    let key;
    switch (format) {
    case 'spki':
    case 'pkcs8':
        key = readDer(format, data, name, usages, what);
        break;
    case 'jwk':
        checkKty(data, 'OKP');
        if (data.crv !== name)
            throw fail('JWK "crv" Parameter and algorithm name mismatch', 'DataError');
        checkJwk(data, edwards.includes(name) ? 'sig' : 'enc', extractable, usages);
        if (data.alg !== undefined && edwards.includes(name) && data.alg !== name &&
            data.alg !== 'EdDSA')
            throw wrongAlg();
        if (data.d !== undefined && typeof data.x !== 'string')
            throw fail('Invalid JWK', 'DataError');
        checkUsages(usages, data.d === undefined ? open : hidden, what);
        key = readKey(() => readOkp(name, data));
        break;
    default:
        checkUsages(usages, open, what);
        key = rawKey(name, data, false);
    }
    if (key.asymmetricKeyType !== name.toLowerCase())
        throw fail('Invalid key type', 'DataError');
    return cryptoKey(key, { name }, usages, extractable);
}

function checkAesLength(length) {
    if (![128, 192, 256].includes(length))
        throw fail('Invalid key length', 'DataError');
}

const aesAlg = (name, length) => `A${length}${name.slice(4)}`;

function secretOfJwk(jwk) {
    if (typeof jwk.k !== 'string')
        throw invalid(jwks.invalid());
    return jwks.decode(jwk.k);
}

function importAes(format, data, { name }, extractable, usages) {
    checkUsages(usages, secretUsages(name), 'an AES');
    let bytes;
    if (format === 'raw') {
        bytes = viewOf(data);
        checkAesLength(bytes.length * 8);
    } else if (format === 'jwk') {
        checkKty(data, 'oct');
        checkJwk(data, 'enc', extractable, usages);
        bytes = secretOfJwk(data);
        checkAesLength(bytes.length * 8);
        if (data.alg !== undefined && data.alg !== aesAlg(name, bytes.length * 8))
            throw wrongAlg();
    } else {
        throw fail(`Unable to import AES key with format ${format}`, 'NotSupportedError');
    }
    return cryptoKey(secretKey(bytes), { name, length: bytes.length * 8 }, usages, extractable);
}

function importHmac(format, data, { hash, length }, extractable, usages) {
    checkUsages(usages, secretUsages('HMAC'), 'an HMAC');
    let bytes;
    if (format === 'raw') {
        bytes = viewOf(data);
        if (bytes.length === 0 || length === 0)
            throw fail('Zero-length key is not supported', 'DataError');
        if (length !== undefined && length !== bytes.length * 8)
            throw fail('Invalid key length', 'DataError');
    } else if (format === 'jwk') {
        checkKty(data, 'oct');
        checkJwk(data, 'sig', extractable, usages);
        if (data.alg !== undefined && data.alg !== algOf('HMAC', hash.name))
            throw wrongAlg();
        bytes = secretOfJwk(data);
    } else {
        throw fail(`Unable to import HMAC key with format ${format}`);
    }
    return cryptoKey(secretKey(bytes), { name: 'HMAC', hash, length: bytes.length * 8 }, usages,
        extractable);
}

function importSecret(format, data, { name }, extractable, usages) {
    if (extractable)
        throw fail(`${name} keys are not extractable`, 'SyntaxError');
    checkUsages(usages, ['deriveKey', 'deriveBits'], `a ${name}`);
    if (format !== 'raw')
        throw fail(`Unable to import ${name} key with format ${format}`, 'NotSupportedError');
    return cryptoKey(secretKey(viewOf(data)), { name }, usages, false);
}

const importers = { __proto__: null, HMAC: importHmac, HKDF: importSecret, PBKDF2: importSecret };
for (const [names, importer] of [[rsa, importRsa], [ec, importEc], [aes, importAes],
    [[...edwards, ...montgomery], importOkp]])
    for (const name of names)
        importers[name] = importer;

function importKey(format, data, algorithm, extractable, usages) {
    const key = importers[algorithm.name](format, data, algorithm, extractable, usages);
    if (key.type !== 'public' && key.usages.length === 0)
        throw fail(`Usages cannot be empty when importing a ${key.type} key.`, 'SyntaxError');
    return key;
}

// ---- exporting ----

const isSecret = (name) => name === 'HMAC' || aes.includes(name);
const exact = (buffer) => isAnyBuffer(buffer) ? buffer
    : buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);

function exportRaw(key, name, type) {
    const object = key[kKeyObject];
    if (isSecret(name))
        return exact(object.export());
    if (type !== 'public' || rsa.includes(name) || name === 'HKDF' || name === 'PBKDF2')
        throw fail(`Unable to export a raw ${name} ${type} key`, 'InvalidAccessError');
    return ec.includes(name) ? keys.point(object[kHandle]) : keys.parts(object[kHandle])[0];
}

function exportDer(key, format, name, type) {
    const wanted = format === 'spki' ? 'public' : 'private';
    if (type !== wanted)
        throw fail(`Unable to export a ${format === 'spki' ? 'raw' : format} ${name} ${type} key`,
            'InvalidAccessError');
    return exact(key[kKeyObject].export({ format: 'der', type: format }));
}

function exportJwk(key, name) {
    const { hash, length, namedCurve } = key.algorithm;
    const jwk = { key_ops: key.usages, ext: key.extractable,
        ...key[kKeyObject].export({ format: 'jwk' }) };
    if (rsa.includes(name) || name === 'HMAC')
        jwk.alg = algOf(name, hash.name);
    else if (aes.includes(name))
        jwk.alg = aesAlg(name, length);
    else if (edwards.includes(name))
        jwk.alg = name;
    else if (ec.includes(name))
        jwk.crv ||= namedCurve;
    return jwk;
}

function exportKey(format, key) {
    if (!key.extractable)
        throw fail('key is not extractable', 'InvalidAccessException');
    const { name } = key.algorithm, { type } = key;
    if (format === 'jwk')
        return exportJwk(key, name);
    return format === 'raw' ? exportRaw(key, name, type) : exportDer(key, format, name, type);
}

// ---- generating ----

function generatePair(kind, options, algorithm, extractable, usages) {
    const [open, hidden] = usagesOf(algorithm.name);
    return new Promise((resolve, reject) => generateKeyPair(kind, options, (error, first, second) =>
        error ? reject(failed(error)) : resolve({ __proto__: null,
            publicKey: cryptoKey(first, algorithm, both(usages, open), true),
            privateKey: cryptoKey(second, algorithm, both(usages, hidden), extractable) })));
}

// A number that fits in 32 bits; undefined if it does not.
function exponentOf(bytes) {
    const text = Buffer.from(bytes).toString('hex').replace(/^0+/, '');
    return text.length > 8 ? undefined : parseInt(text || '0', 16);
}

function generateRsa({ name, modulusLength, publicExponent, hash }, extractable, usages) {
    const exponent = exponentOf(publicExponent);
    if (exponent === undefined)
        throw fail('The publicExponent must be equivalent to an unsigned 32-bit value',
            'OperationError');
    checkUsages(usages, usagesOf(name).flat(), 'a RSA');
    return generatePair('rsa', { modulusLength, publicExponent: exponent },
        { name, modulusLength, publicExponent, hash: { name: hash.name } }, extractable, usages);
}

function generateEc({ name, namedCurve }, extractable, usages) {
    if (!(namedCurve in curveNames))
        throw fail('Unrecognized namedCurve', 'NotSupportedError');
    checkUsages(usages, usagesOf(name).flat(), `${article[name]} ${name}`);
    return generatePair('ec', { namedCurve }, { name, namedCurve }, extractable, usages);
}

function generateOkp({ name }, extractable, usages) {
    checkUsages(usages, usagesOf(name).flat(), `an ${name}`);
    return generatePair(name.toLowerCase(), undefined, { name }, extractable, usages);
}

const unique = (usages) => [...new Set(usages)];
const randomKey = (bits) =>
    secretKey(require('crypto/crypto').randomBytes(Math.floor(bits / 8)));

function generateAes({ name, length }, extractable, usages) {
    if (![128, 192, 256].includes(length))
        throw fail('AES key length must be 128, 192, or 256 bits', 'OperationError');
    checkUsages(usages, secretUsages(name), 'an AES');
    return cryptoKey(randomKey(length), { name, length }, unique(usages), extractable);
}

function generateHmac({ name, hash, length = digests[hash.name].block }, extractable, usages) {
    if (length % 8 !== 0)
        throw invalidArgValue('algorithm.length', length, 'must be a multiple of 8');
    checkUsages(usages, secretUsages(name), 'an HMAC');
    if (length < 8)
        throw failed(outOfRange('options.length', `>= 8 && <= ${2 ** 31 - 1}`, length));
    return cryptoKey(randomKey(length), { name, length, hash: { name: hash.name } },
        unique(usages), extractable);
}

const generators = { __proto__: null, HMAC: generateHmac };
for (const [names, generator] of [[rsa, generateRsa], [ec, generateEc], [aes, generateAes],
    [[...edwards, ...montgomery], generateOkp]])
    for (const name of names)
        generators[name] = generator;

async function generateKey(algorithm, extractable, usages) {
    const result = await generators[algorithm.name](algorithm, extractable, usages);
    const { usages: given } = result.privateKey ?? result;
    if (given.length === 0)
        throw fail('Usages cannot be empty when creating a key.', 'SyntaxError');
    return result;
}

module.exports = { exportKey, generateKey, importKey };
