// SPDX-License-Identifier: MIT
// async_hooks -- Node's AsyncLocalStorage and AsyncResource.
//
// The context of a program (core/context) is undefined or a Map from storages to
// stores, which is never changed: run() makes another one.
'use strict';

const { context, setContext, callWith, isAvailable } = require('core/context');
const { invalidArgType, coded } = require('core/errors');

if (!isAvailable)
    throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'async_hooks needs ' +
        'the engine that weir patches; this weir was built with an installed one');

function checkFunction(value, name) {
    if (typeof value !== 'function')
        throw invalidArgType(name, 'of type function', value);
}

class AsyncLocalStorage {
    #isEnabled = false;

    static bind(fn) {
        return AsyncResource.bind(fn);
    }

    static snapshot() {
        return AsyncLocalStorage.bind((fn, ...args) => fn(...args));
    }

    #with(store) {
        this.#isEnabled = true;
        return new Map(context()).set(this, store);
    }

    disable() {
        this.#isEnabled = false;
    }

    enterWith(store) {
        setContext(this.#with(store));
    }

    run(store, callback, ...args) {
        return callWith(this.#with(store), callback, undefined, args);
    }

    exit(callback, ...args) {
        const without = new Map(context());
        without.delete(this);
        return callWith(without, callback, undefined, args);
    }

    getStore() {
        return this.#isEnabled ? context()?.get(this) : undefined;
    }
}

// ---- resources ----

let lastId = 1;

class AsyncResource {
    #context = context();
    #id = ++lastId;
    #trigger = 1;

    constructor(type, options = {}) {
        if (typeof type !== 'string')
            throw invalidArgType('type', 'of type string', type);
        const trigger = typeof options === 'number' ? options
            : options.triggerAsyncId ?? 1;
        if (!Number.isSafeInteger(trigger) || trigger < -1)
            throw coded(RangeError, 'ERR_INVALID_ASYNC_ID',
                `Invalid triggerAsyncId value: ${trigger}`);
        this.#trigger = trigger;
    }

    runInAsyncScope(fn, thisArg, ...args) {
        return callWith(this.#context, fn, thisArg, args);
    }

    emitDestroy() {
        return this;
    }

    asyncId() {
        return this.#id;
    }

    triggerAsyncId() {
        return this.#trigger;
    }

    bind(fn, thisArg) {
        checkFunction(fn, 'fn');
        const resource = this;
        const bound = thisArg === undefined
            ? function (...args) {
                return callWith(resource.#context, fn, this, args);
            }
            : (...args) => callWith(resource.#context, fn, thisArg, args);
        Object.defineProperties(bound, {
            length: { configurable: true, enumerable: false, value: fn.length,
                writable: false },
        });
        return bound;
    }

    static bind(fn, type, thisArg) {
        type ||= fn.name || 'bound-anonymous-fn';
        return new AsyncResource(type).bind(fn, thisArg);
    }
}

module.exports = { AsyncLocalStorage, AsyncResource };
