// SPDX-License-Identifier: MIT
// buffer -- Node's Buffer.  js/bytes/buffer.c operates on its bytes, js/bytes/encoding.c on
// its strings.
'use strict';

const { UTF8, UTF16LE, HEX, BASE64, BASE64URL, kindOf, decode, encode, write,
    utf8Length, validity } = require('bytes/encodings');
const { coded, invalidArgType, invalidArgValue, outOfRange, unknownEncoding, plainly } =
    require('core/errors');
const { classOf, custom } = require('util/kinds');
const { bytesOf } = require('bytes/encoding');
const { compare, copy, fill, swap, search } = native;

const kMaxLength = 2 ** 31 - 1, kStringMaxLength = 2 ** 30 - 1; // the engine's
let maxShown = 50;

// ---- checks ----

const isUint8Array = (value) => ArrayBuffer.isView(value) &&
    classOf(value) === 'Uint8Array';
const isAnyArrayBuffer = (value) => typeof value === 'object' && value !== null &&
    /^(Shared)?ArrayBuffer$/.test(classOf(value));

function checkBytes(value, name) {
    if (!isUint8Array(value))
        throw invalidArgType(name, 'an instance of Buffer or Uint8Array', value);
}

function checkNumber(value, name, least, most) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!(value >= least && value <= most))
        throw outOfRange(name, `>= ${least} && <= ${most}`, value);
}

function checkOffset(value, name, least = 0, most = kMaxLength) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!Number.isInteger(value))
        throw outOfRange(name, 'an integer', value);
    if (value < least || value > most)
        throw outOfRange(name, `>= ${least} && <= ${most}`, value);
}

function kindFor(encoding) {
    const kind = kindOf(encoding);
    if (kind === undefined)
        throw unknownEncoding(encoding);
    return kind;
}

function outOfBounds(name) {
    return coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', name === undefined
        ? 'Attempt to access memory outside buffer bounds'
        : `"${name}" is outside of buffer bounds`);
}

// ---- creation ----

class FastBuffer extends Uint8Array {
    constructor(bufferOrLength, byteOffset, length) {
        super(bufferOrLength, byteOffset, length);
    }
}

let hasWarned = false;

function Buffer(arg, encodingOrOffset, length) {
    if (!hasWarned) {
        hasWarned = true;
        require('program/process').emitWarning('Buffer() is deprecated due to security ' +
            'and usability issues. Please use the Buffer.alloc(), ' +
            'Buffer.allocUnsafe(), or Buffer.from() methods instead.',
        'DeprecationWarning', 'DEP0005');
    }
    if (typeof arg !== 'number')
        return Buffer.from(arg, encodingOrOffset, length);
    if (typeof encodingOrOffset === 'string')
        throw invalidArgType('string', 'of type string', arg);
    return Buffer.alloc(arg);
}
Object.setPrototypeOf(Buffer, Uint8Array);
Object.defineProperty(Buffer, 'prototype',
    { value: FastBuffer.prototype, writable: true });
Object.defineProperty(FastBuffer.prototype, 'constructor',
    { value: Buffer, writable: true, configurable: true });
Object.defineProperty(Buffer, Symbol.species,
    { configurable: true, get() { return FastBuffer; } });

// An upper bound on the size of the encoded string.
function sizeOf(string, kind) {
    const { length } = string;
    switch (kind) {
    case UTF8: return utf8Length(string);
    case UTF16LE: return 2 * length;
    case HEX: return length >>> 1;
    case BASE64: case BASE64URL: {
        let count = length;
        if (string.charCodeAt(length - 1) === 0x3d)
            count--;
        if (count > 1 && string.charCodeAt(count - 1) === 0x3d)
            count--;
        return Math.floor(count * 3 / 4);
    }
    default: return length;
    }
}

function fromString(string, encoding) {
    const kind = typeof encoding !== 'string' || encoding === '' ? UTF8
        : kindFor(encoding);
    if (kind === UTF8)
        return Object.setPrototypeOf(encode(string), Buffer.prototype);
    const buffer = new FastBuffer(sizeOf(string, kind));
    const count = write(kind, string, buffer, 0, buffer.length);
    return count === buffer.length ? buffer : buffer.subarray(0, count);
}

