// SPDX-License-Identifier: MIT
// events -- Node's EventEmitter.
'use strict';

const { coded, invalidArgType, outOfRange } = require('core/errors');
const errorMonitor = Symbol('events.errorMonitor');
let defaultMaxListeners = 10;

function checkListener(listener) {
    if (typeof listener !== 'function')
        throw invalidArgType('listener', 'of type function', listener);
}

function checkCount(name, count) {
    if (typeof count !== 'number')
        throw invalidArgType(name, 'of type number', count);
    if (!(count >= 0))
        throw outOfRange(name, '>= 0', count);
}

const capture = Symbol('kCapture'), shape = Symbol('shapeMode');
const rejection = Symbol.for('nodejs.rejection');

// A function rather than a class, so that others can call it on their own
// objects.
function EventEmitter(options) {
    EventEmitter.init.call(this, options);
}

function init(options) {
    if (this._events === undefined ||
        this._events === Object.getPrototypeOf(this)._events) {
        this._events = { __proto__: null };
        this._eventsCount = 0;
    }
    this._maxListeners = this._maxListeners || undefined;
    this[shape] = false;
    const given = options?.captureRejections;
    if (given && typeof given !== 'boolean')
        throw invalidArgType('options.captureRejections', 'of type boolean', given);
    this[capture] = given ? true : EventEmitter.prototype[capture];
}

// Handle a promise that a listener returned and nobody awaits.
function watch(emitter, promise, type, args) {
    const fail = (error) => {
        if (typeof emitter[rejection] === 'function') {
            emitter[rejection](error, type, ...args);
            return;
        }
        const before = emitter[capture];
        try {
            emitter[capture] = false; // or this error would be captured again
            emitter.emit('error', error);
        } finally {
            emitter[capture] = before;
        }
    };
    try {
        const { then } = promise;
        if (typeof then === 'function')
            Reflect.apply(then, promise, [undefined,
                (error) => require('program/process').nextTick(fail, error)]);
    } catch (error) {
        emitter.emit('error', error);
    }
}

// Before the listeners of "error": a monitor hears of it, and without listeners
// it is thrown.
function beforeError(...args) {
    const events = this._events;
    if (events?.[errorMonitor] !== undefined)
        this.emit(errorMonitor, ...args);
    if (events?.error === undefined)
        throw unhandled(this, args[0]);
}
native.setEmit(capture, beforeError, watch);

function mostOf(emitter) {
    return emitter._maxListeners ?? defaultMaxListeners;
}

// _events: name -> the listener, or an array of several.  An array is never
// modified in place, because emit may be iterating over it; add and remove
// replace it.
function listOf(emitter, type) {
    const found = emitter._events?.[type];
    return typeof found === 'function' ? [found] : found;
}

Object.assign(EventEmitter.prototype, {
    _events: undefined,
    _eventsCount: 0,
    _maxListeners: undefined,

    setMaxListeners(count) {
        checkCount('setMaxListeners', count);
        this._maxListeners = count;
        return this;
    },

    getMaxListeners() {
        return mostOf(this);
    },

    emit: native.emit,

    addListener(type, listener) {
        return add(this, type, listener, false);
    },

    prependListener(type, listener) {
        return add(this, type, listener, true);
    },

    once(type, listener) {
        checkListener(listener);
        return this.on(type, wrapOnce(this, type, listener));
    },

    prependOnceListener(type, listener) {
        checkListener(listener);
        return this.prependListener(type, wrapOnce(this, type, listener));
    },

    removeListener(type, listener) {
        if (typeof listener !== 'function')
            checkListener(listener);
        const events = this._events, found = events?.[type];
        if (found === undefined)
            return this;
        if (found === listener || found.listener === listener) { // the only one
            if (--this._eventsCount === 0)
                this._events = { __proto__: null };
            else
                delete events[type];
            if (events.removeListener !== undefined)
                this.emit('removeListener', type, found.listener || listener);
            return this;
        }
        const list = typeof found === 'function' ? [found] : found;
        const at = list.findLastIndex((other) =>
            other === listener || other.listener === listener);
        if (at < 0)
            return this;
        store(this, type, withWarning(list.toSpliced(at, 1), list));
        if (this._events.removeListener !== undefined)
            this.emit('removeListener', type, listener);
        return this;
    },

    removeAllListeners(type) {
        const events = this._events;
        if (events === undefined)
            return this;
        if (events.removeListener === undefined) {
            if (arguments.length === 0) {
                this._events = { __proto__: null };
                this._eventsCount = 0;
            } else if (events[type] !== undefined) {
                store(this, type, []);
            }
            return this;
        }
        if (arguments.length === 0) {
            for (const key of Reflect.ownKeys(events))
                if (key !== 'removeListener')
                    this.removeAllListeners(key);
            this.removeAllListeners('removeListener');
            this._events = { __proto__: null };
            this._eventsCount = 0;
            return this;
        }
        for (const listener of (listOf(this, type) ?? []).toReversed())
            this.removeListener(type, listener);
        return this;
    },

    listeners(type) {
        return (listOf(this, type) ?? []).map((one) => one.listener || one);
    },

    rawListeners(type) {
        return [...(listOf(this, type) ?? [])];
    },

    listenerCount(type, listener) {
        const list = listOf(this, type) ?? [];
        return listener == null ? list.length : list.filter((one) =>
            one === listener || one.listener === listener).length;
    },

    eventNames() {
        return this._events === undefined ? [] : Reflect.ownKeys(this._events);
    },
});
EventEmitter.prototype.on = EventEmitter.prototype.addListener;
EventEmitter.prototype.off = EventEmitter.prototype.removeListener;
Object.defineProperty(EventEmitter.prototype, capture,
    { value: false, writable: true });

