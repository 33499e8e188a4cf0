// SPDX-License-Identifier: MIT
// performance -- User Timing and High Resolution Time, as in Node.
'use strict';

const { now, timeOrigin } = require('timers/clock');
const { EventTarget } = require('events/eventtarget');
const { checkObject, coded, invalidArgType, invalidArgValue } = require('core/errors');
const { custom } = require('util/kinds');

const allowed = Symbol('allowed'); // permits construction

function illegal() {
    return coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
}

function missing(name) {
    return coded(TypeError, 'ERR_MISSING_ARGS',
        `The "${name}" argument must be specified`);
}

const isObject = (value) => typeof value === 'object' && value !== null;

function checkTime(value, name) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (value < 0)
        throw coded(TypeError, 'ERR_PERFORMANCE_INVALID_TIMESTAMP',
            `${value} is not a valid timestamp`);
    return value;
}

const copied = (detail) => detail == null ? null
    : require('messages/clone')(detail);

// ---- entries ----

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
        return depth < 0 ? this : `${this.constructor.name} ` +
            inspect(this.toJSON(), { ...options,
                depth: options.depth == null ? null : options.depth - 1 });
    }
}

// Names of Node's own milestones, which do not exist here.
const reserved = new Set(['nodeStart', 'v8Start', 'environment', 'loopStart',
    'loopExit', 'bootstrapComplete']);

function checkMarkName(name) {
    name = `${name}`;
    if (reserved.has(name))
        throw invalidArgValue('name', name);
    return name;
}

class PerformanceMark extends PerformanceEntry {
    #detail;

    constructor(name, options = undefined) {
        if (arguments.length === 0)
            throw missing('name');
        name = checkMarkName(name);
        if (options != null)
            checkObject(options, 'options');
        const startTime = options?.startTime;
        super(allowed, name, 'mark', startTime == null ? now()
            : checkTime(startTime, 'startTime'), 0);
        this.#detail = copied(options?.detail);
    }
    get detail() { return this.#detail; }
    toJSON() { return { ...super.toJSON(), detail: this.#detail }; }
}

class PerformanceMeasure extends PerformanceEntry {
    #detail;

    constructor(key, name, startTime, duration, detail) {
        super(key, name, 'measure', startTime, duration);
        this.#detail = copied(detail);
    }
    get detail() { return this.#detail; }
    toJSON() { return { ...super.toJSON(), detail: this.#detail }; }
}

// ---- the timeline ----

let marks = [], measures = [];
const latest = new Map(); // name of a mark -> its time

function timeOf(mark) {
    if (typeof mark === 'number')
        return checkTime(mark, 'timestamp');
    const time = latest.get(`${mark}`);
    if (time === undefined)
        throw new DOMException(`The "${mark}" performance mark has not been set`,
            'SyntaxError');
    return time;
}

function refuseOptions(why) {
    return coded(TypeError, 'ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS', why);
}

// [start, end] of a measure.
function spanOf(first, endMark) {
    const { start, end, duration } = isObject(first) ? first
        : { start: first ?? undefined };
    if (isObject(first) && endMark !== undefined)
        throw refuseOptions('endMark must not be specified');
    if (start !== undefined && end !== undefined && duration !== undefined)
        throw refuseOptions('Must not have options.start, options.end, and ' +
            'options.duration specified');
    const to = endMark !== undefined ? timeOf(endMark)
        : end !== undefined ? timeOf(end)
            : start !== undefined && duration !== undefined
                ? timeOf(start) + timeOf(duration) : now();
    const from = typeof first === 'number' ? 0 // as in Node
        : start !== undefined ? timeOf(start)
            : end !== undefined && duration !== undefined
                ? timeOf(end) - timeOf(duration) : 0;
    return [from, to];
}

const sorted = (list) => list.toSorted((a, b) => a.startTime - b.startTime);

function check(value) {
    if (!isObject(value) || !(value instanceof Performance))
        throw invalidArgType('this', 'an instance of Performance', value);
}

class Performance extends EventTarget {
    constructor(key) {
        if (key !== allowed)
            throw illegal();
        super();
    }

    now() {
        check(this);
        return now();
    }

    get timeOrigin() {
        check(this);
        return timeOrigin;
    }

    mark(name, options = undefined) {
        check(this);
        if (arguments.length === 0)
            throw missing('name');
        const mark = new PerformanceMark(name, options);
        marks.push(mark);
        latest.set(mark.name, mark.startTime);
        return mark;
    }

    measure(name, startOrOptions = undefined, endMark = undefined) {
        check(this);
        if (arguments.length === 0)
            throw missing('name');
        if (typeof name !== 'string')
            throw invalidArgType('name', 'of type string', name);
        const [start, end] = spanOf(startOrOptions, endMark);
        const measure = new PerformanceMeasure(allowed, name, start, end - start,
            isObject(startOrOptions) ? startOrOptions.detail : null);
        measures.push(measure);
        return measure;
    }

    clearMarks(name = undefined) {
        check(this);
        if (name === undefined) {
            marks = [];
            latest.clear();
            return;
        }
        name = checkMarkName(name);
        marks = marks.filter((mark) => mark.name !== name);
        latest.delete(name);
    }

    clearMeasures(name = undefined) {
        check(this);
        measures = name === undefined ? []
            : measures.filter((measure) => measure.name !== `${name}`);
    }

    getEntries() {
        check(this);
        return sorted([...marks, ...measures]);
    }

    getEntriesByName(name, type = undefined) {
        check(this);
        if (arguments.length === 0)
            throw missing('name');
        name = `${name}`;
        return this.getEntries().filter((entry) => entry.name === name &&
            (type === undefined || entry.entryType === `${type}`));
    }

    getEntriesByType(type) {
        check(this);
        if (arguments.length === 0)
            throw missing('type');
        type = `${type}`;
        return type === 'mark' ? sorted(marks)
            : type === 'measure' ? sorted(measures) : [];
    }

    toJSON() {
        check(this);
        return { timeOrigin };
    }

    [custom](depth, options, inspect = require('util/inspect').inspect) {
        return depth < 0 ? this : `Performance ${inspect({ timeOrigin },
            { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
    }
}

for (const [ctor, ...keys] of [
    [PerformanceEntry, 'name', 'entryType', 'startTime', 'duration', 'toJSON'],
    [PerformanceMark, 'detail', 'toJSON'],
    [PerformanceMeasure, 'detail', 'toJSON'],
    [Performance, 'clearMarks', 'clearMeasures', 'getEntries', 'getEntriesByName',
        'getEntriesByType', 'mark', 'measure', 'now', 'timeOrigin', 'toJSON']]) {
    for (const key of keys)
        Object.defineProperty(ctor.prototype, key, { enumerable: true });
    Object.defineProperty(ctor.prototype, Symbol.toStringTag,
        { value: ctor.name, configurable: true });
    Object.defineProperty(ctor, 'length',
        { value: ctor === PerformanceMark ? 1 : 0, configurable: true });
}
for (const { prototype } of [PerformanceEntry, Performance])
    Object.defineProperty(prototype, custom, { enumerable: false });

module.exports = { performance: new Performance(allowed), Performance,
    PerformanceEntry, PerformanceMark, PerformanceMeasure };
