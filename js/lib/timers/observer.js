// SPDX-License-Identifier: MIT
// observer -- PerformanceObserver.
'use strict';

const { checkFunction, checkObject, coded, invalidArgType, invalidArgValue } =
    require('core/errors');
const { describe, illegal, missing } = require('timers/entry');
const timeline = require('timers/timeline');
const { custom } = require('util/kinds');

const supported = Object.freeze(['function', 'mark', 'measure', 'resource']);
const allowed = Symbol('allowed');

const deeper = (options) =>
    ({ ...options, depth: options.depth == null ? null : options.depth - 1 });

class PerformanceObserverEntryList {
    #entries;

    constructor(key, entries) {
        if (key !== allowed)
            throw illegal();
        this.#entries = entries.sort((a, b) => a.startTime - b.startTime);
    }
    getEntries() {
        return this.#entries.slice();
    }
    getEntriesByType(type) {
        if (arguments.length === 0)
            throw missing('type');
        type = `${type}`;
        return this.#entries.filter((entry) => entry.entryType === type);
    }
    getEntriesByName(name, type = undefined) {
        if (arguments.length === 0)
            throw missing('name');
        name = `${name}`;
        return this.#entries.filter((entry) => entry.name === name &&
            (type == null || entry.entryType === type));
    }
    [custom](depth, options, inspect = require('util/inspect').inspect) {
        return depth < 0 ? this
            : `PerformanceObserverEntryList ${inspect(this.#entries, deeper(options))}`;
    }
}
describe(PerformanceObserverEntryList, 0, 'getEntries', 'getEntriesByType',
    'getEntriesByName');

// ---- observers with entries ----

const pending = new Set(); // of functions
let isQueued = false;

function deliver() {
    const all = [...pending];
    isQueued = false;
    pending.clear();
    for (const each of all)
        each();
}

function queue(dispatch) {
    pending.add(dispatch);
    if (!isQueued)
        require('timers/timers').setImmediate(deliver);
    isQueued = true;
}

const modified = (how) => new DOMException(
    `PerformanceObserver can not change to ${how}`, 'InvalidModificationError');

class PerformanceObserver {
    #buffer = [];
    #types = new Set();
    #isSingle; // observes one type after another; undefined: not yet
    #callback;

    constructor(callback) {
        checkFunction(callback, 'callback');
        this.#callback = callback;
    }

    #take = (entry) => {
        if (!this.#types.has(entry.entryType))
            return;
        this.#buffer.push(entry);
        queue(this.#dispatch);
    };

    #dispatch = () => {
        this.#callback(
            new PerformanceObserverEntryList(allowed, this.takeRecords()), this);
    };

    observe(options = {}) {
        checkObject(options, 'options');
        const { entryTypes, type, buffered } = { ...options };
        if (entryTypes === undefined && type === undefined)
            throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "options.entryTypes" and ' +
                '"options.type" arguments must be specified');
        if (entryTypes != null && type != null)
            throw invalidArgValue('options.entryTypes', entryTypes,
                'options.entryTypes can not set with options.type together');
        if (this.#isSingle === true && entryTypes !== undefined)
            throw modified('multiple observations');
        if (this.#isSingle === false && type !== undefined)
            throw modified('single observation');
        this.#isSingle ??= type !== undefined;
        if (!this.#isSingle)
            this.#observeAll(entryTypes);
        else if (supported.includes(type))
            this.#observeOne(type, buffered);
        else
            return;
        if (this.#types.size > 0)
            timeline.observers.add(this.#take);
        else
            this.disconnect();
    }

    #observeAll(types) {
        if (!Array.isArray(types))
            throw invalidArgType('options.entryTypes', 'string[]', types);
        this.#types.clear();
        for (const type of types)
            if (supported.includes(type))
                this.#types.add(type);
    }

    #observeOne(type, buffered) {
        this.#types.add(type);
        if (buffered) {
            this.#buffer.push(...timeline.find(type));
            queue(this.#dispatch);
        }
    }

    disconnect() {
        timeline.observers.delete(this.#take);
        pending.delete(this.#dispatch);
        this.#buffer = [];
        this.#types.clear();
        this.#isSingle = undefined;
    }

    takeRecords() {
        const list = this.#buffer;
        this.#buffer = [];
        return list;
    }

    static get supportedEntryTypes() {
        return supported;
    }

    [custom](depth, options, inspect = require('util/inspect').inspect) {
        return depth < 0 ? this : `PerformanceObserver ${inspect({
            connected: timeline.observers.has(this.#take),
            pending: pending.has(this.#dispatch),
            entryTypes: [...this.#types],
            buffer: this.#buffer,
        }, deeper(options))}`;
    }
}
describe(PerformanceObserver, 1, 'observe', 'disconnect', 'takeRecords');

module.exports = { PerformanceObserver, PerformanceObserverEntryList };
