// SPDX-License-Identifier: MIT
// transcode -- buffer.transcode: the text of a buffer in another encoding.
'use strict';

const { Buffer, isUtf8 } = require('bytes/buffer');
const { invalidArgType, plainly } = require('core/errors');

const names = { __proto__: null, utf8: 'utf8', 'utf-8': 'utf8', ucs2: 'ucs2', 'ucs-2': 'ucs2',
    utf16le: 'ucs2', 'utf-16le': 'ucs2', latin1: 'latin1', binary: 'latin1', ascii: 'ascii' };
const nameOf = (encoding) => encoding == null || encoding === '' ? 'utf8'
    : names[`${encoding}`.toLowerCase()];

function failure(code, errno) {
    const error = plainly(Error, code, `Unable to transcode Buffer [${code}]`);
    error.errno = errno;
    return error;
}

// As in Node, bytes beyond ASCII are letters of Latin-1 in UTF-16, and unknown in
// all other encodings.
function textOf(source, from, to) {
    if (from !== 'ascii')
        return source.toString(from);
    const text = source.latin1Slice();
    return to === 'ucs2' ? text : text.replace(/[\x80-\xff]/g, '\ufffd');
}

function transcode(source, fromEncoding, toEncoding) {
    if (!(source instanceof Uint8Array))
        throw invalidArgType('source', 'an instance of Buffer or Uint8Array', source);
    if (source.length === 0)
        return Buffer.alloc(0);
    const from = nameOf(fromEncoding), to = nameOf(toEncoding);
    if (from === undefined || to === undefined)
        throw failure('U_ILLEGAL_ARGUMENT_ERROR', 1);
    const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    const text = textOf(bytes, from, to);
    if (from === 'utf8' && to === 'ucs2' ? !isUtf8(source)
        : from === 'ucs2' && to === 'utf8' && !text.isWellFormed())
        throw failure('U_INVALID_CHAR_FOUND', 10);
    if (to === 'latin1')
        return Buffer.from(text.replace(/[^\x00-\xff]/gu, '?'), 'latin1');
    return Buffer.from(to === 'ascii' ? text.replace(/[^\x00-\x7f]/gu, '?') : text, to);
}

module.exports = transcode;
