// SPDX-License-Identifier: MIT
// bytes -- ArrayBuffers as the Buffers that programs expect, and text as bytes.
'use strict';

const encodings = new Set(['utf8', 'utf-8', 'ucs2', 'ucs-2', 'utf16le', 'utf-16le',
    'latin1', 'binary', 'base64', 'base64url', 'hex', 'ascii']);

function isEncoding(name) {
    return typeof name === 'string' && encodings.has(name.toLowerCase());
}

function isUtf8(name) {
    return /^utf-?8$/i.test(name);
}

let Buffer;
function findBuffer() {
    if (Buffer === undefined) {
        try {
            ({ Buffer } = require('buffer'));
        } catch {
            Buffer = null; // this build has none
        }
    }
    return Buffer;
}

// A view of all of an ArrayBuffer.
function toBuffer(bytes) {
    return findBuffer()?.from(bytes) ?? new Uint8Array(bytes);
}

function needBuffer(encoding) {
    const { coded } = require('errors');
    return findBuffer() ?? (() => {
        throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
    })();
}

function toText(bytes, encoding) {
    return needBuffer(encoding).from(bytes).toString(encoding);
}

// What C takes for a text: itself, or its bytes.
function fromText(text, encoding = 'utf8') {
    return isUtf8(encoding) ? text.toWellFormed()
        : needBuffer(encoding).from(text, encoding);
}

module.exports = { isEncoding, isUtf8, toBuffer, toText, fromText };
