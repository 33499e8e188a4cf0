// SPDX-License-Identifier: MIT
// stringdecoder -- Node's StringDecoder: text from chunks that may split
// characters.  It waits for as many bytes as a first byte promises, as Node
// does.
'use strict';

const { UTF8, UTF16LE, BASE64, BASE64URL, kindOf, names, decode } =
    require('bytes/encodings');
const { coded, invalidArgType, unknownEncoding } = require('core/errors');
const { bytesOf } = require('bytes/encoding');

const own = new WeakMap(); // StringDecoder -> {kind, kept, count, missing}

function ownOf(decoder) {
    const state = own.get(decoder);
    if (state === undefined)
        throw coded(TypeError, 'ERR_INVALID_THIS',
            'Value of "this" must be of type StringDecoder');
    return state;
}

function keep(state, bytes) {
    state.kept.set(bytes, state.count);
    state.count += bytes.length;
}

// Complete the character that was kept.  Returns its text and the bytes after
// it.
function finish(state, bytes) {
    if (state.kind === UTF8) {
        const most = Math.min(bytes.length, state.missing);
        for (let i = 0; i < most; i++)
            if ((bytes[i] & 0xc0) !== 0x80) { // another character begins
                keep(state, bytes.subarray(0, i));
                bytes = bytes.subarray(i);
                state.missing = 0;
                break;
            }
    }
    const more = bytes.subarray(0, state.missing);
    keep(state, more);
    state.missing -= more.length;
    bytes = bytes.subarray(more.length);
    if (state.missing > 0)
        return ['', bytes];
    const text = decode(state.kind, state.kept, 0, state.count, false);
    state.count = 0;
    return [text, bytes];
}

function promised(first) {
    return (first & 0xe0) === 0xc0 ? 2 : (first & 0xf0) === 0xe0 ? 3
        : (first & 0xf8) === 0xf0 ? 4 : 0;
}

// How many bytes at the end must wait; notes how many are missing.
function unfinished(state, bytes) {
    const { length } = bytes, last = bytes[length - 1];
    switch (state.kind) {
    case UTF8:
        for (let back = 1; back <= Math.min(4, length) && (last & 0x80); back++) {
            const byte = bytes[length - back];
            if ((byte & 0xc0) === 0x80)
                continue;
            const wanted = promised(byte);
            if (back >= wanted)
                return 0;
            state.missing = wanted - back;
            return back;
        }
        return 0;
    case UTF16LE:
        if (length % 2 === 1)
            return state.missing = 1;
        return (last & 0xfc) === 0xd8 ? state.missing = 2 : 0;
    case BASE64: case BASE64URL:
        state.missing = length % 3 === 0 ? 0 : 3 - length % 3;
        return length % 3;
    default:
        return 0;
    }
}

// A function, because programs call it on objects of their own.
function StringDecoder(encoding) {
    const kind = encoding == null || encoding === '' ? UTF8 : kindOf(encoding);
    if (kind === undefined)
        throw unknownEncoding(encoding);
    this.encoding = names[kind];
    own.set(this, { kind, kept: new Uint8Array(4), count: 0, missing: 0 });
}

const methods = {
    write(buf) {
        const state = ownOf(this);
        if (typeof buf === 'string')
            return buf;
        if (!ArrayBuffer.isView(buf))
            throw invalidArgType('buf',
                'an instance of Buffer, TypedArray, or DataView', buf);
        const view = bytesOf(buf);
        let text = '';
        let bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
        if (state.missing > 0)
            [text, bytes] = finish(state, bytes);
        if (bytes.length === 0)
            return text;
        const rest = unfinished(state, bytes), end = bytes.length - rest;
        keep(state, bytes.subarray(end));
        return text + decode(state.kind, bytes, 0, end, false);
    },

    end(buf) {
        const state = ownOf(this);
        const text = buf === undefined ? '' : this.write(buf);
        const count = state.kind === UTF16LE ? state.count & ~1 : state.count;
        state.count = state.missing = 0;
        return text + decode(state.kind, state.kept, 0, count, false);
    },

    // Forget what was kept, and decode from an offset on.
    text(buf, offset) {
        const state = ownOf(this);
        state.count = state.missing = 0;
        return this.write(buf.slice(offset));
    },

    get lastChar() {
        return require('bytes/buffer').Buffer.from(ownOf(this).kept.buffer);
    },
    get lastNeed() { return ownOf(this).missing; },
    get lastTotal() {
        const { count, missing } = ownOf(this);
        return count + missing;
    },
};

for (const key of Object.keys(methods))
    Object.defineProperty(StringDecoder.prototype, key,
        Object.getOwnPropertyDescriptor(methods, key));

module.exports = { StringDecoder };
