// SPDX-License-Identifier: MIT
// eventwait -- events as promises, and functions of events that accept both
// emitters and targets.
'use strict';

const { coded, invalidArgType, outOfRange } = require('core/errors');
const events = require('events/events');
const { AbortSignal } = require('events/abort');
const { EventTarget, listenersOf, limits, resisting } = require('events/eventtarget');

function abortError(reason) {
    const error = coded(Error, 'ABORT_ERR', 'The operation was aborted');
    Object.defineProperty(error, 'cause',
        { value: reason, writable: true, configurable: true });
    error.name = 'AbortError';
    return error;
}

function checkSignal(signal, name) {
    if (signal === null || typeof signal !== 'object' || !('aborted' in signal))
        throw invalidArgType(name, 'an instance of AbortSignal', signal);
}

function checkListener(listener) {
    if (typeof listener !== 'function')
        throw invalidArgType('listener', 'of type function', listener);
}

// Add a listener to an emitter or a target; return a function that removes it.
function listen(emitter, name, listener, once = false) {
    if (typeof emitter?.on === 'function') {
        if (once)
            emitter.once(name, listener);
        else
            emitter.on(name, listener);
        return () => emitter.removeListener(name, listener);
    }
    if (typeof emitter?.addEventListener !== 'function')
        throw invalidArgType('emitter', 'an instance of EventEmitter', emitter);
    emitter.addEventListener(name, listener, { once });
    return () => emitter.removeEventListener(name, listener);
}

function addAbortListener(signal, listener) {
    if (signal === undefined)
        throw invalidArgType('signal', 'an instance of AbortSignal', signal);
    checkSignal(signal, 'signal');
    checkListener(listener);
    let remove = () => {};
    if (signal.aborted) {
        queueMicrotask(() => listener());
    } else {
        // Runs even if an earlier listener stops the event.
        signal.addEventListener('abort', listener,
            { __proto__: null, once: true, [resisting]: true });
        remove = () => signal.removeEventListener('abort', listener);
    }
    return { __proto__: null, [Symbol.dispose]() { remove(); } };
}

// ---- once ----

async function once(emitter, name, options = {}) {
    const signal = options?.signal;
    if (signal !== undefined)
        checkSignal(signal, 'options.signal');
    if (signal?.aborted)
        throw abortError(signal.reason);
    return new Promise((resolve, reject) => {
        const removers = [];
        const clean = () => {
            for (const remove of removers)
                remove();
        };
        removers.push(listen(emitter, name, (...args) => {
            clean();
            resolve(args);
        }, true));
        if (name !== 'error' && typeof emitter.once === 'function')
            removers.push(listen(emitter, 'error', (error) => {
                clean();
                reject(error);
            }, true));
        if (signal !== undefined) {
            const listener = addAbortListener(signal, () => {
                clean();
                reject(abortError(signal.reason));
            });
            removers.push(() => listener[Symbol.dispose]());
        }
    });
}

// ---- on ----

const AsyncIteratorPrototype = Object.getPrototypeOf(
    Object.getPrototypeOf(async function* () {}).prototype);
const watermark = Symbol.for('nodejs.watermarkData');

function checkMark(value, name, otherwise) {
    if (value === undefined)
        return otherwise;
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!Number.isInteger(value))
        throw outOfRange(name, 'an integer', value);
    if (value < 1 || value > Number.MAX_SAFE_INTEGER)
        throw outOfRange(name, `>= 1 && <= ${Number.MAX_SAFE_INTEGER}`, value);
    return value;
}

const end = () => ({ value: undefined, done: true });

// Pending events and pending consumers; one of the two is always empty.
class Feed {
    arrived = []; waiting = []; removers = [];
    error = null; isDone = false; isPaused = false;

    constructor(emitter, high, low) {
        Object.assign(this, { emitter, high, low });
    }

    push(args) {
        if (this.waiting.length > 0) {
            this.waiting.shift().resolve({ value: args, done: false });
            return;
        }
        this.arrived.push(args);
        if (!this.isPaused && this.arrived.length > this.high) {
            this.isPaused = true;
            this.emitter.pause();
        }
    }

