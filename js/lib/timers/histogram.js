// SPDX-License-Identifier: MIT
// histogram -- createHistogram and monitorEventLoopDelay, as in Node.
'use strict';

const { checkInteger, checkObject, coded, invalidArgType, outOfRange } = require('core/errors');
const { custom } = require('util/kinds');

const allowed = Symbol('allowed'); // permits construction
class SafeMap extends Map {} // Node's name for it

const illegal = () => coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
const wrongThis = (name) => coded(TypeError, 'ERR_INVALID_THIS',
    `Value of "this" must be of type ${name}`);

let handleOf; // a histogram -> its handle; undefined for other values

class Histogram {
    #handle;
    #map = new SafeMap();

    constructor(key, handle) {
        if (key !== allowed)
            throw illegal();
        this.#handle = handle;
    }
    static {
        handleOf = (value) => typeof value === 'object' && value !== null &&
            #handle in value ? value.#handle : undefined;
    }

    get count() { return native.count(own(this)); }
    get countBigInt() { return native.count(own(this), true); }
    get min() { return native.min(own(this)); }
    get minBigInt() { return native.min(own(this), true); }
    get max() { return native.max(own(this)); }
    get maxBigInt() { return native.max(own(this), true); }
    get mean() { return native.mean(own(this)); }
    get exceeds() { return native.exceeds(own(this)); }
    get exceedsBigInt() { return native.exceeds(own(this), true); }
    get stddev() { return native.stddev(own(this)); }

    percentile(percentile) {
        return native.percentile(own(this), checkPercentile(percentile));
    }
    percentileBigInt(percentile) {
        return native.percentile(own(this), checkPercentile(percentile), true);
    }
    get percentiles() {
        const list = native.percentiles(own(this));
        return fill(this.#map, list);
    }
    get percentilesBigInt() {
        const list = native.percentiles(own(this), true);
        return fill(this.#map, list);
    }
    reset() {
        native.reset(own(this));
    }
    toJSON() {
        const { count, min, max, mean, exceeds, stddev, percentiles } = this;
        return { count, min, max, mean, exceeds, stddev,
            percentiles: Object.fromEntries(percentiles) };
    }
    [custom](depth, options, inspect = require('util/inspect').inspect) {
        if (depth < 0)
            return this;
        const { min, max, mean, exceeds, stddev, count, percentiles } = this;
        return `Histogram ${inspect(
            { min, max, mean, exceeds, stddev, count, percentiles },
            { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
    }
}
Object.defineProperty(Histogram, 'length', { value: 0, configurable: true });

function own(histogram) {
    const handle = handleOf(histogram);
    if (handle === undefined)
        throw wrongThis('Histogram');
    return handle;
}

function checkPercentile(value) {
    if (typeof value !== 'number')
        throw invalidArgType('percentile', 'of type number', value);
    if (!(value > 0 && value <= 100))
        throw outOfRange('percentile', '> 0 && <= 100', value);
    return value;
}

function fill(map, list) {
    map.clear();
    for (let i = 0; i < list.length; i += 2)
        map.set(list[i], list[i + 1]);
    return map;
}

// ---- those that programs record in ----

const isRecordable = (value) => handleOf(value) !== undefined &&
    value instanceof RecordableHistogram;

function checkRecordable(value) {
    if (!isRecordable(value))
        throw wrongThis('RecordableHistogram');
}

class RecordableHistogram extends Histogram {
    constructor(key, handle) {
        super(key, handle);
        this.constructor = RecordableHistogram; // as in Node
    }
    record(val) {
        checkRecordable(this);
        if (typeof val !== 'bigint')
            checkInteger(val, 'val', 1);
        else if (val < 1n || val > 0x7fffffffffffffffn)
            throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'value is out of range');
        native.record(handleOf(this), val);
    }
    recordDelta() {
        checkRecordable(this);
        native.recordDelta(handleOf(this));
    }
    add(other) {
        checkRecordable(this);
        if (!isRecordable(other))
            throw invalidArgType('other', 'an instance of RecordableHistogram', other);
        native.add(handleOf(this), handleOf(other));
    }
}
Object.defineProperty(RecordableHistogram, 'length', { value: 0, configurable: true });

function createHistogram(options = {}) {
    checkObject(options, 'options');
    const { lowest = 1, highest = Number.MAX_SAFE_INTEGER, figures = 3 } = options;
    if (typeof lowest !== 'bigint')
        checkInteger(lowest, 'options.lowest', 1);
    if (typeof highest !== 'bigint')
        checkInteger(highest, 'options.highest', 2 * lowest);
    else if (highest < 2n * lowest)
        throw coded(RangeError, 'ERR_INVALID_ARG_VALUE',
            `The property 'options.highest' is invalid. Received ${highest}n`);
    checkInteger(figures, 'options.figures', 1, 5);
    if (lowest < 1 || highest > 0x7fffffffffffffffn)
        throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'value is out of range');
    return new RecordableHistogram(allowed, native.create(lowest, highest, figures));
}

// ---- the delay of the loop ----

const longestNs = 3_600_000_000_000; // an hour, as in Node

class ELDHistogram extends Histogram {
    #isEnabled = false;
    #resolution;

    constructor(key, resolution) {
        if (key !== allowed)
            throw illegal();
        super(key, native.create(1, longestNs, 3));
        this.#resolution = resolution;
    }
    enable() {
        if (!(#isEnabled in this))
            throw wrongThis('ELDHistogram');
        if (this.#isEnabled)
            return false;
        this.#isEnabled = true;
        native.start(handleOf(this), this.#resolution);
        return true;
    }
    disable() {
        if (!(#isEnabled in this))
            throw wrongThis('ELDHistogram');
        if (!this.#isEnabled)
            return false;
        this.#isEnabled = false;
        native.stop(handleOf(this));
        return true;
    }
}
Object.defineProperty(ELDHistogram, 'length', { value: 1, configurable: true });

function monitorEventLoopDelay(options = {}) {
    checkObject(options, 'options');
    const { resolution = 10 } = options;
    checkInteger(resolution, 'options.resolution', 1);
    return new ELDHistogram(allowed, resolution);
}

module.exports = { createHistogram, isRecordable, monitorEventLoopDelay };
