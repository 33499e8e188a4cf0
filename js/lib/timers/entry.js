// SPDX-License-Identifier: MIT
// entry -- PerformanceEntry, and what its subclasses share.
'use strict';

const { coded } = require('core/errors');
const { reveal } = require('events/eventtarget');
const { custom } = require('util/kinds');

const allowed = Symbol('allowed'); // permits construction

function illegal() {
    return coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
}

function missing(name) {
    return coded(TypeError, 'ERR_MISSING_ARGS',
        `The "${name}" argument must be specified`);
}

class PerformanceEntry {
    #name; #type; #startTime; #duration;

    constructor(key, name, type, startTime, duration) {
        if (key !== allowed)
            throw illegal();
        this.#name = name;
        this.#type = type;
        this.#startTime = startTime;
        this.#duration = duration;
    }
    get name() { return this.#name; }
    get entryType() { return this.#type; }
    get startTime() { return this.#startTime; }
    get duration() { return this.#duration; }
    toJSON() {
        return { name: this.name, entryType: this.entryType,
            startTime: this.startTime, duration: this.duration };
    }
    [custom](depth, options, inspect = require('util/inspect').inspect) {
        const { name } = this.constructor;
        return depth < 0 ? options.stylize(`[${name}]`, 'special') : `${name} ` +
            inspect(this.toJSON(), { ...options,
                depth: options.depth == null ? null : options.depth - 1 });
    }
}


// An entry that Node itself makes: of a function, a request ...
class PerformanceNodeEntry extends PerformanceEntry {
    #detail;

    constructor(key, name, type, startTime, duration, detail) {
        super(key, name, type, startTime, duration);
        this.#detail = detail;
    }
    get detail() { return this.#detail; }
    toJSON() { return { ...super.toJSON(), detail: this.#detail }; }
}

// Make the members of a standard enumerable; the constructor takes `length`
// arguments.
function describe(ctor, length, ...keys) {
    reveal(ctor, ...keys);
    Object.defineProperty(ctor, 'length', { value: length, configurable: true });
}
describe(PerformanceEntry, 0, 'name', 'entryType', 'startTime', 'duration', 'toJSON');

module.exports = { allowed, describe, illegal, missing, PerformanceEntry,
    PerformanceNodeEntry };
