// SPDX-License-Identifier: MIT
// v8/reader -- Deserializer: values in V8's format (v8/writer.js).
//
// The input may come from anywhere.  What does not follow the format is an error,
// and nothing larger than the input is allocated because the input says so.
'use strict';

const { Buffer } = require('bytes/buffer');
const { tags, flags, errorTags, viewTags } = require('v8/tags');
const { invalidArgType } = require('core/errors');

const LATEST = 15, OLDEST_WITH_VIEW_FLAGS = 14;
const kHole = Symbol('hole');

const invalid = () => new Error('Unable to deserialize cloned data.');
const isKey = (key) => typeof key === 'string' || typeof key === 'number';

class Deserializer {
    #bytes;
    #at = 0;
    #version = 0;
    #objects = [];
    #transferred = new Map();

    constructor(buffer) {
        if (!ArrayBuffer.isView(buffer))
            throw invalidArgType('buffer',
                'an instance of Buffer, TypedArray, or DataView', buffer);
        this.buffer = buffer;
        this.#bytes = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    }

    // ---- raw ----

    #byte() {
        if (this.#at >= this.#bytes.length)
            throw invalid();
        return this.#bytes[this.#at++];
    }

    #take(size) {
        if (size > this.#bytes.length - this.#at)
            throw invalid();
        this.#at += size;
        return this.#bytes.subarray(this.#at - size, this.#at);
    }

    #varint() {
        let value = 0, scale = 1;
        for (;;) {
            const byte = this.#byte();
            value += (byte & 0x7f) * scale;
            if (byte < 0x80)
                break;
            scale *= 0x80;
        }
        return value % 2 ** 32;
    }

    #tag() {
        let tag;
        do
            tag = String.fromCharCode(this.#byte());
        while (tag === tags.PADDING);
        return tag;
    }

    #peek() {
        while (this.#bytes[this.#at] === 0)
            this.#at++;
        return String.fromCharCode(this.#bytes[this.#at]);
    }

    #double() { return this.#take(8).readDoubleLE(0); }

    readHeader() {
        if (this.#bytes[this.#at] !== 0xff)
            throw new Error('Unable to deserialize cloned data due to invalid or unsupported version.');
        this.#at++;
        this.#version = this.#varint();
        if (this.#version > LATEST)
            throw new Error('Unable to deserialize cloned data due to invalid or unsupported version.');
        return true;
    }
    getWireFormatVersion() { return this.#version; }
    readUint32() { return this.#varint(); }
    readUint64() {
        let value = 0n, shift = 0n, byte;
        do {
            byte = this.#byte();
            value |= BigInt(byte & 0x7f) << shift;
            shift += 7n;
        } while (byte >= 0x80 && shift < 70n);
        return [Number(value >> 32n & 0xffffffffn), Number(value & 0xffffffffn)];
    }
    readDouble() { return this.#double(); }
    _readRawBytes(size) {
        const { byteOffset } = this.#take(size);
        return byteOffset - this.buffer.byteOffset;
    }
    readRawBytes(size) {
        const start = this._readRawBytes(size) + this.buffer.byteOffset;
        return Buffer.from(this.buffer.buffer, start, size);
    }
    transferArrayBuffer(id, buffer) { this.#transferred.set(id, buffer); }

    // ---- values ----

    readValue() { return this.#read(); }

    #read() {
        const tag = this.#tag();
        switch (tag) {
        case tags.UNDEFINED: return undefined;
        case tags.NULL: return null;
        case tags.TRUE: return true;
        case tags.FALSE: return false;
        case tags.INT32: {
            const value = this.#varint();
            return value >>> 1 ^ -(value & 1);
        }
        case tags.UINT32: return this.#varint();
        case tags.DOUBLE: return this.#double();
        case tags.BIGINT: return this.#bigint();
        case tags.UTF8_STRING: case tags.ONE_BYTE_STRING: case tags.TWO_BYTE_STRING:
            return this.#string(tag);
        case tags.REFERENCE: return this.#view(this.#reference());
        default: return this.#view(this.#object(tag));
        }
    }

    #reference() {
        const number = this.#varint();
        if (number >= this.#objects.length)
            throw invalid();
        return this.#objects[number];
    }

    #bigint() {
        const head = this.#varint(), bytes = this.#take(head >>> 1);
        let value = 0n;
        for (let i = bytes.length - 1; i >= 0; i--)
            value = value << 8n | BigInt(bytes[i]);
        return head & 1 ? -value : value;
    }

    #string(tag) {
        const bytes = this.#take(this.#varint());
        return bytes.toString(tag === tags.UTF8_STRING ? 'utf8'
            : tag === tags.ONE_BYTE_STRING ? 'latin1' : 'utf16le');
    }

    #text() {
        const tag = this.#tag();
        if (tag !== tags.UTF8_STRING && tag !== tags.ONE_BYTE_STRING &&
            tag !== tags.TWO_BYTE_STRING)
            throw invalid();
        return this.#string(tag);
    }

    // Give an object its number.
    #keep(object) {
        this.#objects.push(object);
        return object;
    }

    #object(tag) {
        switch (tag) {
        case tags.OBJECT: return this.#properties(this.#keep({}), tags.END_OBJECT, 1);
        case tags.SPARSE_ARRAY: return this.#sparse();
        case tags.DENSE_ARRAY: return this.#dense();
        case tags.DATE: return this.#keep(new Date(this.#double()));
        case tags.TRUE_OBJECT: return this.#keep(Object(true));
        case tags.FALSE_OBJECT: return this.#keep(Object(false));
        case tags.NUMBER_OBJECT: return this.#keep(Object(this.#double()));
        case tags.BIGINT_OBJECT: return this.#keep(Object(this.#bigint()));
        case tags.STRING_OBJECT: return this.#keep(Object(this.#text()));
        case tags.REGEXP: return this.#regexp();
        case tags.MAP: return this.#map();
        case tags.SET: return this.#set();
        case tags.BUFFER: return this.#keep(new Uint8Array(this.#take(this.#varint())).buffer);
        case tags.RESIZABLE_BUFFER: return this.#resizable();
        case tags.TRANSFERRED_BUFFER: return this.#keep(this.#transfer());
        case tags.SHARED_BUFFER: return this.#keep(this._getSharedArrayBuffer(this.#varint()));
        case tags.ERROR: return this.#error();
        case tags.HOST: {
            if (typeof this._readHostObject !== 'function')
                throw invalid();
            const number = this.#objects.push(undefined) - 1;
            return this.#objects[number] = this._readHostObject();
        }
        default: throw invalid();
        }
    }

    // Up to the end's tag, which is followed by as many numbers: how many
    // properties there are, and the length of an array.
    #properties(object, end, numbers) {
        let count = 0;
        while (this.#peek() !== end) {
            const key = this.#read();
            if (!isKey(key))
                throw invalid();
            Object.defineProperty(object, key, { value: this.#read(), writable: true,
                enumerable: true, configurable: true });
            count++;
        }
        this.#at++;
        if (this.#varint() !== count || (numbers === 2 && this.#varint() !== object.length))
            throw invalid();
        return object;
    }

    #sparse() {
        const array = this.#keep([]);
        array.length = this.#varint();
        return this.#properties(array, tags.END_SPARSE_ARRAY, 2);
    }

    #dense() {
        const array = this.#keep([]), length = this.#varint();
        if (length > this.#bytes.length - this.#at)
            throw invalid();
        for (let i = 0; i < length; i++) {
            const value = this.#peek() === tags.HOLE ? (this.#at++, kHole) : this.#read();
            if (value === kHole)
                array.length++;
            else
                array.push(value);
        }
        return this.#properties(array, tags.END_DENSE_ARRAY, 2);
    }

    #regexp() {
        const source = this.#text(), bits = this.#varint();
        const letters = Object.keys(flags).filter((letter) => bits & flags[letter]).join('');
        return this.#keep(new RegExp(source, letters));
    }

