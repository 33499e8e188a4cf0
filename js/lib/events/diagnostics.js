// SPDX-License-Identifier: MIT
// diagnostics -- the module diagnostics_channel: named channels on which
// libraries publish what they do, and groups of channels around a call.
'use strict';

const { invalidArgType } = require('core/errors');
const { kIsActive } = require('events/active');

const channels = new Map(); // by name; never removed

// An error in a subscriber must not reach the publisher.
function throwLater(error) {
    require('timers/timers').nextTick(() => { throw error; });
}

function checkFunction(value, name) {
    if (typeof value !== 'function')
        throw invalidArgType(name, 'of type function', value);
}

class Channel {
    #subscribers = []; // replaced, never modified: publish() may be iterating over it
    #stores = new Map(); // AsyncLocalStorage or similar -> transform

    constructor(name) {
        this.name = name;
        Object.defineProperty(this, kIsActive, { value: false, writable: true });
    }

    get hasSubscribers() {
        return this.#subscribers.length > 0 || this.#stores.size > 0;
    }

    subscribe(subscription) {
        checkFunction(subscription, 'subscription');
        this.#subscribers = [...this.#subscribers, subscription];
        this[kIsActive] = true;
    }

    unsubscribe(subscription) {
        const index = this.#subscribers.indexOf(subscription);
        if (index === -1)
            return false;
        this.#subscribers = this.#subscribers.toSpliced(index, 1);
        this[kIsActive] = this.hasSubscribers;
        return true;
    }

    publish(message) {
        for (const subscriber of this.#subscribers)
            try {
                subscriber(message, this.name);
            } catch (error) {
                throwLater(error);
            }
    }

    bindStore(store, transform) {
        this.#stores.set(store, transform);
        this[kIsActive] = true;
    }

    unbindStore(store) {
        const wasBound = this.#stores.delete(store);
        this[kIsActive] = this.hasSubscribers;
        return wasBound;
    }

    // Enter the store that was bound last first.
    runStores(message, fn, thisArg, ...args) {
        let run = () => {
            this.publish(message);
            return Reflect.apply(fn, thisArg, args);
        };
        for (const [store, transform] of this.#stores)
            run = enter(store, transform, message, run);
        return run();
    }
}

function enter(store, transform, message, run) {
    return () => {
        let value = message;
        try {
            if (transform)
                value = transform(message);
        } catch (error) {
            throwLater(error);
            return run();
        }
        return store.run(value, run);
    };
}

function channel(name) {
    if (typeof name !== 'string' && typeof name !== 'symbol')
        throw invalidArgType('channel', 'one of type string or symbol', name);
    if (!channels.has(name))
        channels.set(name, new Channel(name));
    return channels.get(name);
}

// ---- around a call ----

const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

function channelOf(from, event) {
    if (typeof from === 'string')
        return channel(`tracing:${from}:${event}`);
    if (from === null || typeof from !== 'object')
        throw invalidArgType('nameOrChannels',
            'of type string or an instance of TracingChannel or Object', from);
    if (!(from[event] instanceof Channel))
        throw invalidArgType(`nameOrChannels.${event}`, 'an instance of Channel',
            from[event]);
    return from[event];
}

class TracingChannel {
    constructor(from) {
        for (const event of events)
            Object.defineProperty(this, event, { value: channelOf(from, event) });
    }

    get hasSubscribers() {
        return events.some((event) => this[event].hasSubscribers);
    }

    subscribe(handlers) {
        for (const event of events)
            if (handlers[event])
                this[event].subscribe(handlers[event]);
    }

    unsubscribe(handlers) {
        const wanted = events.filter((event) => handlers[event]);
        return wanted.map((event) => this[event].unsubscribe(handlers[event]))
            .every(Boolean);
    }

    #fail(context, error) {
        context.error = error;
        this.error.publish(context);
    }

    #run(context, call) {
        return this.start.runStores(context, () => {
            try {
                return call();
            } catch (error) {
                this.#fail(context, error);
                throw error;
            } finally {
                this.end.publish(context);
            }
        });
    }

    traceSync(fn, context = {}, thisArg, ...args) {
        if (!this.hasSubscribers)
            return Reflect.apply(fn, thisArg, args);
        return this.#run(context, () =>
            context.result = Reflect.apply(fn, thisArg, args));
    }

    tracePromise(fn, context = {}, thisArg, ...args) {
        if (!this.hasSubscribers)
            return Reflect.apply(fn, thisArg, args);
        const settled = () => {
            this.asyncStart.publish(context);
            this.asyncEnd.publish(context);
        };
        return this.#run(context, () => {
            const made = Reflect.apply(fn, thisArg, args);
            const promise = made instanceof Promise ? made : Promise.resolve(made);
            return Promise.prototype.then.call(promise, (result) => {
                context.result = result;
                settled();
                return result;
            }, (error) => {
                this.#fail(context, error);
                settled();
                return Promise.reject(error);
            });
        });
    }

    traceCallback(fn, position = -1, context = {}, thisArg, ...args) {
        if (!this.hasSubscribers)
            return Reflect.apply(fn, thisArg, args);
        const callback = args.at(position), trace = this;
        checkFunction(callback, 'callback');
        args.splice(position, 1, function (error, result) {
            if (error)
                trace.#fail(context, error);
            else
                context.result = result;
            trace.asyncStart.runStores(context, () => {
                try {
                    return Reflect.apply(callback, this, arguments);
                } finally {
                    trace.asyncEnd.publish(context);
                }
            });
        });
        return this.#run(context, () => Reflect.apply(fn, thisArg, args));
    }
}

module.exports = {
    channel,
    hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
    subscribe: (name, subscription) => channel(name).subscribe(subscription),
    tracingChannel: (nameOrChannels) => new TracingChannel(nameOrChannels),
    unsubscribe: (name, subscription) => channel(name).unsubscribe(subscription),
    Channel,
};
