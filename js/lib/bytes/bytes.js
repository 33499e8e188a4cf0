// SPDX-License-Identifier: MIT
// bytes -- ArrayBuffers as the Buffers that programs expect, and text as bytes.
// Buffer is loaded when it is first needed.
'use strict';

const { kindOf } = require('bytes/encodings');

function isEncoding(name) {
    return typeof name === 'string' && kindOf(name) !== undefined;
}

function isUtf8(name) {
    return /^utf-?8$/i.test(name);
}

// A Buffer that shows a whole ArrayBuffer.
function toBuffer(bytes) {
    return require('bytes/buffer').Buffer.from(bytes);
}

function toText(bytes, encoding) {
    return toBuffer(bytes).toString(encoding);
}

// What C accepts as a text: a string, or its bytes.
function fromText(text, encoding = 'utf8') {
    return isUtf8(encoding) ? text.toWellFormed()
        : require('bytes/buffer').Buffer.from(text, encoding);
}

// Decode text in pieces: write(bytes) returns what is complete, end() the rest.
function newDecoder(encoding) {
    const { StringDecoder } = require('bytes/stringdecoder');
    return new StringDecoder(encoding);
}

module.exports = { isEncoding, isUtf8, toBuffer, toText, fromText, utf8: native.text,
    newDecoder };
