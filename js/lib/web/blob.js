// SPDX-License-Identifier: MIT
// blob -- Blob and File of the File API, and the URLs of blobs.
//
// The bytes of a blob never change, so they are in shared memory: a slice, a
// clone, and a copy in another thread refer to the same bytes.
'use strict';

const { coded, invalidArgType, invalidArgValue } = require('core/errors');
const { fulfilled, isObject, rejected, reveal, wrongThis } = require('web/base');
const { classOf, custom } = require('util/kinds');
const { UTF8, decode, encode } = require('bytes/encodings');
const { copy, isView, partsOf } = require('web/views');

const CHUNK = 65536; // of a stream

// Part of a block of shared memory.
class Piece {
    constructor(buffer, offset, length) {
        this.buffer = buffer;
        this.offset = offset;
        this.length = length;
    }
    view() {
        return new Uint8Array(this.buffer, this.offset, this.length);
    }
}

// ---- the bytes of a constructor's argument ----

const isBuffer = (value) => /^(Shared)?ArrayBuffer$/.test(classOf(value));

// A Uint8Array, or a blob's pieces.
function bytesOf(part, isNative) {
    if (isObject(part)) {
        const record = recordOf(part);
        if (record !== undefined)
            return record.pieces;
        if (isView(part)) {
            const { buffer, offset, length } = partsOf(part);
            return new Uint8Array(buffer, offset, length);
        }
        if (isBuffer(part))
            return new Uint8Array(part);
    }
    const text = `${part}`;
    return encode(isNative ? text.replace(/\r\n?/g, '\n') : text);
}

// Copy the bytes between two blobs into one block.
function blockOf(list) {
    const total = list.reduce((sum, { length }) => sum + length, 0);
    const buffer = new SharedArrayBuffer(total);
    let at = 0;
    for (const { buffer: from, byteOffset, length } of list) {
        copy(buffer, at, from, byteOffset, length);
        at += length;
    }
    return new Piece(buffer, 0, total);
}

function piecesOf(parts, isNative) {
    const pieces = [];
    let plain = [];
    const flush = () => {
        if (plain.some(({ length }) => length > 0))
            pieces.push(blockOf(plain));
        plain = [];
    };
    for (const part of parts) {
        const bytes = bytesOf(part, isNative);
        if (Array.isArray(bytes)) {
            flush();
            pieces.push(...bytes);
        } else {
            plain.push(bytes);
        }
    }
    flush();
    return pieces;
}

const sizeOf = (pieces) => pieces.reduce((sum, { length }) => sum + length, 0);

function typeOf(value) {
    const type = `${value}`;
    return /[^\x20-\x7e]/.test(type) ? '' : type.toLowerCase();
}

// The part [start, end) of the pieces.
function cut(pieces, start, end) {
    const result = [];
    let at = 0;
    for (const { buffer, offset, length } of pieces) {
        const from = Math.max(start - at, 0), to = Math.min(end - at, length);
        if (from < to)
            result.push(new Piece(buffer, offset + from, to - from));
        at += length;
    }
    return result;
}

// All bytes, in memory of the program's own.
function join({ pieces, size }) {
    const all = new Uint8Array(size);
    let at = 0;
    for (const { buffer, offset, length } of pieces) {
        copy(all.buffer, at, buffer, offset, length);
        at += length;
    }
    return all;
}

// ---- streams ----

class BlobSource {
    at = 0; // within the first piece that is left
    next = 0;
    constructor(pieces) {
        this.pieces = pieces;
    }

    pull(stream) {
        const { hooks } = require('web/streams');
        let isWanted = true;
        while (isWanted && this.next < this.pieces.length) {
            const { buffer, offset, length } = this.pieces[this.next];
            const count = Math.min(CHUNK, length - this.at), chunk = new Uint8Array(count);
            copy(chunk.buffer, 0, buffer, offset + this.at, count);
            this.at += count;
            if (this.at === length) {
                this.at = 0;
                this.next++;
            }
            isWanted = hooks.push(stream, chunk);
        }
        if (this.next === this.pieces.length)
            hooks.end(stream);
    }

    cancel() {
        this.next = this.pieces.length;
    }
}

// ---- Blob ----

const kInternal = Symbol('internal');
let recordOf;

function partsOfArgument(sources) {
    if (sources === null || typeof sources !== 'object' ||
        typeof sources[Symbol.iterator] !== 'function')
        throw invalidArgType('sources', 'a sequence', sources);
    return [...sources];
}

class Blob {
    #record; // {pieces, size, type}
    static {
        recordOf = (value) => isObject(value) && #record in value
            ? value.#record : undefined;
    }

    constructor(sources = [], options = undefined) {
        if (sources === kInternal) {
            this.#record = options;
            return;
        }
        const parts = partsOfArgument(sources);
        if (options != null && !isObject(options))
            throw invalidArgType('options', 'a dictionary', options);
        const { type = '', endings = 'transparent' } = options ?? {};
        const mode = `${endings}`;
        if (mode !== 'transparent' && mode !== 'native')
            throw invalidArgValue('options.endings', endings);
        const pieces = piecesOf(parts, mode === 'native');
        this.#record = { pieces, size: sizeOf(pieces), type: typeOf(type) };
    }

    get type() { return checked(this).type; }
    get size() { return checked(this).size; }

    slice(start = 0, end = undefined, contentType = '') {
        const { pieces, size } = checked(this);
        const bound = (value) => {
            const number = Math.trunc(+value) || 0;
            return number < 0 ? Math.max(size + number, 0) : Math.min(number, size);
        };
        const from = bound(start), to = end === undefined ? size : bound(end);
        const some = cut(pieces, from, to);
        return new Blob(kInternal, { pieces: some, size: sizeOf(some),
            type: typeOf(contentType) });
    }