function fromArrayBuffer(buffer, offset, length) {
    offset = offset === undefined ? 0 : +offset || 0;
    const most = buffer.byteLength - offset;
    if (most < 0)
        throw outOfBounds('offset');
    if (length === undefined) {
        length = most;
    } else {
        length = +length;
        if (length > most)
            throw outOfBounds('length');
        if (!(length > 0))
            length = 0;
    }
    return new FastBuffer(buffer, offset, length);
}

function fromArrayLike(list) {
    if (!(list.length > 0))
        return new FastBuffer(0);
    checkNumber(list.length, 'length', 0, kMaxLength);
    const buffer = new FastBuffer(list.length);
    buffer.set(list);
    return buffer;
}

function fromObject(value, encodingOrOffset, length) {
    if (isAnyArrayBuffer(value))
        return fromArrayBuffer(value, encodingOrOffset, length);
    const inner = value.valueOf && value.valueOf();
    if (inner != null && inner !== value &&
        (typeof inner === 'string' || typeof inner === 'object'))
        return Buffer.from(inner, encodingOrOffset, length);
    if (value.length !== undefined || isAnyArrayBuffer(value.buffer))
        return typeof value.length !== 'number' ? new FastBuffer(0)
            : fromArrayLike(value);
    if (value.type === 'Buffer' && Array.isArray(value.data))
        return fromArrayLike(value.data);
    if (typeof value[Symbol.toPrimitive] === 'function') {
        const primitive = value[Symbol.toPrimitive]('string');
        if (typeof primitive === 'string')
            return fromString(primitive, encodingOrOffset);
    }
    return undefined;
}

function from(value, encodingOrOffset, length) {
    if (typeof value === 'string')
        return fromString(value, encodingOrOffset);
    const made = typeof value === 'object' && value !== null
        ? fromObject(value, encodingOrOffset, length) : undefined;
    if (made === undefined)
        throw invalidArgType('first argument', 'of type string or an instance of ' +
            'Buffer, ArrayBuffer, or Array or an Array-like Object', value);
    return made;
}

const statics = {
    from,

    copyBytesFrom(view, offset, length) {
        if (!ArrayBuffer.isView(view) || classOf(view) === 'DataView')
            throw invalidArgType('view', 'an instance of TypedArray', view);
        if (offset !== undefined)
            checkOffset(offset, 'offset', 0, Number.MAX_SAFE_INTEGER);
        if (length !== undefined)
            checkOffset(length, 'length', 0, Number.MAX_SAFE_INTEGER);
        const part = view.subarray(offset ?? 0,
            length === undefined ? undefined : (offset ?? 0) + length);
        const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
        return fromArrayLike(bytes);
    },

    of(...items) {
        const buffer = new FastBuffer(items.length);
        for (let i = 0; i < items.length; i++)
            buffer[i] = items[i];
        return buffer;
    },

    alloc(size, value, encoding) {
        checkNumber(size, 'size', 0, kMaxLength);
        const buffer = new FastBuffer(Math.trunc(size));
        return value === undefined || value === 0 || size === 0 ? buffer
            : fillWith(buffer, value, 0, buffer.length, encoding);
    },

    allocUnsafe(size) {
        checkNumber(size, 'size', 0, kMaxLength);
        return new FastBuffer(Math.trunc(size));
    },

    allocUnsafeSlow(size) {
        checkNumber(size, 'size', 0, kMaxLength);
        return new FastBuffer(Math.trunc(size));
    },

    isBuffer: (value) => value instanceof Buffer,

    compare(buf1, buf2) {
        checkBytes(buf1, 'buf1');
        checkBytes(buf2, 'buf2');
        return compare(buf1, 0, undefined, buf2, 0, undefined);
    },

    isEncoding: (encoding) => typeof encoding === 'string' &&
        kindOf(encoding) !== undefined,

    concat(list, length) {
        if (!Array.isArray(list))
            throw invalidArgType('list', 'an instance of Array', list);
        if (list.length === 0)
            return new FastBuffer(0);
        if (length === undefined)
            length = list.reduce((sum, one) => sum + (one?.length || 0), 0);
        else
            checkOffset(length, 'length');
        const whole = Buffer.allocUnsafe(length);
        let at = 0;
        for (let i = 0; i < list.length; i++) {
            checkBytes(list[i], `list[${i}]`);
            at += copy(whole, at, list[i], 0, undefined);
        }
        return whole;
    },

    byteLength(string, encoding) {
        if (typeof string !== 'string') {
            if (ArrayBuffer.isView(string) || isAnyArrayBuffer(string))
                return string.byteLength;
            throw invalidArgType('string', 'of type string or an instance of ' +
                'Buffer or ArrayBuffer', string);
        }
        return sizeOf(string, (encoding && kindOf(encoding)) || UTF8);
    },
};
for (const key of ['from', 'of', 'copyBytesFrom', 'alloc', 'allocUnsafe',
    'allocUnsafeSlow', 'isBuffer', 'compare', 'isEncoding', 'concat', 'byteLength'])
    Object.defineProperty(Buffer, key,
        { value: statics[key], writable: true, enumerable: true, configurable: true });
