// SPDX-License-Identifier: MIT
// encoding -- TextEncoder and TextDecoder of the Encoding Standard.  C decodes
// UTF-8, UTF-16 and windows-1252; npm's @exodus/bytes, which is bundled when weir
// is built, the other legacy encodings.
'use strict';

const { UTF8, TEXT16LE, TEXT16BE, WINDOWS1252, decode, tail, encode,
    encodeInto } = require('bytes/encodings');
const { classOf, custom } = require('util/kinds');
const { coded, invalidArgType } = require('core/errors');

// ---- labels ----

const labels = new Map();
for (const [kind, name, list] of [
    [UTF8, 'utf-8', 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 ' +
        'x-unicode20utf8'],
    [TEXT16LE, 'utf-16le', 'csunicode iso-10646-ucs-2 ucs-2 unicode ' +
        'unicodefeff utf-16 utf-16le'],
    [TEXT16BE, 'utf-16be', 'unicodefffe utf-16be'],
    [WINDOWS1252, 'windows-1252', 'ansi_x3.4-1968 ascii cp1252 cp819 ' +
        'csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 ' +
        'iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252']])
    for (const label of list.split(' '))
        labels.set(label, { kind, name });

const LEGACY = -1; // in place of a number of js/bytes/encoding.c

// "replacement" is an encoding, but not one of TextDecoder's.
function findLegacy(label) {
    let name;
    try {
        name = require('bundle/legacy-encodings').nameOf(label);
    } catch (error) {
        if (error.name !== 'ReferenceError') // weir was built without it
            throw error;
    }
    return name === undefined || name === 'replacement' ? undefined : { kind: LEGACY, name };
}

// Trim only the standard's white space.
const trim = (text) => text.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');

// ---- views ----

const getterOf = (proto, key) => Object.getOwnPropertyDescriptor(proto, key).get;
const typed = Object.getPrototypeOf(Uint8Array.prototype);
const parts = [typed, DataView.prototype].map((proto) =>
    ['buffer', 'byteOffset', 'byteLength'].map((key) => getterOf(proto, key)));
const isResizable = getterOf(ArrayBuffer.prototype, 'resizable');

// A form that C accepts: it knows neither DataView nor views whose length
// follows the buffer.
function bytesOf(value) {
    const kind = classOf(value);
    if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer')
        return value;
    const [buffer, offset, length] = parts[kind === 'DataView' ? 1 : 0]
        .map((get) => Reflect.apply(get, value, []));
    return kind === 'DataView' || (classOf(buffer) === 'ArrayBuffer' &&
        Reflect.apply(isResizable, buffer, []))
        ? new Uint8Array(buffer, offset, length) : value;
}

function isBytes(value) {
    return ArrayBuffer.isView(value) || (typeof value === 'object' &&
        value !== null && /^(Shared)?ArrayBuffer$/.test(classOf(value)));
}

function join(first, bytes) {
    const rest = new Uint8Array(ArrayBuffer.isView(bytes)
        ? bytes.buffer : bytes, bytes.byteOffset, bytes.byteLength);
    const both = new Uint8Array(first.length + rest.length);
    both.set(first);
    both.set(rest, first.length);
    return both;
}

// ---- TextDecoder ----

// How many bytes at the end must wait for the next chunk.
function unfinished(kind, bytes) {
    if (kind === UTF8)
        return tail(bytes);
    if (kind === WINDOWS1252)
        return 0;
    const size = bytes.byteLength, odd = size % 2;
    if (size < 2)
        return odd;
    const at = size - odd - (kind === TEXT16LE ? 1 : 2);
    const view = new Uint8Array(bytes.buffer ?? bytes, bytes.byteOffset, size);
    return (view[at] & 0xfc) === 0xd8 ? odd + 2 : odd;
}

function wrongThis(name) {
    return coded(TypeError, 'ERR_INVALID_THIS',
        `Value of "this" must be of type ${name}`);
}

const invalidData = (name) => coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA',
    `The encoded data was not valid for encoding ${name}`);

const marks = { [UTF8]: 3, [TEXT16LE]: 2, [TEXT16BE]: 2 };
const none = new Uint8Array(0);

class TextDecoder {
    #kind; #name; #fatal; #ignoreBOM;
    #rest = none; // of the previous chunk
    #isBegun = false; // and past the byte order mark
    #decodeLegacy; // with a state, from the first chunk on