function store(emitter, type, list) {
    const events = emitter._events;
    if (list.length > 0) {
        if (events[type] === undefined)
            emitter._eventsCount++;
        events[type] = list.length === 1 ? list[0] : list;
    } else if (events[type] !== undefined) {
        emitter._eventsCount--;
        delete events[type];
    }
}

// A list that replaces another one; the program is warned of both once.
function withWarning(list, old) {
    if (old.warned)
        list.warned = true;
    return list;
}

function add(emitter, type, listener, first) {
    if (typeof listener !== 'function')
        checkListener(listener);
    if (emitter._events === undefined) {
        emitter._events = { __proto__: null };
        emitter._eventsCount = 0;
    }
    if (emitter._events.newListener !== undefined)
        emitter.emit('newListener', type, listener.listener ?? listener);
    const events = emitter._events, most = mostOf(emitter);
    if (events[type] === undefined && (most >= 1 || most === 0)) { // the first one
        events[type] = listener;
        emitter._eventsCount++;
        return emitter;
    }
    const old = listOf(emitter, type) ?? [];
    const list = withWarning(first ? [listener, ...old] : [...old, listener], old);
    if (most > 0 && list.length > most && !old.warned) {
        list.warned = true;
        warn(emitter, type, list.length, most);
    }
    store(emitter, type, list);
    return emitter;
}

function warn(emitter, type, count, most) {
    const { inspect } = require('util/inspect');
    const warning = new Error('Possible EventEmitter memory leak detected. ' +
        `${count} ${String(type)} listeners added to ` +
        `${inspect(emitter, { depth: -1 })}. MaxListeners is ${most}. ` +
        'Use emitter.setMaxListeners() to increase limit');
    warning.name = 'MaxListenersExceededWarning';
    Object.assign(warning, { emitter, type, count });
    require('program/process').emitWarning(warning);
}

function onceWrapper(...args) {
    if (this.fired)
        return undefined;
    this.fired = true;
    this.target.removeListener(this.type, this.wrapped);
    return Reflect.apply(this.listener, this.target, args);
}

function wrapOnce(target, type, listener) {
    const state = { fired: false, wrapped: undefined, target, type, listener };
    const wrapped = onceWrapper.bind(state);
    wrapped.listener = listener;
    state.wrapped = wrapped;
    return wrapped;
}

const emitted = new WeakMap(); // unhandled "error" events: emitter and position

// The program may have replaced Error.captureStackTrace.
function whereEmitted(emitter) {
    try {
        const { name } = emitter.constructor, place = {};
        Error.captureStackTrace(place, EventEmitter.prototype.emit);
        return { on: name === 'EventEmitter' ? '' : ` on ${name} instance`,
            frames: place.stack.split('\n').slice(1) };
    } catch {
        return undefined;
    }
}

// Add the emitter to the stack of an error that ends the program.
function tellEmitter(error) {
    const where = emitted.get(error), stack = where && String(error.stack);
    if (where === undefined)
        return;
    const frames = require('util/base').withoutShared(where.frames,
        stack.split('\n').slice(1),
        () => '    [... lines matching original stack trace ...]');
    const value = [stack, `Emitted 'error' event${where.on} at:`, ...frames].join('\n');
    Reflect.defineProperty(error, 'stack', { value, writable: true, configurable: true });
}

function unhandled(emitter, value) {
    const { inspect, isError } = require('util/inspect');
    if (isError(value)) {
        emitted.set(value, whereEmitted(emitter));
        return value;
    }
    let text;
    try {
        text = inspect(value);
    } catch {
        text = value;
    }
    const error = coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${text})`);
    error.context = value;
    return error;
}

Object.defineProperties(EventEmitter, {
    defaultMaxListeners: {
        enumerable: true,
        get: () => defaultMaxListeners,
        set(count) {
            checkCount('defaultMaxListeners', count);
            defaultMaxListeners = count;
        },
    },
    captureRejections: {
        configurable: true, enumerable: true,
        get: () => EventEmitter.prototype[capture],
        set(value) {
            if (typeof value !== 'boolean')
                throw invalidArgType('EventEmitter.captureRejections',
                    'of type boolean', value);
            EventEmitter.prototype[capture] = value;
        },
    },
});

require('core/hooks').tellEmitter = tellEmitter;

module.exports = Object.assign(EventEmitter, {
    EventEmitter, errorMonitor, init, usingDomains: false,
    captureRejectionSymbol: rejection,
    listenerCount: (emitter, type) => typeof emitter.listenerCount === 'function'
        ? emitter.listenerCount(type)
        : EventEmitter.prototype.listenerCount.call(emitter, type),
});
for (const name of ['addAbortListener', 'once', 'on', 'getEventListeners',
    'getMaxListeners', 'setMaxListeners'])
    EventEmitter[name] = { [name](...args) {
        return require('events/eventwait')[name](...args);
    } }[name];
Object.defineProperty(EventEmitter, 'EventEmitterAsyncResource', {
    get: () => require('events/emitterresource'), enumerable: true, configurable: true });
