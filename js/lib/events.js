// SPDX-License-Identifier: MIT
// events -- Node's EventEmitter.
'use strict';

const { coded, invalidArgType, outOfRange } = require('errors');
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

// _events: name -> array of listeners, never changed in place while it may be
// walked: emit walks a list that add and remove replace.
class EventEmitter {
    constructor() {
        if (!Object.hasOwn(this, '_events') || this._events === undefined) {
            this._events = { __proto__: null };
            this._eventsCount = 0;
        }
        this._maxListeners = this._maxListeners || undefined;
    }

    setMaxListeners(count) {
        checkCount('setMaxListeners', count);
        this._maxListeners = count;
        return this;
    }

    getMaxListeners() {
        return this._maxListeners ?? defaultMaxListeners;
    }

    emit(type, ...args) {
        const events = this._events;
        if (type === 'error') {
            if (events?.[errorMonitor] !== undefined)
                this.emit(errorMonitor, ...args);
            if (events?.error === undefined)
                throw unhandled(args[0]);
        }
        const list = events?.[type];
        if (list === undefined)
            return false;
        for (const listener of list)
            Reflect.apply(listener, this, args);
        return true;
    }

    on(type, listener) {
        return add(this, type, listener, false);
    }

    addListener(type, listener) {
        return add(this, type, listener, false);
    }

    prependListener(type, listener) {
        return add(this, type, listener, true);
    }

    once(type, listener) {
        checkListener(listener);
        return this.on(type, wrapOnce(this, type, listener));
    }

    prependOnceListener(type, listener) {
        checkListener(listener);
        return this.prependListener(type, wrapOnce(this, type, listener));
    }

    removeListener(type, listener) {
        checkListener(listener);
        const list = this._events?.[type];
        if (list === undefined)
            return this;
        const at = list.findLastIndex((other) =>
            other === listener || other.listener === listener);
        if (at < 0)
            return this;
        store(this, type, list.toSpliced(at, 1));
        if (this._events.removeListener !== undefined)
            this.emit('removeListener', type, list.length === 1
                ? list[at].listener || listener : listener);
        return this;
    }

    off(type, listener) {
        return this.removeListener(type, listener);
    }

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
        for (const listener of (events[type] ?? []).toReversed())
            this.removeListener(type, listener);
        return this;
    }

    listeners(type) {
        return (this._events?.[type] ?? []).map((one) => one.listener || one);
    }

    rawListeners(type) {
        return [...(this._events?.[type] ?? [])];
    }

    listenerCount(type, listener) {
        const list = this._events?.[type] ?? [];
        return listener == null ? list.length : list.filter((one) =>
            one === listener || one.listener === listener).length;
    }

    eventNames() {
        return this._events === undefined ? [] : Reflect.ownKeys(this._events);
    }
}

function store(emitter, type, list) {
    const events = emitter._events;
    if (list.length > 0) {
        if (events[type] === undefined)
            emitter._eventsCount++;
        events[type] = list;
    } else if (events[type] !== undefined) {
        emitter._eventsCount--;
        delete events[type];
    }
}

function add(emitter, type, listener, first) {
    checkListener(listener);
    if (emitter._events === undefined) {
        emitter._events = { __proto__: null };
        emitter._eventsCount = 0;
    }
    if (emitter._events.newListener !== undefined)
        emitter.emit('newListener', type, listener.listener ?? listener);
    const old = emitter._events[type] ?? [];
    const list = first ? [listener, ...old] : [...old, listener];
    list.warned = old.warned;
    const most = emitter.getMaxListeners();
    if (most > 0 && list.length > most && !old.warned) {
        list.warned = true;
        warn(emitter, type, list.length, most);
    }
    store(emitter, type, list);
    return emitter;
}

function warn(emitter, type, count, most) {
    const { inspect } = require('inspect');
    const warning = new Error('Possible EventEmitter memory leak detected. ' +
        `${count} ${String(type)} listeners added to ` +
        `${inspect(emitter, { depth: -1 })}. MaxListeners is ${most}. ` +
        'Use emitter.setMaxListeners() to increase limit');
    warning.name = 'MaxListenersExceededWarning';
    Object.assign(warning, { emitter, type, count });
    require('process').emitWarning(warning);
}

function wrapOnce(emitter, type, listener) {
    let fired = false;
    function wrapped(...args) {
        if (fired)
            return undefined;
        fired = true;
        emitter.removeListener(type, wrapped);
        return Reflect.apply(listener, emitter, args);
    }
    Object.defineProperty(wrapped, 'name', { value: 'bound onceWrapper' });
    wrapped.listener = listener;
    return wrapped;
}

function unhandled(value) {
    const { inspect, isError } = require('inspect');
    if (isError(value))
        return value;
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

// events.once(emitter, name): a promise of the event's arguments.
function once(emitter, name, { signal } = {}) {
    return new Promise((resolve, reject) => {
        if (signal?.aborted)
            return reject(signal.reason);
        const clean = () => {
            emitter.removeListener(name, onEvent);
            emitter.removeListener('error', onError);
            signal?.removeEventListener('abort', onAbort);
        };
        const onEvent = (...args) => { clean(); resolve(args); };
        const onError = (error) => { clean(); reject(error); };
        const onAbort = () => { clean(); reject(signal.reason); };
        emitter.once(name, onEvent);
        if (name !== 'error')
            emitter.once('error', onError);
        signal?.addEventListener('abort', onAbort);
    });
}

Object.defineProperty(EventEmitter, 'defaultMaxListeners', {
    enumerable: true,
    get: () => defaultMaxListeners,
    set(count) {
        checkCount('defaultMaxListeners', count);
        defaultMaxListeners = count;
    },
});

module.exports = Object.assign(EventEmitter, {
    EventEmitter, errorMonitor, once,
    listenerCount: (emitter, type) => emitter.listenerCount(type),
});