    #map() {
        const map = this.#keep(new Map());
        let count = 0;
        for (; this.#peek() !== tags.END_MAP; count += 2) {
            const key = this.#read();
            map.set(key, this.#read());
        }
        this.#at++;
        if (this.#varint() !== count)
            throw invalid();
        return map;
    }

    #set() {
        const set = this.#keep(new Set());
        let count = 0;
        for (; this.#peek() !== tags.END_SET; count++)
            set.add(this.#read());
        this.#at++;
        if (this.#varint() !== count)
            throw invalid();
        return set;
    }

    #resizable() {
        const size = this.#varint(), maxByteLength = this.#varint();
        if (size > maxByteLength)
            throw invalid();
        const bytes = this.#take(size);
        let buffer;
        try {
            buffer = new ArrayBuffer(size, { maxByteLength });
        } catch {
            throw invalid();
        }
        new Uint8Array(buffer).set(bytes);
        return this.#keep(buffer);
    }

    #transfer() {
        const id = this.#varint();
        if (!this.#transferred.has(id))
            throw invalid();
        return this.#transferred.get(id);
    }

    #error() {
        const number = this.#objects.push(undefined) - 1;
        let Class = Error, message, stack, options;
        for (;;) {
            const tag = String.fromCharCode(this.#byte());
            if (tag === errorTags.end)
                break;
            if (tag === errorTags.message)
                message = this.#text();
            else if (tag === errorTags.stack)
                stack = this.#text();
            else if (tag === errorTags.cause)
                options = { cause: this.#read() };
            else
                Class = globalThis[Object.keys(errorTags).find((name) =>
                    name.endsWith('Error') && errorTags[name] === tag)] ?? Error;
        }
        const error = new Class(message, options);
        Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
        return this.#objects[number] = error;
    }

    // A buffer may be followed by a view of it.
    #view(value) {
        if (!(value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) ||
            this.#at >= this.#bytes.length || this.#peek() !== tags.VIEW)
            return value;
        this.#at++;
        const tag = String.fromCharCode(this.#byte());
        const name = Object.keys(viewTags).find((key) => viewTags[key] === tag);
        const offset = this.#varint(), size = this.#varint();
        if (this.#version >= OLDEST_WITH_VIEW_FLAGS)
            this.#varint();
        const Class = globalThis[name], width = Class?.BYTES_PER_ELEMENT ?? 1;
        if (Class === undefined || offset > value.byteLength ||
            size > value.byteLength - offset || offset % width !== 0 || size % width !== 0)
            throw invalid();
        return this.#keep(new Class(value, offset, size / width));
    }
}

module.exports = { Deserializer };