    next() {
        if (this.arrived.length > 0) {
            const value = this.arrived.shift();
            if (this.isPaused && this.arrived.length < this.low) {
                this.emitter.resume();
                this.isPaused = false;
            }
            return Promise.resolve({ value, done: false });
        }
        if (this.error !== null) {
            const failed = Promise.reject(this.error);
            this.error = null;
            return failed;
        }
        if (this.isDone)
            return this.close();
        return new Promise((resolve, reject) => {
            this.waiting.push({ resolve, reject });
        });
    }

    fail(error) {
        if (this.waiting.length > 0)
            this.waiting.shift().reject(error);
        else
            this.error = error;
        this.close();
    }

    close() {
        while (this.removers.length > 0) // last first, as in Node
            this.removers.pop()();
        this.isDone = true;
        for (const { resolve } of this.waiting.splice(0))
            resolve(end());
        return Promise.resolve(end());
    }
}

function iteratorOf(feed) {
    return Object.setPrototypeOf({
        next() { return feed.next(); },
        return() { return feed.close(); },
        throw(error) {
            if (!error || !(error instanceof Error))
                throw invalidArgType('EventEmitter.AsyncIterator',
                    'an instance of Error', error);
            feed.fail(error);
        },
        [Symbol.asyncIterator]() { return this; },
        [watermark]: {
            get size() { return feed.arrived.length; },
            get low() { return feed.low; },
            get high() { return feed.high; },
            get isPaused() { return feed.isPaused; },
        },
    }, AsyncIteratorPrototype);
}

function on(emitter, event, options = {}) {
    const signal = options?.signal;
    if (signal !== undefined)
        checkSignal(signal, 'options.signal');
    if (signal?.aborted)
        throw abortError(signal.reason);
    const feed = new Feed(emitter,
        checkMark(options?.highWaterMark, 'options.highWaterMark',
            Number.MAX_SAFE_INTEGER),
        checkMark(options?.lowWaterMark, 'options.lowWaterMark', 1));
    const add = (name, listener) =>
        feed.removers.push(listen(emitter, name, listener));
    add(event, (...args) => feed.push(args));
    if (event !== 'error' && typeof emitter.on === 'function')
        add('error', (error) => feed.fail(error));
    for (const name of options?.close ?? [])
        add(name, () => feed.close());
    if (signal !== undefined) {
        const listener = addAbortListener(signal,
            () => feed.fail(abortError(signal.reason)));
        feed.removers.push(() => listener[Symbol.dispose]());
    }
    return iteratorOf(feed);
}

// ---- both emitters and targets ----

function refuse(value, name = 'emitter') {
    return invalidArgType(name, 'an instance of EventEmitter or EventTarget', value);
}

function getEventListeners(emitter, type) {
    if (typeof emitter?.listeners === 'function')
        return emitter.listeners(type);
    if (emitter instanceof EventTarget)
        return listenersOf(emitter, type);
    throw refuse(emitter);
}

function getMaxListeners(emitter) {
    if (typeof emitter?.getMaxListeners === 'function')
        return emitter.getMaxListeners();
    if (emitter instanceof EventTarget)
        return limits.get(emitter) ?? events.defaultMaxListeners;
    throw refuse(emitter);
}

function setMaxListeners(count = events.defaultMaxListeners, ...targets) {
    if (typeof count !== 'number')
        throw invalidArgType('setMaxListeners', 'of type number', count);
    if (!(count >= 0))
        throw outOfRange('setMaxListeners', '>= 0', count);
    if (targets.length === 0)
        events.defaultMaxListeners = count;
    for (const target of targets) {
        if (target instanceof EventTarget)
            limits.set(target, count);
        else if (typeof target?.setMaxListeners === 'function')
            target.setMaxListeners(count);
        else
            throw refuse(target, 'eventTargets');
    }
}

module.exports = { addAbortListener, once, on, getEventListeners, getMaxListeners,
    setMaxListeners };
