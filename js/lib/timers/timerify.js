// SPDX-License-Identifier: MIT
// timerify -- functions whose calls are measured.
'use strict';

const { now } = require('timers/clock');
const { allowed, PerformanceNodeEntry } = require('timers/entry');
const { checkFunction, checkObject, invalidArgType } = require('core/errors');
const { isRecordable } = require('timers/histogram');
const timeline = require('timers/timeline');

function finish(name, start, args, histogram) {
    const duration = now() - start;
    histogram?.record(Math.max(1, Math.ceil(duration * 1e6)));
    const entry = new PerformanceNodeEntry(allowed, name, 'function', start, duration, args);
    for (let n = 0; n < args.length; n++)
        entry[n] = args[n];
    timeline.show(entry);
}

function timerify(fn, options = {}) {
    checkFunction(fn, 'fn');
    checkObject(options, 'options');
    const { histogram } = options;
    if (histogram !== undefined && !isRecordable(histogram))
        throw invalidArgType('options.histogram', 'an instance of RecordableHistogram',
            histogram);
    function timerified(...args) {
        const start = now();
        if (new.target !== undefined) {
            const made = Reflect.construct(fn, args, fn);
            finish(fn.name, start, args, histogram);
            return made;
        }
        const result = Reflect.apply(fn, this, args);
        if (typeof result?.finally === 'function')
            return result.finally(() => finish(fn.name, start, args, histogram));
        finish(fn.name, start, args, histogram);
        return result;
    }
    return Object.defineProperties(timerified, {
        length: { value: fn.length, enumerable: true, writable: false, configurable: false },
        name: { value: `timerified ${fn.name}`, enumerable: true, writable: false,
            configurable: false },
    });
}
Object.defineProperty(timerify, 'length', { value: 1 });

module.exports = { timerify };
