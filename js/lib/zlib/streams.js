// SPDX-License-Identifier: MIT
// zlib/streams -- the classes of zlib: Transforms that send each chunk through a
// codec on the pool.
//
// A chunk is given to the codec once.  While its output fills the pieces that
// are asked for, and the reader wants more, the codec goes on with the rest.
'use strict';

const { Transform, finished } = require('stream/stream');
const { Buffer } = require('bytes/buffer');
const { toBuffer } = require('bytes/bytes');
const { nextTick } = require('timers/timers');
const { constants, modes } = require('zlib/constants');
const { Engine, kStream, run, runNow } = require('zlib/engine');
const pieces = require('zlib/pieces');
const options = require('zlib/options');
const { coded } = require('core/errors');

const kFlush = Symbol('kFlush');
const kSettings = Symbol('kSettings'); // of the engine, until its first chunk
const kPieces = Symbol('kPieces'); // undefined: the stream's own codec compresses it

// Empty chunks that mean a flush.
const flushes = Array.from({ length: constants.Z_BLOCK + 1 }, (_, flush) =>
    Object.assign(Buffer.alloc(0), { [kFlush]: flush }));

// From the weakest to the strongest.
const strength = [constants.Z_NO_FLUSH, constants.Z_BLOCK, constants.Z_PARTIAL_FLUSH,
    constants.Z_SYNC_FLUSH, constants.Z_FULL_FLUSH, constants.Z_FINISH];
const stronger = (a, b) => strength.indexOf(a) > strength.indexOf(b) ? a : b;

function noEngine() {
    return coded(Error, 'ERR_INTERNAL_ASSERTION', 'zlib binding closed\nThis is caused by either ' +
        'a bug in Node.js or incorrect usage of Node.js internals.\nPlease open an issue with ' +
        'this stack trace at https://github.com/nodejs/node/issues\n');
}

function close(stream) {
    const engine = stream._handle;
    stream._handle = null;
    engine?.close();
}

// ---- the base of all ----

function ZlibBase(given, checked, engine) {
    this.bytesWritten = 0;
    this._handle = null;
    let own = given;
    if (own && (own.encoding || own.objectMode || own.writableObjectMode))
        own = { ...own, encoding: null, objectMode: false, writableObjectMode: false };
    Transform.call(this, { autoDestroy: true, ...own });
    this._handle = Engine.open(engine);
    this._handle[kStream] = this;
    this[kSettings] = engine;
    this._chunkSize = checked.chunkSize;
    this._defaultFlushFlag = checked.flush;
    this._finishFlushFlag = checked.finishFlush;
    this._defaultFullFlushFlag = checked.fullFlush;
    this._info = checked.info;
    this._maxOutputLength = checked.maxOutputLength;
}

function inherit(Class, Base) {
    Object.setPrototypeOf(Class.prototype, Base.prototype);
    Object.setPrototypeOf(Class, Base);
    return Class;
}
inherit(ZlibBase, Transform);

Object.defineProperty(ZlibBase.prototype, '_closed',
    { configurable: true, enumerable: true, get() { return !this._handle; } });
// The old name of bytesWritten.
let warning;
function warn() {
    warning ??= require('util/util').deprecate(() => {}, 'zlib.bytesRead is deprecated and will ' +
        'change its meaning in the future. Use zlib.bytesWritten instead.', 'DEP0108');
    warning();
}
Object.defineProperty(ZlibBase.prototype, 'bytesRead', { configurable: true, enumerable: true,
    get() {
        warn();
        return this.bytesWritten;
    },
    set(value) {
        warn();
        this.bytesWritten = value;
    } });

// Packages use these together with _handle.writeSync().
ZlibBase.prototype._outOffset = 0;
for (const [key, make] of [['_outBuffer', (stream) => Buffer.allocUnsafe(stream._chunkSize)],
    ['_writeState', () => new Uint32Array(2)]])
    Object.defineProperty(ZlibBase.prototype, key, { configurable: true,
        get() {
            const value = make(this);
            Object.defineProperty(this, key, { value, writable: true, configurable: true });
            return value;
        } });

ZlibBase.prototype.reset = function () {
    if (!this._handle)
        throw noEngine();
    this[kPieces] = undefined;
    return this._handle.reset();
};

ZlibBase.prototype._flush = function (callback) {
    this._transform(Buffer.alloc(0), '', callback);
};

ZlibBase.prototype._final = function (callback) {
    callback();
};

ZlibBase.prototype.flush = function (kind, callback) {
    if (typeof kind === 'function' || (kind === undefined && !callback)) {
        callback = kind;
        kind = this._defaultFullFlushFlag;
    }
    if (this.writableFinished) {
        if (callback)
            nextTick(callback);
    } else if (this.writableEnded) {
        if (callback)
            this.once('end', callback);
    } else {
        this.write(flushes[kind], '', callback);
    }
};

ZlibBase.prototype.close = function (callback) {
    if (callback)
        finished(this, callback);
    this.destroy();
};

ZlibBase.prototype._destroy = function (error, callback) {
    close(this);
    callback(error);
};