Buffer.poolSize = 8 * 1024;

// ---- filling ----

function fillString(buffer, value, start, end, encoding) {
    if (start === undefined || typeof start === 'string') {
        encoding = start;
        start = undefined;
    } else if (typeof end === 'string') {
        encoding = end;
        end = buffer.length;
    }
    if (encoding != null && encoding !== '' && kindOf(encoding) === undefined) {
        if (typeof encoding !== 'string')
            throw invalidArgType('encoding', 'of type string', encoding);
        kindFor(encoding);
    }
    const pattern = value === '' ? 0
        : fromString(value, encoding ?? 'utf8');
    return fillBytes(buffer, value, pattern, start, end);
}

function fillBytes(buffer, value, pattern, start, end) {
    if (start === undefined) {
        start = 0;
        end = buffer.length;
    } else {
        checkOffset(start, 'offset');
        if (end === undefined)
            end = buffer.length;
        else
            checkOffset(end, 'end', 0, buffer.length);
        if (start >= end)
            return buffer;
    }
    if (start > end || end > buffer.length)
        throw outOfBounds();
    if (typeof pattern === 'number')
        Uint8Array.prototype.fill.call(buffer, pattern, start, end);
    else if (!fill(buffer, pattern, start, end))
        throw invalidArgValue('value', value);
    return buffer;
}

function fillWith(buffer, value, start, end, encoding) {
    if (typeof value === 'string')
        return fillString(buffer, value, start, end, encoding);
    return fillBytes(buffer, value, ArrayBuffer.isView(value) ? bytesOf(value)
        : value & 255, start, end);
}

// ---- searching ----

function indexOf(buffer, value, offset, encoding, isUp) {
    if (typeof offset === 'string') {
        encoding = offset;
        offset = undefined;
    }
    offset = Math.max(-0x80000000, Math.min(+offset, 0x7fffffff));
    if (Number.isNaN(offset))
        offset = isUp ? 0 : buffer.length;
    offset = Math.trunc(offset);
    if (typeof value === 'number')
        return search(buffer, new Uint8Array([value]), offset, isUp, 1);
    if (typeof value === 'string') {
        const kind = encoding === undefined ? UTF8 : kindFor(encoding);
        return search(buffer, fromString(value, encoding), offset, isUp,
            kind === UTF16LE ? 2 : 1);
    }
    if (!isUint8Array(value))
        throw invalidArgType('value', 'one of type number or string or an ' +
            'instance of Buffer or Uint8Array', value);
    return search(buffer, value, offset, isUp,
        encoding !== undefined && kindOf(encoding) === UTF16LE ? 2 : 1);
}

// ---- the methods ----

function integer(value, otherwise) {
    value = +value;
    return Number.isSafeInteger(Math.floor(value)) ? Math.floor(value) : otherwise;
}

function place(value, length) {
    value = Math.trunc(value) || 0;
    return value < 0 ? Math.max(value + length, 0) : Math.min(value, length);
}

function part(buffer, start, end) {
    const { length } = buffer;
    start = place(start, length);
    end = end === undefined ? length : place(end, length);
    return new FastBuffer(buffer.buffer, buffer.byteOffset + start,
        Math.max(end - start, 0));
}

