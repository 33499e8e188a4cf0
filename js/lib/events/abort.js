// SPDX-License-Identifier: MIT
// abort -- AbortController and AbortSignal of the DOM Standard, as in Node.
'use strict';

const { coded, invalidArgType, outOfRange } = require('core/errors');
const { Event, EventTarget, defineHandler, dispatch, kChanged, stateOf, reveal, shownBy } =
    require('events/eventtarget');

// AbortSignal -> {aborted, reason, dependants, room, heard, sources}.  `sources` is
// null if it was not made by any().  `dependants` are WeakRefs, so that a signal
// that lives long does not collect all that were ever made of it; those that have
// listeners are in `heard`, too, which keeps them.
const signals = new WeakMap();
const FEW = 16;
let isAllowed = false;

function makeSignal() {
    isAllowed = true;
    try {
        return new AbortSignal();
    } finally {
        isAllowed = false;
    }
}

class AbortSignal extends EventTarget {
    constructor() {
        if (!isAllowed)
            throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
        super();
        signals.set(this, { aborted: false, reason: undefined,
            dependants: new Set(), room: FEW, heard: null, sources: null });
    }
    [kChanged](type, count) {
        if (type === 'abort')
            keep(this, count > 0);
    }
    get aborted() { return ownOf(this).aborted; }
    get reason() { return ownOf(this).reason; }
    throwIfAborted() {
        if (this.aborted)
            throw this.reason;
    }
    static abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
        const signal = makeSignal();
        Object.assign(signals.get(signal), { aborted: true, reason });
        return signal;
    }
    static timeout(delay) {
        if (typeof delay !== 'number')
            throw invalidArgType('delay', 'of type number', delay);
        if (!Number.isInteger(delay))
            throw outOfRange('delay', 'an integer', delay);
        if (delay < 0 || delay > 4294967295)
            throw outOfRange('delay', '>= 0 && <= 4294967295', delay);
        const signal = makeSignal();
        require('timers/timers').setTimeout(() => abort(signal, new DOMException(
            'The operation was aborted due to timeout', 'TimeoutError')),
        delay).unref();
        return signal;
    }
    static any(list) {
        if (list === null || typeof list !== 'object' ||
            typeof list[Symbol.iterator] !== 'function')
            throw invalidArgType('signals', 'an instance of Array', list);
        const sources = [...list];
        for (const [i, source] of sources.entries())
            if (!(source instanceof AbortSignal))
                throw invalidArgType(`signals[${i}]`,
                    'an instance of AbortSignal', source);
        const signal = makeSignal(), own = signals.get(signal);
        const first = sources.find((source) => source.aborted);
        if (first !== undefined) {
            Object.assign(own, { aborted: true, reason: first.reason });
            return signal;
        }
        own.sources = new Set();
        // A signal that depends on others passes on what it depends on: those
        // are the only ones that are aborted by themselves.
        for (const source of sources)
            for (const origin of signals.get(source).sources ?? [source]) {
                if (!own.sources.has(origin))
                    addDependant(signals.get(origin), signal);
                own.sources.add(origin);
            }
        return signal;
    }
}
defineHandler(AbortSignal.prototype, 'abort');

function ownOf(signal) {
    const own = signals.get(signal);
    if (own === undefined)
        throw coded(TypeError, 'ERR_INVALID_THIS',
            'Value of "this" must be of type AbortSignal');
    return own;
}

// Set whether what a signal depends on keeps it.
function keep(signal, isHeard) {
    const { aborted, sources } = signals.get(signal);
    for (const origin of sources ?? []) {
        const own = signals.get(origin);
        if (isHeard && !aborted)
            (own.heard ??= new Set()).add(signal);
        else
            own.heard?.delete(signal);
    }
}

function addDependant(own, signal) {
    const { dependants } = own;
    if (dependants.size >= own.room) {
        for (const one of dependants)
            if (one.deref() === undefined)
                dependants.delete(one);
        own.room = 2 * dependants.size + FEW;
    }
    dependants.add(new WeakRef(signal));
}

function abort(signal, reason) {
    const own = signals.get(signal);
    if (own.aborted)
        return;
    own.aborted = true;
    own.reason = reason;
    keep(signal, false);
    const event = new Event('abort');
    stateOf(event).isTrusted = true;
    dispatch(signal, event, stateOf(event));
    // One after the other, as in Node: each is aborted when its turn comes.
    for (const reference of own.dependants) {
        const one = reference.deref();
        if (one !== undefined)
            abort(one, reason);
    }
    own.dependants.clear();
}

class AbortController {
    #signal = makeSignal();
    get signal() { return this.#signal; }
    abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
        abort(this.#signal, reason);
    }
}

reveal(AbortSignal, 'aborted', 'reason', 'throwIfAborted');
reveal(AbortController, 'signal', 'abort');
shownBy(AbortSignal.prototype, ({ aborted }) => ({ aborted }),
    (name, { stylize }) => stylize(`[${name}]`, 'special'));
shownBy(AbortController.prototype, ({ signal }) => ({ signal }),
    (name) => `${name} {}`);

const isSignal = (value) => signals.has(value);

module.exports = { AbortSignal, AbortController, isSignal };