ZlibBase.prototype._transform = function (chunk, encoding, callback) {
    let flush = chunk[kFlush] ?? this._defaultFlushFlag;
    if (this.writableEnded && this.writableLength === chunk.byteLength)
        flush = stronger(flush, this._finishFlushFlag);
    if (this[kSettings] !== undefined && chunk.byteLength > 0) {
        if (pieces.isFor(this[kSettings], chunk, flush))
            this[kPieces] = new pieces.Pieces(this, this[kSettings], whenRead);
        this[kSettings] = undefined;
    }
    if (this[kPieces] !== undefined && this._handle)
        this[kPieces].add(chunk, flush, callback);
    else
        process(this, chunk, flush, callback);
};

// Packages call this one: without a callback it returns the output.
ZlibBase.prototype._processChunk = function (chunk, flush, callback) {
    if (typeof callback === 'function')
        process(this, chunk, flush, callback);
    else
        return processNow(this, chunk, flush);
};

function processNow(stream, chunk, flush) {
    if (!stream._handle)
        throw noEngine();
    let done;
    try {
        done = runNow(stream._handle, flush, chunk, stream._maxOutputLength, true);
    } catch (error) {
        stream.on('error', () => {}); // it is thrown
        stream.destroy(error);
        throw error;
    }
    stream.bytesWritten = chunk.byteLength - done.left;
    close(stream);
    return toBuffer(done.output);
}

// ---- one chunk after the other ----

function process(stream, chunk, flush, callback) {
    if (!stream._handle) {
        nextTick(callback);
        return;
    }
    let before = chunk.byteLength;
    const goOn = (input) => run(stream._handle, flush, input, Math.ceil(stream._chunkSize),
        false, onDone, onError);
    const onError = (error) => stream.destroy(error);
    function onDone({ output, left, isFull }) {
        if (stream.destroyed) {
            callback();
            return;
        }
        stream.bytesWritten += before - left;
        before = left;
        const wantsMore = output.byteLength === 0 || stream.push(toBuffer(output));
        if (stream.destroyed) { // by a listener
            callback();
        } else if (isFull && wantsMore) {
            goOn(undefined);
        } else if (isFull) {
            whenRead(stream, () => stream.destroyed ? callback() : goOn(undefined));
        } else {
            if (left > 0) // data behind the end of the stream
                stream.push(null);
            callback();
        }
    }
    goOn(chunk);
}

// Wait until the reader has taken what there is.
function whenRead(stream, next) {
    const read = stream._read;
    stream._read = (size) => {
        stream._read = read;
        next();
        stream._read(size);
    };
}

// ---- zlib ----

function Zlib(given, mode) {
    const engine = options.ofZlib(mode, given);
    ZlibBase.call(this, given, options.ofStream(given, options.zlibFlush), engine);
    this._level = engine.level;
    this._strategy = engine.strategy;
}
inherit(Zlib, ZlibBase);

Zlib.prototype.params = function (level, strategy, callback) {
    options.inRange(level, 'level', constants.Z_MIN_LEVEL, constants.Z_MAX_LEVEL);
    options.inRange(strategy, 'strategy', constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED);
    if (this._level === level && this._strategy === strategy) {
        nextTick(callback);
        return;
    }
    this.flush(constants.Z_SYNC_FLUSH, () => {
        if (!this._handle)
            throw noEngine();
        try {
            this._handle.params(level, strategy);
        } catch (error) {
            this.destroy(error);
            return;
        }
        this._level = level;
        this._strategy = strategy;
        if (callback)
            callback();
    });
};

// A class that can be called without `new`.
function define(name, Base, construct) {
    const Class = { [name]: function (opts) {
        if (!(this instanceof Class))
            return new Class(opts);
        return construct.call(this, opts);
    } }[name];
    return inherit(Class, Base);
}

const zlibClass = (name, mode) => define(name, Zlib, function (opts) {
    Zlib.call(this, opts, mode);
});

const Deflate = zlibClass('Deflate', modes.DEFLATE);
const Inflate = zlibClass('Inflate', modes.INFLATE);
const Gzip = zlibClass('Gzip', modes.GZIP);
const Gunzip = zlibClass('Gunzip', modes.GUNZIP);
const InflateRaw = zlibClass('InflateRaw', modes.INFLATERAW);
const Unzip = zlibClass('Unzip', modes.UNZIP);
// zlib has no raw form with windows of 256 bytes.
const DeflateRaw = define('DeflateRaw', Zlib, function (opts) {
    Zlib.call(this, opts && opts.windowBits === 8 ? { ...opts, windowBits: 9 } : opts,
        modes.DEFLATERAW);
});

// ---- brotli and zstd ----

function Brotli(given, mode) {
    ZlibBase.call(this, given, options.ofStream(given, options.brotliFlush),
        options.ofBrotli(mode, given));
}
inherit(Brotli, Zlib);

function Zstd(given, mode) {
    ZlibBase.call(this, given, options.ofStream(given, options.zstdFlush),
        options.ofZstd(mode, given));
}
inherit(Zstd, ZlibBase);

const otherClass = (name, Base, mode) => define(name, Base, function (opts) {
    Base.call(this, opts, mode);
});

module.exports = { Deflate, Inflate, Gzip, Gunzip, DeflateRaw, InflateRaw, Unzip,
    BrotliCompress: otherClass('BrotliCompress', Brotli, modes.BROTLI_ENCODE),
    BrotliDecompress: otherClass('BrotliDecompress', Brotli, modes.BROTLI_DECODE),
    ZstdCompress: otherClass('ZstdCompress', Zstd, modes.ZSTD_COMPRESS),
    ZstdDecompress: otherClass('ZstdDecompress', Zstd, modes.ZSTD_DECOMPRESS) };
