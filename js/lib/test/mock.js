// SPDX-License-Identifier: MIT
// mock -- functions that record their calls and can be replaced.
'use strict';

const { invalidArgType, invalidArgValue, outOfRange } = require('core/errors');
const { apply, construct } = Reflect;

let internals; // of MockFunctionContext

const isFunction = (value) => typeof value === 'function';

function checkFunction(value, name) {
    if (!isFunction(value))
        throw invalidArgType(name, 'of type function', value);
}

function checkInteger(value, name, least) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!Number.isInteger(value))
        throw outOfRange(name, 'an integer', value);
    if (value < least || value > Number.MAX_SAFE_INTEGER)
        throw outOfRange(name, `>= ${least} && <= ${Number.MAX_SAFE_INTEGER}`, value);
}

function checkTimes(options) {
    const { times = Infinity } = options;
    if (times !== Infinity)
        checkInteger(times, 'options.times', 1);
    return times;
}

// ---- f.mock ----

class MockFunctionContext {
    #calls = [];
    #once = new Map(); // number of a call -> function
    #implementation;
    #restoration; // {object, key, descriptor}, or {original}
    #times;

    constructor(implementation, restoration, times) {
        this.#implementation = implementation;
        this.#restoration = restoration;
        this.#times = times;
    }

    get calls() {
        return this.#calls.slice();
    }

    callCount() {
        return this.#calls.length;
    }

    mockImplementation(implementation) {
        checkFunction(implementation, 'implementation');
        this.#implementation = implementation;
    }

    mockImplementationOnce(implementation, onCall) {
        checkFunction(implementation, 'implementation');
        const next = this.#calls.length, call = onCall ?? next;
        checkInteger(call, 'onCall', next);
        this.#once.set(call, implementation);
    }

    restore() {
        const { object, key, descriptor, original } = this.#restoration;
        if (object !== undefined)
            Object.defineProperty(object, key, descriptor);
        else
            this.#implementation = original;
    }

    resetCalls() {
        this.#calls = [];
    }

    // For the functions below.
    static {
        internals = {
            record(context, call) { context.#calls.push(call); },
            next(context) {
                const count = context.#calls.length;
                const once = context.#once.get(count);
                const found = once ?? context.#implementation;
                context.#once.delete(count);
                if (count + 1 === context.#times)
                    context.restore();
                return found;
            },
        };
    }
}

// Call the implementation, and note the call.
function record(context, { args, target, self }, run) {
    let result, error;
    try {
        return result = run(internals.next(context));
    } catch (thrown) {
        error = thrown;
        throw thrown;
    } finally {
        const stack = new Error('');
        internals.record(context, { __proto__: null, arguments: args, error, result, stack,
            target, this: target === undefined ? self : result });
    }
}

function makeProxy(original, context) {
    return new Proxy(original, {
        __proto__: null,
        apply: (_, self, args) => record(context, { args, self },
            (fn) => apply(fn, self, args)),
        construct: (target, args, newTarget) => record(context, { args, target },
            (fn) => construct(fn, args, newTarget)),
        get: (target, key, receiver) => key === 'mock' ? context
            : Reflect.get(target, key, receiver),
    });
}

// ---- mock ----

function propertyOf(object, key) {
    for (let at = object; at !== null; at = Object.getPrototypeOf(at)) {
        const descriptor = Object.getOwnPropertyDescriptor(at, key);
        if (descriptor !== undefined)
            return descriptor;
    }
    return undefined;
}

function checkObject(object, key) {
    if (object === null || (typeof object !== 'object' && !isFunction(object)))
        throw invalidArgType('object', 'of type object', object);
    if (typeof key !== 'string' && typeof key !== 'symbol')
        throw invalidArgType('methodName', 'one of type string or symbol', key);
}

function checkAccessors({ getter, setter }) {
    for (const [name, value] of [['getter', getter], ['setter', setter]])
        if (typeof value !== 'boolean')
            throw invalidArgType(`options.${name}`, 'of type boolean', value);
    if (getter && setter)
        throw invalidArgValue('options.setter', setter,
            "cannot be used with 'options.getter'");
}

class MockTracker {
    #mocks = [];
    #timers;

    get timers() {
        return this.#timers ??= new (require('test/mocktimers'))();
    }

    fn(original = function original() {}, implementation = original, options = {}) {
        if (original !== null && typeof original === 'object') {
            options = original;
            implementation = original = function original() {};
        } else if (implementation !== null && typeof implementation === 'object') {
            options = implementation;
            implementation = original;
        }
        checkFunction(original, 'original');
        checkFunction(implementation, 'implementation');
        return this.#track(original, implementation, { original }, checkTimes(options));
    }

    method(object, name, implementation, options = {}) {
        checkObject(object, name);
        if (implementation !== null && typeof implementation === 'object') {
            options = implementation;
            implementation = undefined;
        }
        const { getter = false, setter = false } = options;
        checkAccessors({ getter, setter });
        const times = checkTimes(options);
        const descriptor = propertyOf(object, name);
        const original = getter ? descriptor?.get : setter ? descriptor?.set
            : descriptor?.value;
        if (!isFunction(original))
            throw invalidArgValue('methodName', original, 'must be a method');
        implementation ??= original;
        checkFunction(implementation, 'implementation');
        const mock = this.#track(original, implementation,
            { object, key: name, descriptor }, times);
        const { configurable, enumerable } = descriptor;
        Object.defineProperty(object, name, getter || setter
            ? { configurable, enumerable, get: getter ? mock : descriptor.get,
                set: setter ? mock : descriptor.set }
            : { configurable, enumerable, writable: descriptor.writable, value: mock });
        return mock;
    }

    #accessor(kind, object, name, implementation, options) {
        if (implementation !== null && typeof implementation === 'object') {
            options = implementation;
            implementation = undefined;
        }
        if (options[kind] === false)
            throw invalidArgValue(`options.${kind}`, false, 'cannot be false');
        return this.method(object, name, implementation, { ...options, [kind]: true });
    }

    getter(object, name, implementation, options = {}) {
        return this.#accessor('getter', object, name, implementation, options);
    }

    setter(object, name, implementation, options = {}) {
        return this.#accessor('setter', object, name, implementation, options);
    }

    reset() {
        this.restoreAll();
        this.#timers?.reset();
        this.#mocks = [];
    }

    restoreAll() {
        for (let i = this.#mocks.length - 1; i >= 0; i--)
            this.#mocks[i].restore();
    }

    #track(original, implementation, restoration, times) {
        const context = new MockFunctionContext(implementation, restoration, times);
        this.#mocks.push(context);
        return makeProxy(original, context);
    }
}

module.exports = { MockTracker };
