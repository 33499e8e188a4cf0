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

// Text that comes in pieces: write(bytes) gives what is complete, end() the rest.
function newDecoder(encoding) {
    let StringDecoder;
    try {
        ({ StringDecoder } = require('stringdecoder'));
    } catch {
        return utf8Decoder(); // this build has none
    }
    return new StringDecoder(encoding);
}

// How many bytes at the end begin a letter that is not complete.
function incomplete(bytes) {
    for (let back = 1; back <= 3 && back <= bytes.length; back++) {
        const byte = bytes.at(-back);
        if (byte >= 0xC0)
            return back < (byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2) ? back : 0;
        if (byte < 0x80)
            return 0;
    }
    return 0;
}

function utf8Decoder() {
    let kept = new Uint8Array(0);
    return {
        write(more) {
            const bytes = new Uint8Array(kept.length + more.length);
            bytes.set(kept);
            bytes.set(more, kept.length);
            const whole = bytes.length - incomplete(bytes);
            kept = bytes.slice(whole);
            return native.text(bytes.slice(0, whole).buffer);
        },
        end() {
            return kept.length > 0 ? '\ufffd' : '';
        },
    };
}

module.exports = { isEncoding, isUtf8, toBuffer, toText, fromText, utf8: native.text, newDecoder };
