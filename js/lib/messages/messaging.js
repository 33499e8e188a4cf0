// SPDX-License-Identifier: MIT
// messaging -- MessageChannel, MessagePort and MessageEvent of the HTML
// Standard, with the methods of an EventEmitter, as in Node.
'use strict';

const { Event, EventTarget, listeners, kChanged, call, countOf, stateOf,
    dispatchTrusted, defineHandler, reveal, shown } = require('events/eventtarget');
const { coded, invalidArgType } = require('core/errors');
const { classOf } = require('util/kinds');

class MessageEvent extends Event {
    #data; #ports; #more;
    constructor(type, init = undefined) {
        if (arguments.length === 0)
            throw new TypeError('MessageEvent constructor: 1 argument required, ' +
                'but only 0 present.');
        super(type, init);
        this.#data = init?.data === undefined ? null : init.data;
        this.#ports = init?.ports === undefined ? none : portsOf(init.ports);
        if (init?.source != null)
            checkPort(init.source, 'init.source');
        if (init?.origin !== undefined || init?.lastEventId !== undefined ||
            init?.source != null)
            this.#more = { origin: textOf(init.origin), lastEventId: textOf(init.lastEventId),
                source: init.source ?? null };
    }
    get data() { return this.#data; }
    get origin() { return this.#more === undefined ? '' : this.#more.origin; }
    get lastEventId() { return this.#more === undefined ? '' : this.#more.lastEventId; }
    get source() { return this.#more === undefined ? null : this.#more.source; }
    get ports() { return this.#ports; }
    initMessageEvent(type, bubbles = false, cancelable = false, data = null, origin = '',
        lastEventId = '', source = null, ports = []) {
        if (arguments.length === 0)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "type" argument must be specified');
        if (this.eventPhase !== Event.NONE)
            return;
        if (source !== null)
            checkPort(source, 'source');
        const list = portsOf(ports);
        this.initEvent(type, bubbles, cancelable);
        this.#data = data;
        this.#ports = list;
        this.#more = { origin: `${origin}`, lastEventId: `${lastEventId}`, source };
    }
}
const textOf = (value) => value === undefined ? '' : `${value}`;
const none = Object.freeze([]); // shared, because most have none

function checkPort(value, name) {
    if (!(value instanceof MessagePort))
        throw invalidArgType(name, 'an instance of MessagePort', value);
}

function portsOf(given) {
    const ports = Object.freeze([...given]);
    ports.forEach((port, i) => checkPort(port, `init.ports[${i}]`));
    return ports;
}

// ---- an EventTarget with an emitter's methods ----

function entriesOf(target) {
    const own = listeners.get(target);
    if (own === undefined)
        throw coded(TypeError, 'ERR_INVALID_THIS',
            'Value of "this" must be of type NodeEventTarget');
    return own;
}

class NodeEventTarget extends EventTarget {
    on(type, listener) {
        return add(this, type, listener, false);
    }
    addListener(type, listener) {
        return add(this, type, listener, false);
    }
    once(type, listener) {
        return add(this, type, listener, true);
    }
    off(type, listener, options) {
        this.removeEventListener(type, listener, options);
        return this;
    }
    removeListener(type, listener, options) {
        return this.off(type, listener, options);
    }
    removeAllListeners(type) {
        const own = entriesOf(this);
        for (const key of type === undefined ? [...own.keys()] : [`${type}`])
            for (const { listener, capture } of own.get(key) ?? [])
                this.removeEventListener(key, listener, { capture });
        return this;
    }
    // As in Node, each listener gets the value, wrapped in an event or not.
    emit(type, value) {
        if (typeof type !== 'string')
            throw invalidArgType('type', 'of type string', type);
        const had = (entriesOf(this).get(type)?.length ?? 0) > 0;
        dispatch(this, type, value);
        return had;
    }
    eventNames() {
        return [...entriesOf(this)].filter(([, list]) => list.length > 0)
            .map(([type]) => type);
    }
    listenerCount(type) {
        return countOf(entriesOf(this).get(`${type}`) ?? []);
    }
    setMaxListeners() {}
    getMaxListeners() { return 10; }
}

function add(target, type, listener, once) {
    target.addEventListener(type, listener, { once });
    const entry = entriesOf(target).get(`${type}`)
        ?.find((one) => one.listener === listener);
    if (entry !== undefined) {
        entry.isNode = true;
        target[kSimplify]?.(type);
    }
    return target;
}

function hears(target, type) {
    return countOf(listeners.get(target)?.get(type) ?? []) > 0;
}

// Create the event only if a listener needs it.
function dispatch(target, type, value, ports) {
    const list = listeners.get(target).get(type);
    if (list === undefined)
        return;
    let event;
    for (let i = 0; i < list.length; i++) { // the list is replaced, never modified
        const one = list[i];
        if (one.isRemoved)
            continue;
        if (!one.isNode && event === undefined) {
            event = type === 'message' || type === 'messageerror'
                ? new MessageEvent(type, { data: value, ports })
                : new Event(type);
            dispatchTrusted(event, target);
        }
        if (one.once)
            target.removeEventListener(type, one.listener,
                { capture: one.capture });
        call(target, one.listener, one.isNode ? value : event);
        if (event !== undefined && stateOf(event).isStopped)
            break;
    }
    if (event !== undefined)
        dispatchTrusted(event, null);
}

// A message was lost because memory ran out, and nothing listens for that.  As
// elsewhere that is an uncaught error: what waits for the message would wait
// forever.
function unheard(error) {
    if (native.hasRunOut())
        throw error;
}

// ---- ports ----

const kSimplify = Symbol('simplify');

class MessagePort extends NodeEventTarget {
    constructor() {
        throw coded(TypeError, 'ERR_CONSTRUCT_CALL_INVALID',
            'Constructor cannot be called');
    }
    // A port with listeners keeps the program alive.
    [kChanged](type, count, isMore) {
        if (type !== 'message')
            return;
        this[kSimplify](type);
        if (count === 1 && isMore) {
            this.ref();
            this.start();
        } else if (count === 0) {
            this.unref();
        }
    }
    // A single function that wants only the value is called directly.
    [kSimplify](type) {
        if (type !== 'message')
            return;
        const list = listeners.get(this).get(type);
        const one = list?.length === 1 ? list[0] : undefined;
        native.listen(this, one?.isNode && !one.once &&
            typeof one.listener === 'function' ? one.listener : undefined);
    }
}
native.methods(MessagePort.prototype);
const { close: closeNow } = MessagePort.prototype;
Object.defineProperty(MessagePort.prototype, 'close', {
    writable: true, configurable: true,
    value: function close(listener) {
        if (typeof listener === 'function')
            this.once('close', listener);
        Reflect.apply(closeNow, this, []);
    },
});
for (const key of ['postMessage', 'start', 'close', 'ref', 'unref', 'hasRef'])
    Object.defineProperty(MessagePort.prototype, key, { enumerable: true });
defineHandler(MessagePort.prototype, 'message');
defineHandler(MessagePort.prototype, 'messageerror');

native.setHooks(MessagePort.prototype,
    function init() { listeners.set(this, new Map()); },
    function message(value, ports) { dispatch(this, 'message', value, ports); },
    function failed(error) {
        if (hears(this, 'messageerror'))
            dispatch(this, 'messageerror', error);
        else
            unheard(error);
    },
    function closed() { dispatch(this, 'close'); });

class MessageChannel {
    constructor() {
        [this.port1, this.port2] = native.channel();
    }
}

// The second argument of postMessage: a list, or {transfer: list}.
// Perhaps an object of the host; buffers and ports are known to C.
const isOther = (value) => typeof value === 'object' && value !== null &&
    classOf(value) === 'Object';

function transferList(given) {
    const isObject = typeof given === 'object' || typeof given === 'function';
    const isList = isObject && typeof given[Symbol.iterator] === 'function';
    if (!isObject)
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE',
            'Optional transferList argument must be an iterable');
    const list = isList ? given : given.transfer;
    if (list === undefined)
        return undefined;
    if (!isList && (Object(list) !== list || typeof list[Symbol.iterator] !== 'function'))
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE',
            'Optional options.transfer argument must be an iterable');
    const wanted = [];
    for (const one of list)
        if (!untransferable.has(one))
            wanted.push(one);
    return wanted.some(isOther) ? require('messages/host').prepare(wanted) : wanted;
}

const untransferable = new WeakSet();
function markAsUntransferable(object) {
    if (object !== null && (typeof object === 'object' || typeof object === 'function'))
        untransferable.add(object);
}

reveal(MessageEvent, 'data', 'origin', 'lastEventId', 'source', 'ports', 'initMessageEvent');
shown(MessagePort.prototype, function (depth, options, inspect) {
    return depth < 0 ? 'MessagePort' : `MessagePort [EventTarget] ${inspect(
        { active: native.isOpen(this), refed: this.hasRef() }, options)}`;
});

module.exports = { MessageChannel, MessagePort, MessageEvent, NodeEventTarget,
    dispatch, hears, unheard, transferList, markAsUntransferable,
    receiveMessageOnPort: (port) => native.receive(port) };
