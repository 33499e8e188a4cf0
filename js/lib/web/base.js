// SPDX-License-Identifier: MIT
// base -- what the classes of the Streams Standard share: promises, queues,
// strategies, errors with Node's texts, and how objects are shown.
'use strict';

const { coded, invalidArgType } = require('core/errors');
const { classOf, custom } = require('util/kinds');

// later(fn, argument) queues a job; invoke(fn, self, ...args) calls it.  A
// pending() promise is settled by fulfill() or reject(), not with a thenable.
const { fulfill, invoke, later, pending, reject } = native;
const { Promise } = globalThis;
const { then } = Promise.prototype;

const nothing = () => {};
// What an algorithm of the host's returns that will say itself when it is done.
const PENDING = Symbol('pending');
const isObject = (value) => (typeof value === 'object' && value !== null) ||
    typeof value === 'function';
const isPromise = (value) => isObject(value) && classOf(value) === 'Promise';

// ---- promises ----

const fulfilled = (value) => Promise.resolve(value);
const rejected = (reason) => Promise.reject(reason);
const newPromise = () => Promise.withResolvers();

// Never report it as an unhandled rejection.
function handled(promise) {
    invoke(then, promise, undefined, nothing);
    return promise;
}

// "React to a promise": call onFulfilled(argument, value) or onRejected(argument,
// reason) in a later job.  `result` is what an algorithm returned; undefined
// stands for a promise that is fulfilled with it, and needs none.
function react(result, onFulfilled, onRejected, argument) {
    if (result === undefined) {
        later(onFulfilled, argument);
        return;
    }
    try {
        invoke(then, isPromise(result) ? result : Promise.resolve(result),
            (value) => onFulfilled(argument, value),
            (reason) => onRejected(argument, reason));
    } catch (error) { // a `constructor` or `then` of the program's
        later(() => onRejected(argument, error));
    }
}

// "A promise resolved with" what a start() has returned.
function resolvedWith(result) {
    return result === undefined ? undefined : new Promise((resolve) => resolve(result));
}

// As react(), with a promise for the result of the functions.
function transform(result, onFulfilled, onRejected) {
    try {
        return invoke(then, result === undefined ? fulfilled(undefined)
            : isPromise(result) ? result : Promise.resolve(result),
        onFulfilled, onRejected);
    } catch (error) {
        return rejected(error);
    }
}

// Call an algorithm; what it throws becomes a rejected promise.
function attempt(fn, self, first, second) {
    try {
        return invoke(fn, self, first, second);
    } catch (error) {
        return rejected(error);
    }
}

// ---- a queue of objects, linked by their own `next` ----

class List {
    constructor() {
        this.first = this.last = null;
        this.length = 0;
    }

    push(item) {
        item.next = null;
        if (this.length++ === 0)
            this.first = item;
        else
            this.last.next = item;
        this.last = item;
    }

    shift() {
        const item = this.first;
        this.first = item.next;
        if (--this.length === 0)
            this.last = null;
        return item;
    }
}

// ---- errors ----

const invalidState = (text) => coded(TypeError, 'ERR_INVALID_STATE',
    `Invalid state: ${text}`);
const wrongThis = (name) => coded(TypeError, 'ERR_INVALID_THIS',
    `Value of "this" must be of type ${name}`);
const illegalConstructor = () => coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR',
    'Illegal constructor');

function invalidValue(Base, name, value, reason = 'is invalid') {
    let text = require('util/inspect').inspect(value);
    if (text.length > 128)
        text = `${text.slice(0, 128)}...`;
    return coded(Base, 'ERR_INVALID_ARG_VALUE', `The ${name.includes('.')
        ? 'property' : 'argument'} '${name}' ${reason}. Received ${text}`);
}

function functionOf(value, name) {
    if (value !== undefined && typeof value !== 'function')
        throw invalidArgType(name, 'of type function', value);
    return value;
}

// ---- strategies ----

function checkStrategy(value, name) {
    if (value != null && !isObject(value))
        throw invalidArgType(name, 'of type object', value);
}

function highWaterMarkOf(value, fallback) {
    if (value === undefined)
        return fallback;
    const mark = +value;
    if (Number.isNaN(mark) || mark < 0)
        throw invalidValue(RangeError, 'strategy.highWaterMark', mark);
    return mark;
}

// undefined: each chunk counts as 1.
function sizeOf(size) {
    functionOf(size, 'strategy.size');
    return size;
}

function checkSize(size) {
    const number = +size;
    if (Number.isNaN(number) || number < 0 || number === Infinity)
        throw invalidValue(RangeError, 'size', size);
    return number;
}

// ---- how they are shown ----

// Make the members enumerable, as the standard has them, and add the tag.
function reveal(ctor, ...keys) {
    for (const key of keys)
        Object.defineProperty(ctor.prototype, key, { enumerable: true });
    Object.defineProperty(ctor.prototype, Symbol.toStringTag,
        { value: ctor.name, configurable: true });
}

// fieldsOf(object) has what inspect prints after the name of the class.
function show(ctor, fieldsOf) {
    Object.defineProperty(ctor.prototype, custom, {
        writable: true, configurable: true,
        value: { [custom](depth, options, inspect = require('util/inspect').inspect) {
            if (depth < 0)
                return undefined;
            const inner = { ...options,
                depth: options.depth == null ? null : options.depth - 1 };
            return `${ctor.name} ${inspect(fieldsOf(this), inner)}`;
        } }[custom],
    });
}

module.exports = { List, PENDING, attempt, checkSize, checkStrategy, custom, fulfill,
    fulfilled, functionOf, handled, highWaterMarkOf, illegalConstructor, invalidState, invalidValue,
    invoke, isObject, isPromise, later, newPromise, nothing, pending, react, reject, rejected,
    resolvedWith, reveal, show, sizeOf, transform, wrongThis };
