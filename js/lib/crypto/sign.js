// SPDX-License-Identifier: MIT
// sign -- signatures, of data that comes in pieces or at once (js/crypto/sign.c).
'use strict';

const { Buffer } = require('bytes/buffer');
const { Writable } = require('stream/stream');
const { checkFunction, coded, invalidArgType, invalidArgValue, plainly } = require('core/errors');
const { bytesOf, checkString, encoded, perform, pieceOf, viewOf } = require('crypto/arguments');
const { native: keys, privateHandle, publicHandle } = require('crypto/keys');
const { pieces } = require('crypto/hash');

const { sign: run } = native;
const PSS_PADDING = 6, SALT_MAX = -2;
const kHandle = Symbol('kHandle'), kDigest = Symbol('digest');

// ---- options ----

function integerOf(options, name) {
    const value = options[name];
    if (value !== undefined && value !== value >> 0)
        throw invalidArgValue(`options.${name}`, value);
    return value;
}

// [padding, salt, is P1363]
function optionsOf(options) {
    const padding = integerOf(options, 'padding');
    let salt = integerOf(options, 'saltLength');
    if (options.padding === PSS_PADDING && salt === undefined)
        salt = SALT_MAX;
    const encoding = typeof options === 'object' ? options.dsaEncoding ?? 'der' : 'der';
    if (encoding !== 'der' && encoding !== 'ieee-p1363')
        throw invalidArgValue('options.dsaEncoding', encoding);
    return [padding, salt, encoding === 'ieee-p1363'];
}

const keyRequired = () => coded(Error, 'ERR_CRYPTO_SIGN_KEY_REQUIRED',
    'No key provided to sign');

// ---- in pieces ----

const finished = () => plainly(Error, 'ERR_CRYPTO_INVALID_STATE', 'Not initialised');

function begin(signer, algorithm, options) {
    checkString(algorithm, 'algorithm');
    const handle = pieces.open(algorithm, undefined);
    if (handle === undefined)
        throw plainly(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', 'Invalid digest');
    signer[kHandle] = handle;
    signer[kDigest] = algorithm;
    Writable.call(signer, options);
}

// The digest of all pieces, once.
function digestOf(signer) {
    const handle = signer[kHandle];
    if (handle === undefined)
        throw finished();
    signer[kHandle] = undefined;
    return pieces.finish(handle);
}

// Keys that sign only whole messages.
function checkKind(key) {
    if (/^ed/.test(keys.kindOf(key)))
        throw plainly(Error, 'ERR_CRYPTO_UNSUPPORTED_OPERATION', 'Unsupported crypto operation');
    return key;
}

function Sign(algorithm, options) {
    if (!(this instanceof Sign))
        return new Sign(algorithm, options);
    begin(this, algorithm, options);
    return this;
}
Object.setPrototypeOf(Sign.prototype, Writable.prototype);
Object.setPrototypeOf(Sign, Writable);

Sign.prototype._write = function (chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
};

Sign.prototype.update = function (data, encoding) {
    const piece = pieceOf(data, encoding);
    if (this[kHandle] === undefined)
        throw finished();
    pieces.update(this[kHandle], piece);
    return this;
};

Sign.prototype.sign = function (options, encoding) {
    if (!options)
        throw keyRequired();
    const key = privateHandle(options), found = optionsOf(options);
    const digest = digestOf(this);
    return encoded(run(checkKind(key), this[kDigest], digest, true, ...found), encoding);
};

function Verify(algorithm, options) {
    if (!(this instanceof Verify))
        return new Verify(algorithm, options);
    begin(this, algorithm, options);
    return this;
}
Object.setPrototypeOf(Verify.prototype, Writable.prototype);
Object.setPrototypeOf(Verify, Writable);

Verify.prototype._write = Sign.prototype._write;
Verify.prototype.update = Sign.prototype.update;

Verify.prototype.verify = function (options, signature, encoding) {
    const key = publicHandle(options), found = optionsOf(options);
    const bytes = bytesOf(signature, 'signature', encoding);
    const digest = digestOf(this);
    return run(checkKind(key), this[kDigest], digest, true, ...found, bytes);
};

// ---- at once ----

const same = (value) => value;

function checkArguments(algorithm, data, callback) {
    if (algorithm != null)
        checkString(algorithm, 'algorithm');
    if (callback !== undefined)
        checkFunction(callback, 'callback');
    return bytesOf(data, 'data');
}

function sign(algorithm, data, key, callback) {
    const bytes = checkArguments(algorithm, data, callback);
    if (!key)
        throw keyRequired();
    const found = optionsOf(key);
    return perform(run, [privateHandle(key), algorithm, bytes, false, ...found, undefined],
        Buffer.from, callback);
}

function verify(algorithm, data, key, signature, callback) {
    const bytes = checkArguments(algorithm, data, callback);
    const found = optionsOf(key);
    if (!ArrayBuffer.isView(signature))
        throw invalidArgType('signature', 'an instance of Buffer, TypedArray, or DataView',
            signature);
    return perform(run, [publicHandle(key), algorithm, bytes, false, ...found,
        viewOf(signature)], same, callback);
}

module.exports = { Sign, Verify, run, sign, verify,
    createSign: (algorithm, options) => new Sign(algorithm, options),
    createVerify: (algorithm, options) => new Verify(algorithm, options) };
