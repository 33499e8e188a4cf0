// SPDX-License-Identifier: MIT
// zlib -- the module: classes, and functions that process a whole buffer.
'use strict';

const { toBuffer } = require('bytes/bytes');
const { codes, constants, old } = require('zlib/constants');
const streams = require('zlib/streams');
const { crc32, run, runNow } = require('zlib/engine');
const { toBytes } = require('zlib/options');
const { invalidArgType, outOfRange } = require('core/errors');

// What the callers of a whole buffer get.
function result(stream, bytes, { output, left }) {
    const buffer = toBuffer(output);
    stream.bytesWritten = bytes.byteLength - left;
    return stream._info ? { buffer, engine: stream } : buffer;
}

// The stream only checks the options and holds the engine.
function close(stream) {
    stream._handle.close();
    stream._handle = null;
}

const newSync = (Class) => function syncBufferWrapper(buffer, opts) {
    const stream = new Class(opts), bytes = toBytes(buffer);
    try {
        return result(stream, bytes, runNow(stream._handle, stream._finishFlushFlag, bytes,
            stream._maxOutputLength, true));
    } finally {
        close(stream);
    }
};

const newAsync = (Class) => function asyncBufferWrapper(buffer, opts, callback) {
    if (typeof opts === 'function') {
        callback = opts;
        opts = {};
    }
    const stream = new Class(opts);
    if (typeof callback !== 'function')
        throw invalidArgType('callback', 'of type function', callback);
    const bytes = toBytes(buffer, 'chunk');
    run(stream._handle, stream._finishFlushFlag, bytes, stream._maxOutputLength, true, (done) => {
        close(stream);
        callback(null, result(stream, bytes, done));
    }, (error) => {
        close(stream);
        callback(error);
    });
};

// ---- the exports ----

const functions = { deflate: 'Deflate', gzip: 'Gzip', deflateRaw: 'DeflateRaw', unzip: 'Unzip',
    inflate: 'Inflate', gunzip: 'Gunzip', inflateRaw: 'InflateRaw',
    brotliCompress: 'BrotliCompress', brotliDecompress: 'BrotliDecompress',
    zstdCompress: 'ZstdCompress', zstdDecompress: 'ZstdDecompress' };

module.exports = {
    crc32(data, value = 0) {
        if (typeof data !== 'string' && !ArrayBuffer.isView(data))
            throw invalidArgType('data',
                'of type string or an instance of Buffer, TypedArray, or DataView', data);
        if (typeof value !== 'number')
            throw invalidArgType('value', 'of type number', value);
        if (!Number.isInteger(value))
            throw outOfRange('value', 'an integer', value);
        if (value < 0 || value > 2 ** 32 - 1)
            throw outOfRange('value', `>= 0 && <= ${2 ** 32 - 1}`, value);
        return crc32(toBytes(data), value);
    },
    ...streams,
};
for (const [name, Class] of Object.entries(functions)) {
    module.exports[name] = newAsync(streams[Class]);
    module.exports[`${name}Sync`] = newSync(streams[Class]);
}
for (const [name, Class] of Object.entries(streams))
    Object.defineProperty(module.exports, `create${name}`,
        { configurable: true, enumerable: true, value: (options) => new Class(options) });
Object.defineProperty(module.exports, 'constants', { enumerable: true, value: constants });
Object.defineProperty(module.exports, 'codes', { enumerable: true, value: codes });
for (const [name, value] of Object.entries(old))
    Object.defineProperty(module.exports, name, { value });
