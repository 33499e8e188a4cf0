// SPDX-License-Identifier: MIT
// eventtarget -- Event, EventTarget and CustomEvent of the DOM Standard, as in
// Node.
'use strict';

const { checkObject, coded, invalidArgType } = require('core/errors');
const { now } = require('timers/clock');

const NONE = 0, AT_TARGET = 2;
let stateOf; // Event -> its private state

class Event {
    #own;

    static {
        stateOf = (event) => event.#own;
    }

    constructor(type, options = undefined) {
        if (arguments.length === 0)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "type" argument must be specified');
        if (options != null)
            checkObject(options, 'options');
        this.#own = { type: `${type}`, bubbles: !!options?.bubbles,
            cancelable: !!options?.cancelable, composed: !!options?.composed,
            timeStamp: now(), target: null, phase: NONE, isStopped: false,
            isEnded: false, isPassive: false, isCanceled: false, isTrusted: false };
    }

    get type() { return this.#own.type; }
    get target() { return this.#own.target; }
    get currentTarget() {
        const { phase, target } = this.#own;
        return phase === NONE ? null : target;
    }
    get srcElement() { return this.target; }
    get eventPhase() { return this.#own.phase; }
    get bubbles() { return this.#own.bubbles; }
    get cancelable() { return this.#own.cancelable; }
    get composed() { return this.#own.composed; }
    get defaultPrevented() { return this.#own.isCanceled; }
    get returnValue() { return !this.defaultPrevented; }
    set returnValue(value) {
        if (!value)
            this.preventDefault();
    }
    get timeStamp() { return this.#own.timeStamp; }
    get isTrusted() { return this.#own.isTrusted; }
    get cancelBubble() { return this.#own.isEnded; }
    set cancelBubble(value) {
        if (value)
            this.stopPropagation();
    }
    composedPath() {
        const target = this.currentTarget;
        return target === null ? [] : [target];
    }
    preventDefault() {
        const own = this.#own;
        if (!own.isPassive && own.cancelable)
            own.isCanceled = true;
    }
    stopPropagation() { this.#own.isEnded = true; }
    stopImmediatePropagation() {
        this.#own.isEnded = this.#own.isStopped = true;
    }
    initEvent(type, bubbles = false, cancelable = false) {
        const own = this.#own;
        if (arguments.length === 0)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "type" argument must be specified');
        if (own.phase === NONE)
            Object.assign(own, { type: `${type}`, bubbles: !!bubbles, cancelable: !!cancelable });
    }
}
for (const [phase, key] of ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'].entries())
    for (const object of [Event, Event.prototype])
        Object.defineProperty(object, key, { value: phase, enumerable: true });

class CustomEvent extends Event {
    #detail;
    constructor(type, options = undefined) {
        if (arguments.length === 0)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "type" argument must be specified');
        super(type, options);
        this.#detail = options?.detail ?? null;
    }
    get detail() { return this.#detail; }
    initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
        if (arguments.length === 0)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "type" argument must be specified');
        if (stateOf(this).phase !== NONE)
            return;
        this.initEvent(type, bubbles, cancelable);
        this.#detail = detail;
    }
}

// ---- targets ----

const listeners = new WeakMap(); // EventTarget -> Map of type -> array
const limits = new WeakMap(); // EventTarget -> events.setMaxListeners
const resisting = Symbol('resisting'); // events.addAbortListener: cannot be stopped

// A method of targets that need to know their listeners: (type, count, isMore).
const kChanged = Symbol('changed');
const kHandler = Symbol('handler'); // marks the listener of an attribute

function isListener(value) {
    return typeof value === 'function' ||
        (value !== null && typeof value === 'object');
}

function call(target, listener, event) {
    try {
        if (typeof listener === 'function')
            Reflect.apply(listener, target, [event]);
        else
            listener.handleEvent(event);
    } catch (error) {
        // As in Node, it is an uncaught error of the program, not an error of
        // dispatch.
        require('program/process').nextTick(() => { throw error; });
    }
}

// The listeners of the target that `add` or `remove` was called on.
function checked(target, given) {
    const own = listeners.get(target);
    if (own === undefined)
        throw coded(TypeError, 'ERR_INVALID_THIS',
            'Value of "this" must be of type EventTarget');
    if (given < 2)
        throw coded(TypeError, 'ERR_MISSING_ARGS',
            'The "type" and "listener" arguments must be specified');
    return own;
}

class EventTarget {
    constructor() {
        listeners.set(this, new Map());
    }

    addEventListener(type, listener, options = undefined) {
        const own = checked(this, arguments.length);
        if (options != null && typeof options !== 'object' &&
            typeof options !== 'boolean' && typeof options !== 'function')
            throw invalidArgType('options', 'of type object', options);
        const given = typeof options === 'boolean' ? { capture: options }
            : options ?? {};
        const { once, passive, signal } = given, capture = !!given.capture;
        const resists = given[resisting] === true;
        if (signal !== undefined && !(signal instanceof require('events/abort').AbortSignal))
            throw invalidArgType('options.signal',
                'an instance of AbortSignal', signal);
        if (listener == null)
            return;
        if (!isListener(listener))
            throw invalidArgType('listener',
                'an instance of EventListener', listener);
        if (signal?.aborted)
            return;
        type = `${type}`;
        const list = own.get(type) ?? [];
        if (list.some((one) => one.listener === listener && one.capture === capture))
            return;
        signal?.addEventListener('abort', () =>
            this.removeEventListener(type, listener, { capture }), { once: true });
        own.set(type, [...list, { listener, capture, once: !!once,
            passive: !!passive, resists, isRemoved: false, isNode: false }]);
        this[kChanged]?.(type, countOf(own.get(type)), true);
    }

    removeEventListener(type, listener, options = undefined) {
        const own = checked(this, arguments.length);
        const capture = typeof options === 'boolean' ? options : !!options?.capture;
        if (listener == null)
            return;
        if (!isListener(listener))
            throw invalidArgType('listener',
                'an instance of EventListener', listener);
        type = `${type}`;
        const list = own.get(type) ?? [];
        const at = list.findIndex((one) =>
            one.listener === listener && one.capture === capture);
        if (at < 0)
            return;
        list[at].isRemoved = true;
        own.set(type, list.toSpliced(at, 1));
        this[kChanged]?.(type, countOf(own.get(type)), false);
    }

    dispatchEvent(event) {
        if (listeners.get(this) === undefined)
            throw coded(TypeError, 'ERR_INVALID_THIS',
                'Value of "this" must be of type EventTarget');
        if (arguments.length === 0)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "event" argument must be specified');
        if (!(event instanceof Event))
            throw invalidArgType('event', 'an instance of Event', event);
        const own = stateOf(event);
        if (own.phase !== NONE)
            throw coded(Error, 'ERR_EVENT_RECURSION',
                `The event "${event.type}" is already being dispatched`);
        dispatch(this, event, own);
        return !event.defaultPrevented;
    }
}

function dispatch(target, event, own) {
    own.target = target;
    own.phase = AT_TARGET;
    for (const one of listeners.get(target).get(event.type) ?? []) {
        if (one.isRemoved || (own.isStopped && !one.resists))
            continue;
        if (one.once)
            target.removeEventListener(event.type, one.listener,
                { capture: one.capture });
        own.isPassive = one.passive;
        call(target, one.listener, event);
        own.isPassive = false;
    }
    own.phase = NONE;
    own.isEnded = own.isStopped = false;
}

// Count the active ones: a handler that was set to null keeps its place.
function countOf(list) {
    return list.filter(({ listener }) => listener[kHandler]?.value !== null).length;
}

// The attribute "on<type>": a listener that keeps the position of its first
// assignment.
function defineHandler(proto, type) {
    const handlers = new WeakMap();
    Object.defineProperty(proto, `on${type}`, {
        configurable: true, enumerable: true,
        get() { return handlers.get(this)?.value ?? null; },
        set(value) {
            const known = handlers.get(this);
            if (known === undefined && isListener(value)) {
                const entry = { value };
                const listener = (event) => {
                    if (typeof entry.value === 'function')
                        Reflect.apply(entry.value, this, [event]);
                };
                listener[kHandler] = entry;
                handlers.set(this, entry);
                this.addEventListener(type, listener);
            } else if (known !== undefined) {
                const isMore = known.value === null;
                known.value = isListener(value) ? value : null;
                this[kChanged]?.(type, countOf(listeners.get(this).get(type)), isMore);
            }
        },
    });
}

// Make the members of a standard enumerable, and give the class its tag.
function reveal(ctor, ...keys) {
    for (const key of keys)
        Object.defineProperty(ctor.prototype, key, { enumerable: true });
    Object.defineProperty(ctor.prototype, Symbol.toStringTag,
        { value: ctor.name, configurable: true });
}
reveal(Event, 'type', 'defaultPrevented', 'cancelable', 'timeStamp',
    'preventDefault', 'stopPropagation', 'stopImmediatePropagation',
    'composedPath', 'target', 'currentTarget', 'srcElement', 'bubbles',
    'composed', 'eventPhase', 'cancelBubble', 'returnValue', 'isTrusted', 'initEvent');
reveal(CustomEvent, 'detail', 'initCustomEvent');
reveal(EventTarget, 'addEventListener', 'removeEventListener', 'dispatchEvent');

const custom = Symbol.for('nodejs.util.inspect.custom');
function shown(proto, text) {
    Object.defineProperty(proto, custom,
        { value: text, writable: true, configurable: true });
}
// Inspect an object as Node does: its name and some fields, or a short text
// where it is nested too deeply.
function shownBy(proto, fieldsOf, whenDeep) {
    shown(proto, function (depth, options, inspect) {
        if (depth < 0)
            return whenDeep(this.constructor.name, options);
        const inner = { ...options };
        if (options.depth != null)
            inner.depth = options.depth - 1;
        return `${this.constructor.name} ${inspect(fieldsOf(this), inner)}`;
    });
}
shownBy(EventTarget.prototype, () => ({}), (name) => name);
shownBy(Event.prototype, ({ type, defaultPrevented, cancelable, timeStamp }) =>
    ({ type, defaultPrevented, cancelable, timeStamp }), (name) => name);

// Dispatch an event of the host itself; target null when that is over.
function dispatchTrusted(event, target) {
    const own = stateOf(event);
    if (target === null) {
        own.phase = NONE;
        own.isEnded = own.isStopped = false;
        return;
    }
    own.isTrusted = true;
    own.target = target;
    own.phase = AT_TARGET;
}

// Fire an event of the host itself.
function fire(target, event) {
    const own = stateOf(event);
    own.isTrusted = true;
    dispatch(target, event, own);
}

const listenersOf = (target, type) => (listeners.get(target).get(`${type}`) ?? [])
    .map((one) => one.listener);

module.exports = { Event, CustomEvent, EventTarget, listeners, kChanged, call,
    countOf, defineHandler, dispatch, dispatchTrusted, fire, stateOf, listenersOf, limits,
    resisting, reveal, shown, shownBy };
