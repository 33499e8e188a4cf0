// SPDX-License-Identifier: MIT
// v8/writer -- Serializer: values in V8's format (ValueSerializer, version 15), so
// that Node can read them.
//
// A value is a tag and its parts; numbers of unsigned integers are in base 128.
// Each object has a number, in the order in which it is written, and a second
// occurrence is a reference to it.
'use strict';

const { Buffer } = require('bytes/buffer');
const { classOf } = require('util/kinds');
const { coded } = require('core/errors');
const { tags, flags, errorTags, viewTags } = require('v8/tags');

const VERSION = 15;
const isLatin1 = (text) => !/[^\0-\xff]/.test(text);

function uncloneable(value) {
    const text = typeof value === 'function' ? Function.prototype.toString.call(value)
        : typeof value === 'symbol' ? value.toString()
            : `#<${value?.constructor?.name ?? 'Object'}>`;
    return `${text} could not be cloned.`;
}

class Serializer {
    #bytes = Buffer.allocUnsafeSlow(64);
    #size = 0;
    #seen = new Map();
    #transferred = new Map();
    #treatsViewsAsHost = false;

    // ---- raw ----

    #reserve(more) {
        if (this.#size + more <= this.#bytes.length)
            return;
        const bytes = Buffer.allocUnsafeSlow(2 * (this.#size + more));
        this.#bytes.copy(bytes, 0, 0, this.#size);
        this.#bytes = bytes;
    }

    #byte(value) {
        this.#reserve(1);
        this.#bytes[this.#size++] = value;
    }

    #tag(tag) { this.#byte(tag.charCodeAt(0)); }

    #varint(value) {
        while (value >= 0x80) {
            this.#byte(value % 0x80 | 0x80);
            value = Math.floor(value / 0x80);
        }
        this.#byte(value);
    }

