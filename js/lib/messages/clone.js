// SPDX-License-Identifier: MIT
// clone -- structuredClone of the HTML Standard: the less common types.
//
// Plain objects, arrays, buffers and their views are written and read in C
// (js/messages/writer.c, js/messages/reader.c).  All other types are taken apart here, and
// reassembled in this host or another one.
'use strict';

const { coded } = require('core/errors');

// The program may replace these later.
const { BigInt, DOMException, Date, Error, Map, Object, Reflect, RegExp,
    Set } = globalThis;
const { classOf, isProxy } = native;
const ERROR = 0, MAP = 1, SET = 2, DATE = 3, REGEXP = 4, BOX = 5, VIEW = 6,
    EXCEPTION = 7, HOST = 8;

const boxes = { Boolean, Number, String, BigInt };
const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError,
    TypeError, URIError };
const unboxed = Object.fromEntries(Object.entries(boxes).map(([name, Box]) =>
    [name, Box.prototype.valueOf]));
const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const { getTime } = Date.prototype;
const mapForEach = Map.prototype.forEach, setForEach = Set.prototype.forEach;
const mapSet = Map.prototype.set, setAdd = Set.prototype.add;
const views = Object.fromEntries(['DataView', 'Int8Array', 'Uint8Array',
    'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
    'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array',
    'Float64Array'].map((name) => [name, globalThis[name]]));

// ---- taking apart ----

function own(object, key) {
    const found = getOwnPropertyDescriptor(object, key);
    return found !== undefined && 'value' in found ? found.value : undefined;
}

// [ERROR, name, stack, message, cause]; null stands for a missing text.
function takeError(value) {
    const message = own(value, 'message');
    const { stack } = value;
    const parts = [ERROR, `${value.name}`,
        typeof stack === 'string' ? stack : undefined,
        message === undefined ? null : `${message}`];
    if (Object.hasOwn(value, 'cause'))
        parts.push(value.cause);
    return parts;
}

// Call the getters of a prototype, even if an object has hidden them.
function gettersOf({ prototype }, ...keys) {
    const getters = keys.map((key) => getOwnPropertyDescriptor(prototype, key).get);
    return (object) => getters.map((getter) => apply(getter, object, []));
}
const inDataView = gettersOf(DataView, 'buffer', 'byteOffset', 'byteLength');
const inTypedArray = gettersOf(Object.getPrototypeOf(Uint8Array), 'buffer',
    'byteOffset', 'byteLength');
const bufferOf = gettersOf(DataView, 'buffer');
const inBuffer = gettersOf(ArrayBuffer, 'byteLength');
const inShared = gettersOf(SharedArrayBuffer, 'byteLength');

// The error for a DataView whose buffer is detached, or too small for it, with
// V8's texts; js/messages/writer.c has that for typed arrays.
function lost(value) {
    const [buffer] = bufferOf(value);
    return new DOMException(buffer.detached
        ? 'An ArrayBuffer is detached and could not be cloned.'
        : '#<DataView> could not be cloned.', 'DataCloneError');
}

// A length of undefined means that the view follows its buffer.  The engine does
// not say so; a view that ends where its buffer ends is taken for one that does.
function takeView(value, kind) {
    let buffer, offset, size;
    try {
        [buffer, offset, size] = kind === 'DataView' ? inDataView(value)
            : inTypedArray(value);
    } catch {
        throw lost(value);
    }
    const [whole] = classOf(buffer) === 'ArrayBuffer' ? inBuffer(buffer)
        : inShared(buffer);
    const element = views[kind].BYTES_PER_ELEMENT ?? 1;
    return [VIEW, kind, buffer, offset,
        offset + size + element > whole ? undefined : size / element];
}

function take(value) {
    const kind = classOf(value), parts = [];
    switch (kind) {
    case 'Error':
        return takeError(value);
    case 'Map':
        apply(mapForEach, value, [(item, key) => { parts.push(key, item); }]);
        return [MAP, ...parts];
    case 'Set':
        apply(setForEach, value, [(item) => { parts.push(item); }]);
        return [SET, ...parts];
    case 'DOMException':
        return [EXCEPTION, value.message, value.name, `${value.stack}`];
    case 'Date':
        return [DATE, apply(getTime, value, [])];
    case 'RegExp':
        return [REGEXP, value.source, value.flags];
    case 'Object': {
        const found = require('messages/host').take(value);
        return found === undefined
            ? refuse(require('messages/host').isTransferable(value) ? 0 : value)
            : [HOST, ...found];
    }
    }
    if (kind in boxes)
        return [BOX, apply(unboxed[kind], value, [])];
    return takeView(value, kind);
}

