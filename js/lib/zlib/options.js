// SPDX-License-Identifier: MIT
// zlib/options -- the options of streams and calls, checked as Node checks them.
'use strict';

const { Buffer, kMaxLength } = require('bytes/buffer');
const { modes, constants } = require('zlib/constants');
const { coded, invalidArgType, outOfRange } = require('core/errors');
const { classOf } = require('util/kinds');

const isAnyBuffer = (value) => typeof value === 'object' && value !== null &&
    /^(Shared)?ArrayBuffer$/.test(classOf(value));

// Whether a number was given; NaN counts as none.
function isGiven(value, name) {
    if (value === undefined || Number.isNaN(value))
        return false;
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!Number.isFinite(value))
        throw outOfRange(name, 'a finite number', value);
    return true;
}

function inRange(value, name, least, most, preset) {
    if (!isGiven(value, name))
        return preset;
    if (value < least || value > most)
        throw outOfRange(name, `>= ${least} and <= ${most}`, value);
    return value;
}

// ---- what all kinds have ----

const zlibFlush = { most: constants.Z_BLOCK, flush: constants.Z_NO_FLUSH,
    finishFlush: constants.Z_FINISH, fullFlush: constants.Z_FULL_FLUSH };
// Brotli and zstd have the same numbers.
const otherFlush = { most: constants.BROTLI_OPERATION_EMIT_METADATA,
    flush: constants.BROTLI_OPERATION_PROCESS, finishFlush: constants.BROTLI_OPERATION_FINISH,
    fullFlush: constants.BROTLI_OPERATION_FLUSH };
const zstdFlush = { ...otherFlush, most: constants.ZSTD_e_end };

function ofStream(options, flushes) {
    const { most, flush, finishFlush, fullFlush } = flushes;
    if (!options)
        return { chunkSize: constants.Z_DEFAULT_CHUNK, flush, finishFlush, fullFlush,
            maxOutputLength: kMaxLength, info: undefined };
    let { chunkSize } = options;
    if (!isGiven(chunkSize, 'options.chunkSize'))
        chunkSize = constants.Z_DEFAULT_CHUNK;
    else if (chunkSize < constants.Z_MIN_CHUNK)
        throw outOfRange('options.chunkSize', `>= ${constants.Z_MIN_CHUNK}`, chunkSize);
    return { chunkSize, fullFlush,
        flush: inRange(options.flush, 'options.flush', 0, most, flush),
        finishFlush: inRange(options.finishFlush, 'options.finishFlush', 0, most, finishFlush),
        maxOutputLength: inRange(options.maxOutputLength, 'options.maxOutputLength', 1,
            kMaxLength, kMaxLength),
        info: options.info };
}

function dictionaryOf(options) {
    const { dictionary } = options;
    if (dictionary === undefined || ArrayBuffer.isView(dictionary))
        return dictionary === undefined ? undefined : new Uint8Array(dictionary.buffer,
            dictionary.byteOffset, dictionary.byteLength);
    if (isAnyBuffer(dictionary))
        return new Uint8Array(dictionary);
    throw invalidArgType('options.dictionary',
        'an instance of Buffer, TypedArray, DataView, or ArrayBuffer', dictionary);
}

// ---- each kind ----

// When decoding, 0 stands for the size that the data's header gives.
function windowBits(mode, options) {
    const isDecoding = mode === modes.INFLATE || mode === modes.GUNZIP || mode === modes.UNZIP;
    if (isDecoding && (options.windowBits == null || options.windowBits === 0))
        return 0;
    return inRange(options.windowBits, 'options.windowBits',
        constants.Z_MIN_WINDOWBITS + (mode === modes.GZIP ? 1 : 0), constants.Z_MAX_WINDOWBITS,
        constants.Z_DEFAULT_WINDOWBITS);
}

function ofZlib(mode, options) {
    if (!options)
        return { mode, level: constants.Z_DEFAULT_LEVEL, strategy: 0,
            parameters: [0, 15, 1, constants.Z_DEFAULT_LEVEL, 2, 8, 3, 0] };
    const bits = windowBits(mode, options);
    const level = inRange(options.level, 'options.level', constants.Z_MIN_LEVEL,
        constants.Z_MAX_LEVEL, constants.Z_DEFAULT_LEVEL);
    const memLevel = inRange(options.memLevel, 'options.memLevel', constants.Z_MIN_MEMLEVEL,
        constants.Z_MAX_MEMLEVEL, constants.Z_DEFAULT_MEMLEVEL);
    const strategy = inRange(options.strategy, 'options.strategy', constants.Z_DEFAULT_STRATEGY,
        constants.Z_FIXED, constants.Z_DEFAULT_STRATEGY);
    return { mode, level, strategy, dictionary: dictionaryOf(options),
        parameters: [0, bits, 1, level, 2, memLevel, 3, strategy] };
}

// Parameters by their numbers.  `isKnown` tells which numbers there are.
function parametersOf(params, isKnown, code, kind) {
    const list = [];
    for (const name of Object.keys(params ?? {})) {
        const key = Number(name), value = params[name];
        if (!isKnown(key))
            throw coded(RangeError, code, `${name} is not a valid ${kind} parameter`);
        if (typeof value !== 'number' && typeof value !== 'boolean')
            throw invalidArgType('options.params[key]', 'of type number', value);
        list.push(key, Number(value));
    }
    return list;
}

function ofBrotli(mode, options) {
    const isKnown = (key) => Number.isInteger(key) && key >= 0 && key <= constants.BROTLI_PARAM_NDIRECT;
    return { mode, parameters: parametersOf(options?.params, isKnown,
        'ERR_BROTLI_INVALID_PARAM', 'Brotli') };
}

function numbersOf(prefix) {
    return new Set(Object.keys(constants).filter((name) => name.startsWith(prefix))
        .map((name) => constants[name]));
}

function ofZstd(mode, options) {
    const numbers = numbersOf(mode === modes.ZSTD_COMPRESS ? 'ZSTD_c_' : 'ZSTD_d_');
    const size = options?.pledgedSrcSize;
    if (size !== undefined && mode === modes.ZSTD_COMPRESS)
        inRange(size, 'options.pledgedSrcSize', 0, Number.MAX_SAFE_INTEGER);
    return { mode, sourceSize: mode === modes.ZSTD_COMPRESS ? size ?? -1 : -1,
        dictionary: options ? dictionaryOf(options) : undefined,
        parameters: parametersOf(options?.params, (key) => numbers.has(key),
            'ERR_ZSTD_INVALID_PARAM', 'zstd') };
}

// ---- the data of a call ----

// Node writes the data of an asynchronous call to a stream, as a chunk.
function toBytes(data, name = 'buffer') {
    if (typeof data === 'string')
        return Buffer.from(data);
    if (ArrayBuffer.isView(data))
        return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (isAnyBuffer(data))
        return new Uint8Array(data);
    throw invalidArgType(name, `of type string or an instance of Buffer, TypedArray, ${
        name === 'chunk' ? 'or DataView' : 'DataView, or ArrayBuffer'}`, data);
}

module.exports = { inRange, ofBrotli, ofStream, ofZlib, ofZstd, toBytes, zlibFlush,
    brotliFlush: otherFlush, zstdFlush };