    #raw(bytes) {
        this.#reserve(bytes.length);
        this.#bytes.set(bytes, this.#size);
        this.#size += bytes.length;
    }

    #double(value) {
        this.#reserve(8);
        this.#size = this.#bytes.writeDoubleLE(value, this.#size);
    }

    writeHeader() {
        this.#byte(0xff);
        this.#byte(VERSION);
    }
    writeUint32(value) { this.#varint(value >>> 0); }
    writeUint64(high, low) {
        let value = BigInt(high >>> 0) << 32n | BigInt(low >>> 0);
        for (; value >= 0x80n; value >>= 7n)
            this.#byte(Number(value & 0x7fn) | 0x80);
        this.#byte(Number(value));
    }
    writeDouble(value) { this.#double(+value); }
    writeRawBytes(source) {
        if (!ArrayBuffer.isView(source) && classOf(source) !== 'ArrayBuffer')
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE',
                'source must be a TypedArray or a DataView');
        this.#raw(ArrayBuffer.isView(source)
            ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
            : new Uint8Array(source));
    }
    releaseBuffer() {
        const result = Buffer.from(this.#bytes.buffer, 0, this.#size);
        this.#bytes = Buffer.allocUnsafeSlow(64);
        this.#size = 0;
        return result;
    }
    transferArrayBuffer(id, buffer) { this.#transferred.set(buffer, id); }
    _setTreatArrayBufferViewsAsHostObjects(isHost) { this.#treatsViewsAsHost = isHost; }
    _getDataCloneError(message) { return new Error(message); }

    // ---- values ----

    writeValue(value) {
        this.#write(value);
        return true;
    }

    #write(value) {
        switch (typeof value) {
        case 'undefined': this.#tag(tags.UNDEFINED); break;
        case 'boolean': this.#tag(value ? tags.TRUE : tags.FALSE); break;
        case 'number': this.#number(value); break;
        case 'bigint':
            this.#tag(tags.BIGINT);
            this.#bigint(value);
            break;
        case 'string': this.#string(value); break;
        case 'object':
            if (value === null)
                this.#tag(tags.NULL);
            else
                this.#object(value);
            break;
        default: throw this._getDataCloneError(uncloneable(value));
        }
    }

    #number(value) {
        if (Object.is(value, value | 0)) {
            this.#tag(tags.INT32);
            this.#varint((value << 1 ^ value >> 31) >>> 0);
        } else {
            this.#tag(tags.DOUBLE);
            this.#double(value);
        }
    }

    #bigint(value) {
        const digits = [];
        for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 64n)
            digits.push(rest & 0xffffffffffffffffn);
        this.#varint(digits.length * 8 << 1 | (value < 0n ? 1 : 0));
        this.#reserve(8 * digits.length);
        for (const digit of digits)
            this.#size = this.#bytes.writeBigUInt64LE(digit, this.#size);
    }

    #string(text) {
        if (isLatin1(text)) {
            this.#tag(tags.ONE_BYTE_STRING);
            this.#varint(text.length);
            this.#raw(Buffer.from(text, 'latin1'));
            return;
        }
        let size = 1; // of the length that follows the tag
        for (let rest = 2 * text.length; rest >= 0x80; rest /= 0x80)
            size++;
        if ((this.#size + 1 + size) % 2 !== 0) // V8 aligns the text
            this.#byte(0);
        this.#tag(tags.TWO_BYTE_STRING);
        this.#varint(2 * text.length);
        this.#raw(Buffer.from(text, 'utf16le'));
    }

    #object(value) {
        const number = this.#seen.get(value);
        if (number !== undefined) {
            this.#tag(tags.REFERENCE);
            this.#varint(number);
            return;
        }
        if (ArrayBuffer.isView(value) && !this.#treatsViewsAsHost && !this.#seen.has(value.buffer))
            this.#object(value.buffer); // the buffer comes first
        this.#seen.set(value, this.#seen.size);
        this.#body(value);
    }

    #body(value) {
        if (typeof value === 'function')
            throw this._getDataCloneError(uncloneable(value));
        if (Array.isArray(value)) {
            this.#array(value);
            return;
        }
        if (ArrayBuffer.isView(value)) {
            if (this.#treatsViewsAsHost)
                this.#host(value);
            else
                this.#view(value);
            return;
        }
        switch (classOf(value)) {
        case 'Boolean': this.#tag(value.valueOf() ? tags.TRUE_OBJECT : tags.FALSE_OBJECT); break;
        case 'Number':
            this.#tag(tags.NUMBER_OBJECT);
            this.#double(value.valueOf());
            break;
        case 'BigInt':
            this.#tag(tags.BIGINT_OBJECT);
            this.#bigint(value.valueOf());
            break;
        case 'String':
            this.#tag(tags.STRING_OBJECT);
            this.#string(value.valueOf());
            break;
        case 'Date':
            this.#tag(tags.DATE);
            this.#double(+value);
            break;
        case 'RegExp':
            this.#tag(tags.REGEXP);
            this.#string(value.source);
            this.#varint([...value.flags].reduce((sum, flag) => sum | flags[flag], 0));
            break;
        case 'Map': this.#list(tags.MAP, tags.END_MAP, [...value].flat(1)); break;
        case 'Set': this.#list(tags.SET, tags.END_SET, [...value]); break;
        case 'ArrayBuffer': this.#buffer(value); break;
        case 'SharedArrayBuffer': this.#sharedBuffer(value); break;
        case 'Error': this.#error(value); break;
        case 'Object': case 'Arguments': case 'URL': this.#plain(value); break;
        default: throw this._getDataCloneError(uncloneable(value));
        }
    }

    #list(begin, end, items) {
        this.#tag(begin);
        for (const item of items)
            this.#write(item);
        this.#tag(end);
        this.#varint(items.length);
    }

    // The properties that are still there; returns how many.
    #properties(object, keys) {
        let count = 0;
        for (const key of keys) {
            if (!Object.hasOwn(object, key))
                continue;
            this.#key(key);
            this.#write(object[key]);
            count++;
        }
        return count;
    }

    #key(key) {
        const index = Number(key);
        if (String(index >>> 0) === key && index < 2 ** 32 - 1)
            this.#number(index);
        else
            this.#string(key);
    }

    #plain(object) {
        this.#tag(tags.OBJECT);
        const count = this.#properties(object, Object.keys(object));
        this.#tag(tags.END_OBJECT);
        this.#varint(count);
    }

    #array(array) {
        const { length } = array, keys = Object.keys(array);
        const isDense = keys.length >= length && keys.slice(0, length)
            .every((key, index) => key === String(index));
        this.#tag(isDense ? tags.DENSE_ARRAY : tags.SPARSE_ARRAY);
        this.#varint(length);
        if (isDense)
            for (let i = 0; i < length; i++)
                if (Object.hasOwn(array, i))
                    this.#write(array[i]);
                else
                    this.#tag(tags.HOLE);
        const count = this.#properties(array, isDense ? keys.slice(length) : keys);
        this.#tag(isDense ? tags.END_DENSE_ARRAY : tags.END_SPARSE_ARRAY);
        this.#varint(count);
        this.#varint(length);
    }

    #buffer(buffer) {
        if (this.#transferred.has(buffer)) {
            this.#tag(tags.TRANSFERRED_BUFFER);
            this.#varint(this.#transferred.get(buffer));
            return;
        }
        if (buffer.detached)
            throw this._getDataCloneError('An ArrayBuffer is detached and could not be cloned.');
        this.#tag(buffer.resizable ? tags.RESIZABLE_BUFFER : tags.BUFFER);
        this.#varint(buffer.byteLength);
        if (buffer.resizable)
            this.#varint(buffer.maxByteLength);
        this.#raw(new Uint8Array(buffer));
    }

    #sharedBuffer(buffer) {
        if (typeof this._getSharedArrayBufferId !== 'function')
            throw this._getDataCloneError('#<SharedArrayBuffer> could not be cloned.');
        this.#tag(tags.SHARED_BUFFER);
        this.#varint(this._getSharedArrayBufferId(buffer) >>> 0);
    }

    #view(view) {
        this.#tag(tags.VIEW);
        this.#tag(viewTags[classOf(view)]);
        this.#varint(view.byteOffset);
        this.#varint(view.byteLength);
        this.#varint(0); // flags: neither tracks the length nor is backed by a resizable buffer
    }

    #host(object) {
        if (typeof this._writeHostObject !== 'function')
            throw this._getDataCloneError(uncloneable(object));
        this.#tag(tags.HOST);
        this._writeHostObject(object);
    }

    #error(error) {
        this.#tag(tags.ERROR);
        if (Object.hasOwn(errorTags, error.name) && errorTags[error.name] !== undefined)
            this.#tag(errorTags[error.name]);
        if (Object.hasOwn(error, 'message')) {
            this.#tag(errorTags.message);
            this.#string(String(error.message));
        }
        if (Object.hasOwn(error, 'cause')) {
            this.#tag(errorTags.cause);
            this.#write(error.cause);
        }
        if (typeof error.stack === 'string') {
            this.#tag(errorTags.stack);
            this.#string(error.stack);
        }
        this.#tag(errorTags.end);
    }
}

module.exports = { Serializer };
