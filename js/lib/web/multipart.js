// SPDX-License-Identifier: MIT
// multipart -- FormData as bytes: multipart/form-data (RFC 7578, with the HTML
// Standard's escapes), and application/x-www-form-urlencoded.
'use strict';

const { Blob, hooks: blobs } = require('web/blob');
const { FormData } = require('web/formdata');
const { UTF8, decode, encode: toBytes } = require('bytes/encodings');

// ---- encoding ----

const newlines = (text) => text.replace(/\r\n?|\n/g, '\r\n');
const escaped = (text) => text.replace(/[\r\n"]/g, (char) =>
    char === '\r' ? '%0D' : char === '\n' ? '%0A' : '%22');

function newBoundary() {
    const { randomInt } = require('crypto/crypto');
    return `----formdata-weir-0${`${randomInt(1e11)}`.padStart(11, '0')}`;
}

// {type, body}: the Content-Type, and a Blob with the bytes.
function encode(entries, boundary = newBoundary()) {
    const parts = [];
    for (const [name, value] of entries) {
        const head = `--${boundary}\r\nContent-Disposition: form-data; ` +
            `name="${escaped(newlines(name))}"`;
        if (typeof value === 'string') {
            parts.push(`${head}\r\n\r\n${newlines(value)}\r\n`);
            continue;
        }
        parts.push(`${head}; filename="${escaped(value.name)}"\r\nContent-Type: ` +
            `${blobs.typeOf(value) || 'application/octet-stream'}\r\n\r\n`, value, '\r\n');
    }
    parts.push(`--${boundary}--\r\n`);
    const type = `multipart/form-data; boundary=${boundary}`;
    return { type, body: new Blob(parts, { type }) };
}

// ---- parsing ----

const malformed = () => new TypeError('Failed to parse body as FormData.');

const CR = 13, LF = 10, DASH = 45;

const textOf = (bytes) => decode(UTF8, bytes, 0, bytes.length, false);

// Where `pattern` is in bytes, from `at` on, or -1.
function indexOf(bytes, pattern, at) {
    const last = bytes.length - pattern.length;
    for (let i = bytes.indexOf(pattern[0], at); i >= 0 && i <= last;
        i = bytes.indexOf(pattern[0], i + 1)) {
        let k = 1;
        while (k < pattern.length && bytes[i + k] === pattern[k])
            k++;
        if (k === pattern.length)
            return i;
    }
    return -1;
}

function lineEnd(bytes, at) {
    for (let i = bytes.indexOf(CR, at); i >= 0; i = bytes.indexOf(CR, i + 1))
        if (bytes[i + 1] === LF)
            return i;
    throw malformed();
}

const unescaped = (text) => text.replace(/%0A|%0D|%22/gi, (found) =>
    ({ '%0a': '\n', '%0d': '\r', '%22': '"' })[found.toLowerCase()]);

// name="..." of a Content-Disposition; undefined if there is none.
function parameter(line, name) {
    const found = new RegExp(`;[\\t ]*${name}="([^"]*)"`, 'i').exec(line);
    return found === null ? undefined : unescaped(found[1]);
}

// The headers of a part: {name, filename, type, end}.
function parseHeaders(bytes, at) {
    const part = { name: undefined, filename: undefined, type: undefined, end: 0 };
    for (;;) {
        const end = lineEnd(bytes, at);
        if (end === at)
            break;
        const line = textOf(bytes.subarray(at, end)), colon = line.indexOf(':');
        if (colon < 1)
            throw malformed();
        const key = line.slice(0, colon).toLowerCase(), value = line.slice(colon + 1).trim();
        if (key === 'content-disposition') {
            if (!/^form-data\s*;/i.test(value))
                throw malformed();
            part.name = parameter(value, 'name');
            part.filename = parameter(value, 'filename');
        } else if (key === 'content-type') {
            part.type = value;
        }
        at = end + 2;
    }
    if (part.name === undefined)
        throw malformed();
    part.end = at + 2;
    return part;
}

function parseMultipart(bytes, boundary) {
    const form = new FormData(), mark = toBytes(`--${boundary}`);
    const between = toBytes(`\r\n--${boundary}`);
    let at = indexOf(bytes, mark, 0);
    if (at !== 0 && !(at >= 2 && bytes[at - 2] === CR && bytes[at - 1] === LF))
        throw malformed();
    at += mark.length;
    while (bytes[at] !== DASH || bytes[at + 1] !== DASH) {
        const part = parseHeaders(bytes, lineEnd(bytes, at) + 2);
        const end = indexOf(bytes, between, part.end - 2);
        if (end < 0)
            throw malformed();
        const body = bytes.subarray(part.end, Math.max(end, part.end));
        if (part.filename === undefined)
            form.append(part.name, textOf(body));
        else
            form.append(part.name, new Blob([body], { type: part.type ?? 'text/plain' }),
                part.filename);
        at = end + between.length;
    }
    return form;
}

function parseUrlencoded(bytes) {
    const form = new FormData(), { URLSearchParams } = require('url/searchparams');
    for (const [name, value] of new URLSearchParams(textOf(bytes)))
        form.append(name, value);
    return form;
}

function boundaryOf(type) {
    const found = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(type);
    return found?.[1] ?? found?.[2];
}

// FormData of a body with that Content-Type.  Throws a TypeError.
function parse(bytes, type) {
    const essence = /^\s*([^;\s]*)/.exec(type ?? '')[1].toLowerCase();
    if (essence === 'application/x-www-form-urlencoded')
        return parseUrlencoded(bytes);
    const boundary = essence === 'multipart/form-data' ? boundaryOf(type) : undefined;
    if (!boundary)
        throw malformed();
    return parseMultipart(bytes, boundary);
}

module.exports = { encode, parse };