    arrayBuffer() { return whole(this, (bytes) => bytes.buffer); }
    text() { return whole(this, toText); }
    bytes() { return whole(this, (bytes) => bytes); }

    stream() {
        const { pieces } = checked(this);
        return require('web/streams').hooks.openReadable(new BlobSource(pieces), 0);
    }
}

// UTF-8 without a byte order mark.
function toText(bytes) {
    const text = decode(UTF8, bytes, 0, bytes.length, false);
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function checked(blob) {
    const record = recordOf(blob);
    if (record === undefined)
        throw wrongThis('Blob');
    return record;
}

function whole(blob, convert) {
    const record = recordOf(blob);
    if (record === undefined)
        return rejected(wrongThis('Blob'));
    try {
        return fulfilled(convert(join(record)));
    } catch (error) { // no memory
        return rejected(error);
    }
}

// ---- File ----

let fileOf;

class File extends Blob {
    #file; // {name, lastModified}
    static {
        fileOf = (value) => isObject(value) && #file in value ? value.#file : undefined;
    }

    constructor(fileBits, fileName, options = {}) {
        if (fileBits === kInternal) {
            super(kInternal, fileName);
            this.#file = options;
            return;
        }
        if (arguments.length < 2)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "fileBits" and "fileName" arguments must be specified');
        super(fileBits, options);
        const { lastModified } = options ?? {};
        this.#file = { name: `${fileName}`.toWellFormed(),
            lastModified: lastModified === undefined ? Date.now()
                : timeOf(lastModified) };
    }

    get name() { return checkedFile(this).name; }
    get lastModified() { return checkedFile(this).lastModified; }
}

// long long
function timeOf(value) {
    const number = Math.trunc(+value);
    return Number.isFinite(number) ? Number(BigInt.asIntN(64, BigInt(number))) : 0;
}

function checkedFile(file) {
    const found = fileOf(file);
    if (found === undefined)
        throw wrongThis('File');
    return found;
}

reveal(Blob, 'size', 'type', 'slice', 'stream', 'text', 'arrayBuffer', 'bytes');
reveal(File, 'name', 'lastModified');

function show(ctor, name, fieldsOf) {
    Object.defineProperty(ctor.prototype, custom, {
        writable: true, configurable: true,
        value: { [custom](depth, options, inspect = require('util/inspect').inspect) {
            if (depth < 0)
                return options.stylize(`[${name}]`, 'special');
            const inner = { ...options,
                depth: options.depth == null ? null : options.depth - 1 };
            return `${name} ${inspect(fieldsOf(this), inner)}`;
        } }[custom],
    });
}
show(Blob, 'Blob', ({ size, type }) => ({ size, type }));
show(File, 'File', ({ size, type, name, lastModified }) =>
    ({ size, type, name, lastModified }));

// ---- URLs ----

const PREFIX = 'blob:nodedata:';
const stored = new Map(); // id -> Blob

function createObjectURL(blob) {
    if (recordOf(blob) === undefined)
        throw invalidArgType('obj', 'an instance of Blob', blob);
    const id = require('crypto/crypto').randomUUID();
    stored.set(id, blob);
    return `${PREFIX}${id}`;
}

const idOf = (url) => `${url}`.startsWith(PREFIX) ? `${url}`.slice(PREFIX.length)
    : undefined;

function revokeObjectURL(url) {
    stored.delete(idOf(url));
}

function resolveObjectURL(url) {
    const blob = stored.get(idOf(url));
    return blob === undefined ? undefined : cloneBlob(blob);
}

// A Blob, even of a File.
function cloneBlob(blob) {
    return new Blob(kInternal, recordOf(blob));
}

// ---- for messages, and for bodies ----

// What a message has: the type, a file's name and time, and the pieces.
function takeBlob(blob) {
    const { pieces, type } = recordOf(blob), file = fileOf(blob);
    return [type, file === undefined ? null : file.name, file?.lastModified ?? 0,
        ...pieces.flatMap(({ buffer, offset, length }) => [buffer, offset, length])];
}

function makeBlob([type, name, lastModified, ...list]) {
    const pieces = [];
    for (let i = 0; i < list.length; i += 3)
        pieces.push(new Piece(list[i], list[i + 1], list[i + 2]));
    const record = { pieces, size: sizeOf(pieces), type };
    return name === null ? new Blob(kInternal, record)
        : new File(kInternal, record, { name, lastModified });
}

// A file with the bytes of a blob; the type too, unless it is given.
function fileFrom(blob, name, lastModified = Date.now()) {
    return new File(kInternal, recordOf(blob), { name, lastModified });
}

require('messages/host').define(Blob.prototype, function () {
    return recordOf(this) === undefined ? undefined : ['blob', ...takeBlob(this)];
});

const hooks = {
    isBlob: (value) => recordOf(value) !== undefined,
    isFile: (value) => fileOf(value) !== undefined,
    // The bytes as Uint8Arrays of shared memory, which must not be written to.
    viewsOf: (blob) => recordOf(blob).pieces.map((piece) => piece.view()),
    sizeOf: (blob) => recordOf(blob).size,
    typeOf: (blob) => recordOf(blob).type,
    makeBlob, fileFrom,
};

module.exports = { Blob, File, createObjectURL, revokeObjectURL, resolveObjectURL };
Object.defineProperty(module.exports, 'hooks', { value: hooks });
