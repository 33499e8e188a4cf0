// SPDX-License-Identifier: MIT
// prime -- generatePrime and checkPrime (js/crypto/prime.c).
'use strict';

const { Buffer } = require('bytes/buffer');
const { checkFunction, checkObject, invalidArgType, outOfRange } = require('core/errors');
const { checkBoolean, checkInt32, isBytes, perform, viewOf } = require('crypto/arguments');

const { check, search } = native;

function numberBytes(value, name) {
    if (typeof value === 'bigint') {
        if (value < 0n)
            throw outOfRange(name, '>= 0', value);
        const text = value.toString(16);
        return Buffer.from(text.padStart(text.length + text.length % 2, '0'), 'hex');
    }
    if (!isBytes(value))
        throw invalidArgType(name, 'of type bigint or an instance of ArrayBuffer, TypedArray, ' +
            'Buffer, or DataView', value);
    return viewOf(value);
}

const toBigInt = (bytes) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const same = (value) => value;

function generate(size, options, callback) {
    checkObject(options, 'options');
    const { safe = false, bigint = false, add, rem } = options;
    checkBoolean(safe, 'options.safe');
    checkBoolean(bigint, 'options.bigint');
    const args = [size, safe, add === undefined ? undefined : numberBytes(add, 'options.add'),
        rem === undefined ? undefined : numberBytes(rem, 'options.rem')];
    return perform(search, args, bigint ? toBigInt : same, callback);
}

function generatePrime(size, options, callback) {
    checkInt32(size, 'size', 1);
    if (typeof options === 'function') {
        callback = options;
        options = {};
    }
    checkFunction(callback, 'callback');
    generate(size, options, (error, prime) => error ? callback(error) : callback(undefined, prime));
}

function generatePrimeSync(size, options = {}) {
    checkInt32(size, 'size', 1);
    return generate(size, options);
}

// OpenSSL knows best how many rounds a size needs; it does not take fewer.
function checkOptions(options) {
    checkObject(options, 'options');
    checkInt32(options.checks ?? 0, 'options.checks', 0);
}

function checkPrime(candidate, options = {}, callback = undefined) {
    const bytes = numberBytes(candidate, 'candidate');
    if (typeof options === 'function') {
        callback = options;
        options = {};
    }
    checkFunction(callback, 'callback');
    checkOptions(options);
    perform(check, [bytes], same, (error, isPrime) => error ? callback(error)
        : callback(undefined, isPrime));
}

function checkPrimeSync(candidate, options = {}) {
    const bytes = numberBytes(candidate, 'candidate');
    checkOptions(options);
    return check(bytes);
}

module.exports = { checkPrime, checkPrimeSync, generatePrime, generatePrimeSync };