// ---- reassembling ----

// Create the object before its parts, so that they can refer to it.
function make(kind) {
    switch (kind) {
    case ERROR:
        return new Error();
    case MAP:
        return new Map();
    case SET:
        return new Set();
    }
    return undefined;
}

function hide(object, key, value) {
    defineProperty(object, key,
        { value, writable: true, enumerable: false, configurable: true });
}

function fillError(error, [, name, stack, message, ...cause]) {
    Object.setPrototypeOf(error, (errors[name] ?? Error).prototype);
    delete error.message;
    if (message !== null)
        hide(error, 'message', message);
    hide(error, 'stack', stack);
    if (cause.length > 0)
        hide(error, 'cause', cause[0]);
    return error;
}

// A text stands for a BigInt that does not fit in a C integer.
function fill(parts, object) {
    if (typeof parts === 'string')
        return BigInt(parts);
    const [kind, first, second, third, fourth] = parts;
    switch (kind) {
    case ERROR:
        return fillError(object, parts);
    case MAP:
        for (let i = 1; i < parts.length; i += 2)
            apply(mapSet, object, [parts[i], parts[i + 1]]);
        return object;
    case SET:
        for (let i = 1; i < parts.length; i++)
            apply(setAdd, object, [parts[i]]);
        return object;
    case DATE:
        return new Date(first);
    case REGEXP:
        return new RegExp(first, second);
    case BOX:
        return Object(first);
    case EXCEPTION: {
        const exception = new DOMException(first, second);
        hide(exception, 'stack', third);
        return exception;
    }
    case HOST:
        return require('messages/host').make(first, parts.slice(2));
    }
    return new views[first](second, third, fourth); // VIEW
}

// ---- refusing ----

// An inherited plain value.  No getter is called.
function inherited(value, key) {
    for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
        const found = isProxy(at) ? undefined : own(at, key);
        if (found !== undefined)
            return found;
    }
    return undefined;
}

function describeObject(value) {
    const ctor = inherited(value, 'constructor');
    if (inherited(value, 'toString') === Object.prototype.toString &&
        typeof ctor === 'function' && own(ctor, 'name'))
        return `#<${own(ctor, 'name')}>`;
    const tag = inherited(value, Symbol.toStringTag);
    return `[object ${typeof tag === 'string' ? tag : classOf(value)}]`;
}

// Describe a value as V8 does.
function describe(value) {
    if (typeof value === 'symbol')
        return value.toString();
    while (isProxy(value))
        value = require('util/inspect').proxyTarget(value) ?? {};
    return typeof value === 'function' ? Function.prototype.toString.call(value)
        .replace(/\{\n {4}(\[native code\])\n\}$/, '{ $1 }')
        : describeObject(value);
}

// A number selects an error that is not a DataCloneError.
function refuse(value) {
    if (value === 0)
        throw coded(TypeError, 'ERR_MISSING_TRANSFERABLE_IN_TRANSFER_LIST',
            'Object that needs transfer was found in message but not listed ' +
            'in transferList');
    if (value === 1)
        throw coded(TypeError, 'ERR_INVALID_TRANSFER_OBJECT',
            'Found invalid object in transferList');
    const text = typeof value === 'string' ? value
        : `${describe(value)} could not be cloned.`;
    throw new DOMException(text, 'DataCloneError');
}

native.setHooks(take, make, fill, refuse);

function structuredClone(value, options) {
    if (arguments.length === 0)
        throw coded(TypeError, 'ERR_MISSING_ARGS',
            'The value argument must be specified');
    if (options != null && typeof options !== 'object' &&
        typeof options !== 'function')
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE',
            'The options argument must be either an object or undefined');
    const transfer = options?.transfer;
    return native.clone(value, transfer == null ? undefined
        : require('messages/messaging').transferList(transfer));
}

module.exports = structuredClone;
