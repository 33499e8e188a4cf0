// SPDX-License-Identifier: MIT
// headers -- the class Headers of the Fetch standard.  It is in C, except for
// what iterates.
'use strict';

const { reveal } = require('events/eventtarget');
const { custom } = require('util/kinds');

const { Headers, sorted, raw, isHeaders, setImmutable, onSequence } = native;
const { append } = Headers.prototype;

// Append the pairs of an iterable.
function fill(headers, init) {
    let index = 0;
    for (const pair of init) {
        if (typeof pair !== 'object' || pair === null ||
            typeof pair[Symbol.iterator] !== 'function')
            throw new TypeError(`Headers contructor: init[${index}] ` +
                `(${String(pair)}) is not iterable.`);
        const both = [...pair];
        if (both.length !== 2)
            throw new TypeError('Headers constructor: expected name/value pair to be ' +
                `length 2, found ${both.length}.`);
        Reflect.apply(append, headers, both);
        index++;
    }
}
onSequence(fill, Symbol.iterator);

// ---- iteration ----

const KEY = 0, VALUE = 1, BOTH = 2;
const states = new WeakMap(); // iterator -> {headers, kind, index}

// It shows the list as it is at each step, as the standard says.
const iteratorPrototype = Object.create(
    Object.getPrototypeOf(Object.getPrototypeOf([].values())), {
        next: { writable: true, enumerable: true, configurable: true,
            value: function next() {
                const state = states.get(this);
                if (state === undefined)
                    throw new TypeError("'next' called on an object that does not " +
                        'implement interface Headers Iterator.');
                const list = sorted(state.headers), at = 2 * state.index;
                if (at >= list.length)
                    return { value: undefined, done: true };
                state.index++;
                return { value: state.kind === BOTH ? [list[at], list[at + 1]]
                    : list[at + state.kind], done: false };
            } },
        [Symbol.toStringTag]: { value: 'Headers Iterator', configurable: true },
    });

function iterate(headers, kind) {
    if (!isHeaders(headers))
        throw new TypeError('Illegal invocation');
    const iterator = Object.create(iteratorPrototype);
    states.set(iterator, { headers, kind, index: 0 });
    return iterator;
}

const methods = {
    keys() { return iterate(this, KEY); },
    values() { return iterate(this, VALUE); },
    entries() { return iterate(this, BOTH); },
    forEach(callback, self = undefined) {
        if (!isHeaders(this))
            throw new TypeError('Illegal invocation');
        if (arguments.length === 0)
            throw new TypeError('Headers.forEach: 1 argument required, but 0 found.');
        if (typeof callback !== 'function')
            throw new TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is " +
                "not of type 'Function'.");
        for (let index = 0; ; index += 2) {
            const list = sorted(this);
            if (index >= list.length)
                return;
            Reflect.apply(callback, self, [list[index + 1], list[index], this]);
        }
    },
};
for (const name of Object.keys(methods))
    Object.defineProperty(Headers.prototype, name, { value: methods[name],
        writable: true, enumerable: true, configurable: true });
Object.defineProperty(Headers.prototype, Symbol.iterator,
    { value: methods.entries, writable: true, configurable: true });
reveal(Headers, 'append', 'delete', 'get', 'has', 'set', 'getSetCookie');

function show(depth, options, inspect) {
    if (!isHeaders(this))
        return inspect({}, options);
    const list = raw(this), fields = {}, names = new Map();
    for (let i = 0; i < list.length; i += 2) {
        const name = names.get(list[i].toLowerCase()) ?? list[i];
        names.set(name.toLowerCase(), name);
        fields[name] = Object.hasOwn(fields, name) ? `${fields[name]}, ${list[i + 1]}`
            : list[i + 1];
    }
    return `Headers ${inspect(fields, options)}`;
}
Object.defineProperty(Headers.prototype, custom,
    { value: show, writable: true, configurable: true });

module.exports = { Headers, isHeaders, setImmutable, raw };