function swapAll(buffer, width) {
    if (buffer.length % width !== 0)
        throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE',
            `Buffer size must be a multiple of ${8 * width}-bits`);
    swap(buffer, width);
    return buffer;
}

const methods = {
    copy(target, targetStart, sourceStart, sourceEnd) {
        checkBytes(this, 'source');
        checkBytes(target, 'target');
        targetStart = targetStart === undefined ? 0 : integer(targetStart, 0);
        if (targetStart < 0)
            throw outOfRange('targetStart', '>= 0', targetStart);
        sourceStart = sourceStart === undefined ? 0 : integer(sourceStart, 0);
        if (sourceStart < 0 || sourceStart > this.length)
            throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, sourceStart);
        sourceEnd = sourceEnd === undefined ? this.length : integer(sourceEnd, 0);
        if (sourceEnd < 0)
            throw outOfRange('sourceEnd', '>= 0', sourceEnd);
        return sourceStart >= sourceEnd ? 0
            : copy(target, targetStart, this, sourceStart, sourceEnd);
    },

    toString(encoding, start, end) {
        const { length } = this;
        start = start <= 0 ? 0 : Math.trunc(start) || 0;
        end = end === undefined || end > length ? length : Math.trunc(end) || 0;
        if (start >= length || end <= start)
            return '';
        const kind = encoding === undefined ? UTF8 : kindFor(encoding);
        return decode(kind, this, start, end, false);
    },

    equals(otherBuffer) {
        checkBytes(otherBuffer, 'otherBuffer');
        return this === otherBuffer || (this.length === otherBuffer.length &&
            compare(this, 0, undefined, otherBuffer, 0, undefined) === 0);
    },

    inspect(depth, options) {
        return this[custom](depth, options);
    },

    compare(target, targetStart, targetEnd, sourceStart, sourceEnd) {
        checkBytes(target, 'target');
        if (targetStart !== undefined)
            checkOffset(targetStart, 'targetStart');
        if (targetEnd !== undefined)
            checkOffset(targetEnd, 'targetEnd', 0, target.length);
        if (sourceStart !== undefined)
            checkOffset(sourceStart, 'sourceStart');
        if (sourceEnd !== undefined)
            checkOffset(sourceEnd, 'sourceEnd', 0, this.length);
        return compare(this, sourceStart, sourceEnd, target, targetStart, targetEnd);
    },

    indexOf(value, offset, encoding) {
        return indexOf(this, value, offset, encoding, true);
    },
    lastIndexOf(value, offset, encoding) {
        return indexOf(this, value, offset, encoding, false);
    },
    includes(value, offset, encoding) {
        return indexOf(this, value, offset, encoding, true) !== -1;
    },

    fill(value, offset, end, encoding) {
        return fillWith(this, value, offset, end, encoding);
    },

    write(string, offset, length, encoding) {
        if (offset === undefined) {
            offset = 0;
            length = this.length;
            encoding = undefined;
        } else if (length === undefined && typeof offset === 'string') {
            encoding = offset;
            offset = 0;
            length = this.length;
        } else {
            checkOffset(offset, 'offset', 0, this.length);
            if (typeof length === 'string') {
                encoding = length;
                length = undefined;
            } else if (length !== undefined) {
                checkOffset(length, 'length', 0, this.length);
            }
            length = Math.min(length ?? Infinity, this.length - offset);
        }
        const kind = encoding ? kindFor(encoding) : UTF8;
        if (typeof string !== 'string')
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
        return write(kind, string, this, offset, offset + length);
    },

    toJSON() {
        return { type: 'Buffer', data: Array.from(this) };
    },

    subarray(start, end) { return part(this, start, end); },
    slice(start, end) { return part(this, start, end); },
    swap16() { return swapAll(this, 2); },
    swap32() { return swapAll(this, 4); },
    swap64() { return swapAll(this, 8); },
};

// latin1Slice and so on: toString and write for one encoding, with other
// checks.  Node does not document them, but packages call them.
function index(value, missing, most) {
    if (value === undefined)
        return missing;
    value = Math.trunc(value) || 0;
    if (value < 0 || value > most)
        throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'Index out of range');
    return value;
}