    constructor(encoding = 'utf-8', options = undefined) {
        encoding = `${encoding}`;
        if (options != null && typeof options !== 'object' &&
            typeof options !== 'function')
            throw invalidArgType('options', 'of type object', options);
        const label = trim(encoding).toLowerCase();
        const found = labels.get(label) ?? findLegacy(label);
        if (found === undefined)
            throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED',
                `The "${encoding}" encoding is not supported`);
        this.#fatal = !!options?.fatal;
        this.#ignoreBOM = !!options?.ignoreBOM;
        this.#kind = found.kind;
        this.#name = found.name;
    }

    decode(input = none, options = undefined) {
        if (!(#kind in this))
            throw wrongThis('TextDecoder');
        if (!isBytes(input))
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "list" argument ' +
                'must be an instance of SharedArrayBuffer, ArrayBuffer or ' +
                'ArrayBufferView.');
        const isMore = !!options?.stream;
        let bytes = bytesOf(input);
        if (this.#kind === LEGACY)
            return this.#legacy(bytes, isMore);
        if (this.#rest.length > 0)
            bytes = join(this.#rest, bytes);
        const size = bytes.byteLength;
        const end = isMore ? size - unfinished(this.#kind, bytes) : size;
        this.#rest = end === size ? none
            : join(none, bytes).subarray(end);
        const text = decode(this.#kind, bytes, 0, end, this.#fatal);
        if (text === undefined) {
            this.#rest = none;
            this.#isBegun = false;
            throw invalidData(this.#name);
        }
        return this.#withoutMark(text, isMore);
    }

    #legacy(bytes, isMore) {
        this.#decodeLegacy ??= require('bundle/legacy-encodings')
            .decoderOf(this.#name, !this.#fatal);
        try {
            return this.#decodeLegacy(join(none, bytes), isMore);
        } catch (error) {
            this.#decodeLegacy = undefined;
            throw classOf(error) === 'Error' && error.name === 'TypeError'
                ? invalidData(this.#name) : error;
        }
    }

    #withoutMark(text, isMore) {
        const isFirst = !this.#isBegun && !this.#ignoreBOM &&
            this.#kind in marks;
        this.#isBegun = isMore && (this.#isBegun || text.length > 0);
        return isFirst && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    }

    get encoding() {
        if (!(#kind in this))
            throw wrongThis('TextDecoder');
        return this.#name;
    }

    get fatal() {
        if (!(#kind in this))
            throw wrongThis('TextDecoder');
        return this.#fatal;
    }

    get ignoreBOM() {
        if (!(#kind in this))
            throw wrongThis('TextDecoder');
        return this.#ignoreBOM;
    }
}

// ---- TextEncoder ----

class TextEncoder {
    #isOne = true;

    get encoding() {
        if (!(#isOne in this))
            throw wrongThis('TextEncoder');
        return 'utf-8';
    }

    encode(input = '') {
        if (!(#isOne in this))
            throw wrongThis('TextEncoder');
        return encode(`${input}`);
    }

    encodeInto(src, dest) {
        if (!(#isOne in this))
            throw wrongThis('TextEncoder');
        if (typeof src !== 'string')
            throw invalidArgType('src', 'of type string', src);
        if (!ArrayBuffer.isView(dest) || classOf(dest) !== 'Uint8Array')
            throw invalidArgType('dest', 'an instance of Uint8Array', dest);
        const [read, written] = encodeInto(src, bytesOf(dest));
        return { read, written };
    }
}

// ---- for inspect ----

for (const [ctor, ...keys] of [
    [TextEncoder, 'encoding', 'encode', 'encodeInto'],
    [TextDecoder, 'decode', 'encoding', 'fatal', 'ignoreBOM']]) {
    for (const key of keys)
        Object.defineProperty(ctor.prototype, key, { enumerable: true });
    Object.defineProperty(ctor.prototype, Symbol.toStringTag,
        { value: ctor.name, configurable: true });
}

function shown(proto, text) {
    Object.defineProperty(proto, custom,
        { value: text, writable: true, configurable: true });
}
shown(TextEncoder.prototype, function (depth, options, inspect) {
    return typeof depth === 'number' && depth < 0
        ? options.stylize('[TextEncoder]', 'special')
        : inspect({ __proto__: null, encoding: this.encoding }, options)
            .replace(/^\[Object: null prototype\] /, '');
});
shown(TextDecoder.prototype, function (depth, options, inspect) {
    if (typeof depth === 'number' && depth < 0)
        return options.stylize('[TextDecoder]', 'special');
    const { encoding, fatal, ignoreBOM } = this;
    return `TextDecoder ${inspect({ encoding, fatal, ignoreBOM }, options)}`;
});

module.exports = { TextEncoder, TextDecoder, bytesOf };
