// SPDX-License-Identifier: MIT
// weir:live -- what the program does, as seen from inside.
'use strict';

const { checkObject, invalidArgType, invalidArgValue, outOfRange } = require('core/errors');

let number = 0; // of the last file

function nextName() {
    const { pid } = require('program/process');
    return `weir-${pid}-js-${++number}.pftrace`;
}

// Save what the flight recorder has, or what it has of the last seconds, to a new
// file.  Resolves with its name.
function save(path = nextName(), options = {}) {
    if (typeof path !== 'string')
        throw invalidArgType('path', 'of type string', path);
    if (path === '' || path.includes('\0'))
        throw invalidArgValue('path', path, 'must be the name of a file');
    checkObject(options, 'options');
    const { seconds = -1 } = options;
    if (typeof seconds !== 'number')
        throw invalidArgType('options.seconds', 'of type number', seconds);
    if (options.seconds !== undefined && !(seconds >= 0 && seconds <= 1e9))
        throw outOfRange('options.seconds', '>= 0 && <= 1000000000', seconds);
    return new Promise((resolve, reject) => native.save(resolve, reject, path, seconds));
}

// ---- spans ----

// What fn gets if the program does not run with --otlp.
const notTraced = Object.freeze({ name: '', traceId: '', spanId: '', isRecording: false,
    setAttribute() { return this; }, recordError() { return this; } });

// Call fn(span) in a new span, a child of the one that is active.  Returns what fn
// returns.
function span(name, options, fn) {
    if (typeof options === 'function')
        [options, fn] = [{}, options];
    if (typeof name !== 'string')
        throw invalidArgType('name', 'of type string', name);
    checkObject(options, 'options');
    if (typeof fn !== 'function')
        throw invalidArgType('fn', 'of type function', fn);
    const { attributes = {} } = options;
    checkObject(attributes, 'options.attributes');
    const traced = require('http/traced');
    return traced === null ? fn(notTraced) : traced.span(name, attributes, fn);
}

// The span in which the caller runs, or undefined.
const activeSpan = () => require('http/traced')?.activeSpan();

// ---- metrics ----

// The metrics of all loops and of the pool, as Prometheus reads them.
const metrics = () => native.metrics();
metrics.contentType = 'text/plain; version=0.0.4; charset=utf-8';

// What the objects of this thread take, by class: {allocated, objects, ...,
// classes: [{name, count, bytes}]}.
const heapSummary = () => require('live/panels').heapSummary();

// What this thread waits for: {timers: [{name, file, line, column, count, due, delay,
// repeats, hasRef}], promises: [{name, file, line, column, count, age, awaited}],
// otherTimers, otherPromises}.
const pending = () => require('live/pending').pending();

module.exports = { activeSpan, heapSummary, metrics, pending, save, span };
