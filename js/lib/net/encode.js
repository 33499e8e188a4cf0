// SPDX-License-Identifier: MIT
// net/encode -- chunks of a stream, as a handle takes them.  C encodes UTF-8 and
// Latin-1.
'use strict';

const { Buffer } = require('bytes/buffer');

const isLatin1 = { __proto__: null, latin1: true, binary: true, ascii: true };
const isUtf8 = { __proto__: null, 'utf8': true, 'utf-8': true };

// [chunk, isLatin1] as the handle takes them
function encoded(chunk, encoding) {
    if (typeof chunk !== 'string')
        return [chunk, false];
    const name = `${encoding ?? 'utf8'}`.toLowerCase();
    return isUtf8[name] || isLatin1[name] ? [chunk, isLatin1[name] === true]
        : [Buffer.from(chunk, encoding), false];
}

function writeOne(handle, chunk, encoding, callback) {
    if (typeof chunk !== 'string')
        return handle.write(chunk, callback);
    const [data, isNarrow] = encoded(chunk, encoding);
    if (typeof data !== 'string')
        return handle.write(data, callback);
    return isNarrow ? handle.writeLatin1(data, callback)
        : handle.writeUtf8(data, callback);
}

function writeSeveral(handle, chunks, callback) {
    return handle.writev(chunks.flatMap(({ chunk, encoding }) =>
        encoded(chunk, encoding)), callback);
}

function byteLength(chunk, encoding) {
    return typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length;
}

module.exports = { byteLength, writeOne, writeSeveral };
