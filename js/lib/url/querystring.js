// SPDX-License-Identifier: MIT
// querystring -- Node's module for names and values encoded as in HTML forms.
//
// It is older than URLSearchParams and differs from it: a name that occurs twice
// gets an array, text that cannot be decoded is read byte by byte, and the caller
// chooses separators, encoder and decoder.
'use strict';

const { Buffer } = require('bytes/buffer');
const { coded } = require('core/errors');

const HEX = '0123456789ABCDEF';
const ENCODED = /%[0-9a-f]{2}/i;
const PAIRS = 1000; // that parse() reads by default

// ---- escaping ----

const plain = new Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" +
    "0123456789-_.!~*'()");

function percent(byte) {
    return `%${HEX[byte >> 4]}${HEX[byte & 15]}`;
}

function percentUtf8(code) {
    if (code < 0x80)
        return percent(code);
    if (code < 0x800)
        return percent(0xc0 | code >> 6) + percent(0x80 | code & 63);
    const end = percent(0x80 | code >> 6 & 63) + percent(0x80 | code & 63);
    return code < 0x10000 ? percent(0xe0 | code >> 12) + end
        : percent(0xf0 | code >> 18) + percent(0x80 | code >> 12 & 63) + end;
}

// The second half of a surrogate pair is not checked: nor is it by Node.
function qsEscape(value) {
    const text = typeof value === 'string' ? value
        : typeof value === 'object' ? String(value) : value + '';
    let escaped = '';
    for (let i = 0; i < text.length; i++) {
        if (plain.has(text[i])) {
            escaped += text[i];
            continue;
        }
        let code = text.charCodeAt(i);
        if (code >= 0xd800 && code < 0xe000) {
            if (++i >= text.length)
                throw coded(URIError, 'ERR_INVALID_URI', 'URI malformed');
            code = 0x10000 + ((code & 0x3ff) << 10 | text.charCodeAt(i) & 0x3ff);
        }
        escaped += percentUtf8(code);
    }
    return escaped;
}

// A "%" that no two digits follow stands for itself.
function unescapeBuffer(text, decodeSpaces) {
    const bytes = Buffer.alloc(text.length);
    let size = 0;
    for (let i = 0; i < text.length; i++) {
        let code = text.charCodeAt(i);
        const digits = code === 37 ? text.slice(i + 1, i + 3) : '';
        if (/^[0-9a-f]{2}$/i.test(digits)) {
            code = parseInt(digits, 16);
            i += 2;
        } else if (code === 43 && decodeSpaces) {
            code = 32;
        }
        bytes[size++] = code;
    }
    return bytes.subarray(0, size);
}

function qsUnescape(text, decodeSpaces) {
    try {
        return decodeURIComponent(text);
    } catch {
        return querystring.unescapeBuffer(text, decodeSpaces).toString();
    }
}

// ---- objects to texts ----

function textOf(value) {
    switch (typeof value) {
    case 'string':
        return value;
    case 'number':
        return isFinite(value) ? `${value}` : '';
    case 'bigint':
    case 'boolean':
        return `${value}`;
    default:
        return '';
    }
}

function stringify(object, separator, equals, options) {
    separator ||= '&';
    equals ||= '=';
    if (object === null || typeof object !== 'object')
        return '';
    const given = options && options.encodeURIComponent;
    const encode = typeof given === 'function' ? given : querystring.escape;
    const pairs = [];
    for (const key of Object.keys(object)) {
        const name = encode(textOf(key)) + equals;
        const values = Array.isArray(object[key]) ? object[key] : [object[key]];
        for (let i = 0; i < values.length; i++)
            pairs.push(name + encode(textOf(values[i])));
    }
    return pairs.join(separator);
}

// ---- texts to objects ----

function decodeWith(decode, text) {
    try {
        return decode(text);
    } catch {
        return querystring.unescape(text, true);
    }
}

function parse(text, separator, equals, options) {
    const object = { __proto__: null };
    if (typeof text !== 'string' || text.length === 0)
        return object;
    separator = separator ? `${separator}` : '&';
    equals = equals ? `${equals}` : '=';
    const given = options && options.decodeURIComponent;
    const decode = typeof given === 'function' ? given : querystring.unescape;
    const isOwn = decode === qsUnescape;
    const limit = options && typeof options.maxKeys === 'number'
        ? options.maxKeys : PAIRS;

    function decoded(part) {
        const spaced = part.replaceAll('+', isOwn ? ' ' : '%20');
        return spaced.length > 0 && (!isOwn || ENCODED.test(spaced))
            ? decodeWith(decode, spaced) : spaced;
    }

    let left = limit > 0 ? limit : Infinity;
    for (let at = 0; at <= text.length && left > 0; left--) {
        let end = text.indexOf(separator, at);
        if (end < 0)
            end = text.length;
        const pair = text.slice(at, end), split = pair.indexOf(equals);
        at = end + separator.length;
        if (pair.length === 0)
            continue;
        const name = decoded(split < 0 ? pair : pair.slice(0, split));
        const value = split < 0 ? '' : decoded(pair.slice(split + equals.length));
        const before = object[name];
        if (before === undefined)
            object[name] = value;
        else if (Array.isArray(before))
            before.push(value);
        else
            object[name] = [before, value];
    }
    return object;
}

const querystring = module.exports = {
    unescapeBuffer,
    unescape: qsUnescape,
    escape: qsEscape,
    stringify,
    encode: stringify,
    parse,
    decode: parse,
};