for (const encoding of ['ascii', 'base64', 'base64url', 'latin1', 'hex', 'ucs2', 'utf8']) {
    methods[`${encoding}Slice`] = function (...args) {
        if (!ArrayBuffer.isView(this))
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a buffer');
        const start = index(args[0], 0, this.length);
        const end = index(args[1], this.length, this.length);
        return methods.toString.call(this, encoding, start, end);
    };
    methods[`${encoding}Write`] = function (...args) {
        if (!ArrayBuffer.isView(this))
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a buffer');
        if (typeof args[0] !== 'string')
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
        const offset = index(args[1], 0, Infinity);
        if (offset > this.length)
            throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS',
                '"offset" is outside of buffer bounds');
        const length = Math.min(index(args[2], Infinity, Infinity), this.length - offset);
        return write(kindFor(encoding), args[0], this, offset, offset + length);
    };
}

Object.assign(Buffer.prototype, require('bytes/numeric').methods, methods);
Buffer.prototype.toLocaleString = Buffer.prototype.toString;
for (const [key, of] of [['parent', 'buffer'], ['offset', 'byteOffset']])
    Object.defineProperty(Buffer.prototype, key, {
        configurable: true, enumerable: true,
        get() { return this instanceof Buffer ? this[of] : undefined; },
    });

Object.defineProperty(Buffer.prototype, custom, {
    writable: true, enumerable: true, configurable: true,
    value(depth, options, inspect = require('util/inspect').inspect) {
        const count = Math.min(maxShown, this.length), rest = this.length - maxShown;
        let text = decode(HEX, this, 0, count, false).replace(/..(?=.)/g, '$& ');
        if (rest > 0)
            text += ` ... ${rest} more byte${rest > 1 ? 's' : ''}`;
        const extra = { __proto__: null };
        for (const key of Reflect.ownKeys(this))
            if (!/^\d+$/.test(String(key)) && (options?.showHidden ||
                Object.getOwnPropertyDescriptor(this, key).enumerable))
                extra[key] = this[key];
        if (options !== undefined && Reflect.ownKeys(extra).length > 0) {
            if (this.length !== 0)
                text += ', ';
            text += inspect(extra, { ...options, breakLength: Infinity,
                compact: true }).slice(27, -2);
        }
        return `<${this.constructor.name} ${text}>`;
    },
});

// ---- the module ----

// The old name of Buffer.allocUnsafeSlow.
function SlowBuffer(length) {
    return Buffer.allocUnsafeSlow(length);
}
Object.setPrototypeOf(SlowBuffer.prototype, Uint8Array.prototype);
Object.setPrototypeOf(SlowBuffer, Uint8Array);

function checkInput(input) {
    if (!ArrayBuffer.isView(input) && !isAnyArrayBuffer(input))
        throw invalidArgType('input',
            'an instance of ArrayBuffer, Buffer, or TypedArray', input);
    if (!ArrayBuffer.isView(input) && input.detached) // a view of it is empty
        throw plainly(Error, 'ERR_INVALID_STATE', 'Cannot validate on a detached buffer');
    return bytesOf(input);
}

module.exports = {
    Buffer,
    isUtf8: (input) => validity(checkInput(input)) >= 1,
    isAscii: (input) => validity(checkInput(input)) === 2,
    kMaxLength, kStringMaxLength,
    ...require('bytes/base64'),
    SlowBuffer,
    transcode: function transcode(source, fromEncoding, toEncoding) {
        return require('bytes/transcode')(source, fromEncoding, toEncoding);
    },
    constants: Object.defineProperties({}, {
        MAX_LENGTH: { value: kMaxLength, enumerable: true },
        MAX_STRING_LENGTH: { value: kStringMaxLength, enumerable: true },
    }),
    get Blob() { return require('web/blob').Blob; },
    get File() { return require('web/blob').File; },
    resolveObjectURL(url) { return require('web/blob').resolveObjectURL(url); },
    get INSPECT_MAX_BYTES() { return maxShown; },
    set INSPECT_MAX_BYTES(value) {
        checkNumber(value, 'INSPECT_MAX_BYTES', 0, Infinity);
        maxShown = value;
    },
};
