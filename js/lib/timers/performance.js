// SPDX-License-Identifier: MIT
// performance -- User Timing and High Resolution Time, as in Node.
'use strict';

const { now, timeOrigin } = require('timers/clock');
const { Event, EventTarget, defineHandler, fire } = require('events/eventtarget');
const { checkObject, coded, invalidArgType, invalidArgValue } = require('core/errors');
const { custom } = require('util/kinds');
const { allowed, describe, illegal, missing, PerformanceEntry } = require('timers/entry');
const timeline = require('timers/timeline');

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

// ---- measures ----

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
        timeline.add(mark);
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
        timeline.add(measure);
        return measure;
    }

    clearMarks(name = undefined) {
        check(this);
        if (name === undefined) {
            latest.clear();
        } else {
            name = checkMarkName(name);
            latest.delete(name);
        }
        timeline.clear('mark', name);
    }

    clearMeasures(name = undefined) {
        check(this);
        timeline.clear('measure', name === undefined ? name : `${name}`);
    }

    clearResourceTimings(name = undefined) {
        check(this);
        timeline.clear('resource', name === undefined ? name : `${name}`);
    }

    setResourceTimingBufferSize(maxSize) {
        check(this);
        if (arguments.length === 0)
            throw missing('maxSize');
        timeline.limitResources(maxSize >>> 0);
    }

    getEntries() {
        check(this);
        return timeline.find();
    }

    getEntriesByName(name, type = undefined) {
        check(this);
        if (arguments.length === 0)
            throw missing('name');
        return timeline.find(type === undefined ? type : `${type}`, `${name}`);
    }

    getEntriesByType(type) {
        check(this);
        if (arguments.length === 0)
            throw missing('type');
        return timeline.find(`${type}`);
    }

    toJSON() {
        check(this);
        return { nodeTiming: this.nodeTiming, timeOrigin,
            eventLoopUtilization: this.eventLoopUtilization() };
    }

    [custom](depth, options, inspect = require('util/inspect').inspect) {
        const { nodeTiming } = this;
        return depth < 0 ? this : `Performance ${inspect({ nodeTiming, timeOrigin },
            { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
    }
}

describe(PerformanceMark, 1, 'detail', 'toJSON');
describe(PerformanceMeasure, 0, 'detail', 'toJSON');
describe(Performance, 0, 'clearMarks', 'clearMeasures', 'clearResourceTimings',
    'getEntries', 'getEntriesByName', 'getEntriesByType', 'mark', 'measure', 'now',
    'setResourceTimingBufferSize', 'timeOrigin', 'toJSON');

// What few programs use is loaded when it is read.
function defineLater(name, lib, key = name) {
    Object.defineProperty(Performance.prototype, name, { configurable: true,
        get() {
            const value = require(lib)[key];
            Object.defineProperty(Performance.prototype, name,
                { value, writable: true, configurable: true });
            return value;
        },
        set(value) {
            Object.defineProperty(this, name,
                { value, writable: true, configurable: true, enumerable: true });
        } });
}
defineLater('eventLoopUtilization', 'timers/utilization');
defineLater('nodeTiming', 'timers/utilization');
defineLater('markResourceTiming', 'timers/resource');
defineLater('timerify', 'timers/timerify');
defineHandler(Performance.prototype, 'resourcetimingbufferfull');

const performance = new Performance(allowed);
timeline.onFull(() => fire(performance, new Event('resourcetimingbufferfull')));

module.exports = { performance, Performance, PerformanceMark, PerformanceMeasure };
