// SPDX-License-Identifier: MIT
// encodings -- the encodings of js/bytes/encoding.c, and Node's names for them.
'use strict';

const UTF8 = 0, UTF16LE = 1, LATIN1 = 2, ASCII = 3, HEX = 4, BASE64 = 5,
    BASE64URL = 6, TEXT16LE = 7, TEXT16BE = 8, WINDOWS1252 = 9;

const kinds = {
    __proto__: null,
    utf8: UTF8, 'utf-8': UTF8, ucs2: UTF16LE, 'ucs-2': UTF16LE,
    utf16le: UTF16LE, 'utf-16le': UTF16LE, latin1: LATIN1, binary: LATIN1,
    ascii: ASCII, hex: HEX, base64: BASE64, base64url: BASE64URL,
};

// The number of an encoding by Buffer's names, or undefined.
function kindOf(name) {
    return kinds[name] ?? kinds[`${name}`.toLowerCase()];
}

const names = ['utf8', 'utf16le', 'latin1', 'ascii', 'hex', 'base64',
    'base64url'];

const { decode, tail, validity, encode, encodeInto, write, utf8Length } = native;

module.exports = { UTF8, UTF16LE, LATIN1, ASCII, HEX, BASE64, BASE64URL,
    TEXT16LE, TEXT16BE, WINDOWS1252, kindOf, names,
    decode, tail, validity, encode, encodeInto, write, utf8Length };
