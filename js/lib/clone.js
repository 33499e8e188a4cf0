// SPDX-License-Identifier: MIT
// clone -- structuredClone, as the HTML standard says.
'use strict';

const { classOf, isError, isProxy } = require('inspect');
const { coded } = require('errors');

const boxes = { Boolean, Number, String, BigInt };
const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError,
    TypeError, URIError };

function refuse(text) {
    return new DOMException(text, 'DataCloneError');
}

function describe(value) {
    if (typeof value === 'symbol')
        return value.toString();
    return typeof value === 'function' ? Function.prototype.toString.call(value)
        : `#<${value.constructor?.name || 'Object'}>`;
}

// seen: what was cloned already, transferred buffers among it.
function clone(value, seen) {
    if (typeof value === 'symbol' || typeof value === 'function')
        throw refuse(`${describe(value)} could not be cloned.`);
    if (value === null || typeof value !== 'object')
        return value;
    const known = seen.get(value);
    if (known !== undefined)
        return known;
    if (isProxy(value))
        throw refuse('#<Object> could not be cloned.');
    return cloneObject(value, seen, classOf(value));
}

function keep(seen, value, copy) {
    seen.set(value, copy);
    return copy;
}

function cloneView(value, seen, kind) {
    const buffer = clone(value.buffer, seen);
    const Kind = globalThis[kind];
    const isTracking = value.buffer.resizable;
    return keep(seen, value, isTracking && kind !== 'DataView'
        ? new Kind(buffer, value.byteOffset)
        : new Kind(buffer, value.byteOffset,
            kind === 'DataView' ? value.byteLength : value.length));
}

function cloneBuffer(value) {
    if (value.detached)
        throw refuse('An ArrayBuffer is detached and could not be cloned.');
    if (!value.resizable)
        return value.slice();
    const copy = new ArrayBuffer(value.byteLength,
        { maxByteLength: value.maxByteLength });
    new Uint8Array(copy).set(new Uint8Array(value));
    return copy;
}

function own(object, key) {
    const found = Object.getOwnPropertyDescriptor(object, key);
    return found !== undefined && 'value' in found ? found.value : undefined;
}

function cloneError(value, seen) {
    const name = String(value.name);
    const Kind = errors[name] ?? Error;
    const made = keep(seen, value, new Kind());
    delete made.message;
    const message = own(value, 'message');
    const set = (key, what) => Object.defineProperty(made, key,
        { value: what, writable: true, configurable: true });
    if (message !== undefined)
        set('message', `${message}`);
    set('stack', `${value.stack}`);
    if (Object.hasOwn(value, 'cause'))
        set('cause', clone(value.cause, seen));
    return made;
}

function cloneObject(value, seen, kind) {
    if (kind in boxes)
        return keep(seen, value, Object(boxes[kind].prototype.valueOf.call(value)));
    switch (kind) {
    case 'Date':
        return keep(seen, value, new Date(Date.prototype.getTime.call(value)));
    case 'RegExp':
        return keep(seen, value, new RegExp(value.source, value.flags));
    case 'ArrayBuffer':
        return keep(seen, value, cloneBuffer(value));
    case 'SharedArrayBuffer':
        return value;
    case 'Map': {
        const copy = keep(seen, value, new Map());
        for (const [key, item] of [...Map.prototype.entries.call(value)])
            copy.set(clone(key, seen), clone(item, seen));
        return copy;
    }
    case 'Set': {
        const copy = keep(seen, value, new Set());
        for (const item of [...Set.prototype.values.call(value)])
            copy.add(clone(item, seen));
        return copy;
    }
    case 'Array': case 'Object': case 'Arguments': {
        const copy = keep(seen, value, kind === 'Array' ? new Array(value.length) : {});
        for (const key of Object.keys(value))
            if (Object.hasOwn(value, key))
                Object.defineProperty(copy, key, { value: clone(value[key], seen),
                    writable: true, enumerable: true, configurable: true });
        return copy;
    }
    }
    if (ArrayBuffer.isView(value))
        return cloneView(value, seen, kind);
    if (isError(value) && kind === 'Error')
        return cloneError(value, seen);
    throw refuse(`${describe(value)} could not be cloned.`);
}

// Buffers in the list are detached, after everything has been cloned.
function checkTransfer(list) {
    const seen = new Set();
    for (const one of list) {
        if (one === null || typeof one !== 'object' || classOf(one) !== 'ArrayBuffer')
            throw coded(TypeError, 'ERR_INVALID_TRANSFER_OBJECT',
                'Found invalid object in transferList');
        if (seen.has(one))
            throw refuse('ArrayBuffer occurs in the transfer list more than once');
        if (one.detached)
            throw refuse('An ArrayBuffer is detached and could not be cloned.');
        seen.add(one);
    }
    return seen;
}

function structuredClone(value, options) {
    if (arguments.length === 0)
        throw coded(TypeError, 'ERR_MISSING_ARGS',
            'The "value" argument must be specified');
    const list = checkTransfer(options?.transfer ?? []);
    const seen = new Map();
    if (list.size === 0)
        return clone(value, seen);
    // The clone refers to what will be the transferred buffer: it is made
    // from a copy of the list's lengths first, so that an error detaches none.
    const trial = new Map();
    for (const one of list)
        trial.set(one, new ArrayBuffer(one.byteLength, one.resizable
            ? { maxByteLength: one.maxByteLength } : undefined));
    clone(value, trial);
    const moved = new Map();
    const views = collectViews(value, list);
    for (const one of list)
        moved.set(one, one.transfer());
    return clone(value, withViews(moved, views));
}

// Views of a buffer that goes lose their place with it: it is noted before.
function collectViews(value, list, views = [], seen = new Set()) {
    if (value === null || typeof value !== 'object' || seen.has(value))
        return views;
    seen.add(value);
    if (ArrayBuffer.isView(value)) {
        if (list.has(value.buffer))
            views.push({ view: value, buffer: value.buffer, kind: classOf(value),
                offset: value.byteOffset, length: classOf(value) === 'DataView'
                    ? value.byteLength : value.length });
        return views;
    }
    const kind = classOf(value);
    if (kind === 'Map')
        for (const pair of [...Map.prototype.entries.call(value)])
            pair.forEach((one) => collectViews(one, list, views, seen));
    else if (kind === 'Set')
        for (const one of [...Set.prototype.values.call(value)])
            collectViews(one, list, views, seen);
    else if (kind === 'Array' || kind === 'Object' || kind === 'Arguments')
        for (const key of Object.keys(value))
            collectViews(value[key], list, views, seen);
    else if (isError(value))
        collectViews(own(value, 'cause'), list, views, seen);
    return views;
}

function withViews(moved, views) {
    for (const { view, buffer, kind, offset, length } of views)
        moved.set(view, new globalThis[kind](moved.get(buffer), offset, length));
    return moved;
}

module.exports = structuredClone;
