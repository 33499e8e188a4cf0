// SPDX-License-Identifier: MIT
// timeline -- the entries that were recorded, and those who observe them.
'use strict';

const buffers = { __proto__: null, mark: [], measure: [], resource: [] };
const observers = new Set(); // functions that take an entry

// ---- resources: their number is limited ----

let limit = 250, isFull = false, onFull;
let waiting = []; // for the event

function settle() {
    while (waiting.length > 0) {
        onFull();
        const fit = Math.max(0, Math.min(limit - buffers.resource.length, waiting.length));
        buffers.resource.push(...waiting.splice(0, fit));
        if (fit === 0)
            waiting = [];
    }
    isFull = false;
}

function addResource(entry) {
    if (!isFull && buffers.resource.length < limit) {
        buffers.resource.push(entry);
        return;
    }
    waiting.push(entry);
    if (!isFull)
        require('timers/timers').setImmediate(settle);
    isFull = true;
}

// ---- all ----

const MANY = 1e6;
const clearing = { mark: 'clearMarks', measure: 'clearMeasures' };
const warned = new Set();

function warn(type, count) {
    warned.add(type);
    const warning = new Error(`Possible perf_hooks memory leak detected. ${count} ` +
        `${type} entries added to the global performance entry buffer. Use ` +
        `performance.${clearing[type]} to clear the buffer.`);
    warning.name = 'MaxPerformanceEntryBufferExceededWarning';
    warning.entryType = type;
    warning.count = count;
    require('program/process').emitWarning(warning);
}

// Show an entry to the observers.
function show(entry) {
    for (const observer of observers)
        observer(entry);
}

// Show an entry, and keep it if it is of a kind that is kept.
function add(entry) {
    const { entryType } = entry;
    show(entry);
    if (entryType === 'resource') {
        addResource(entry);
        return;
    }
    const buffer = buffers[entryType];
    buffer.push(entry);
    if (buffer.length > MANY && !warned.has(entryType))
        warn(entryType, buffer.length);
}

function clear(type, name = undefined) {
    buffers[type] = name === undefined ? []
        : buffers[type].filter((entry) => entry.name !== name);
}

// The entries of a type and with a name, or of any, by time.
function find(type = undefined, name = undefined) {
    const found = type === undefined
        ? [...buffers.mark, ...buffers.measure, ...buffers.resource]
        : buffers[type] ?? [];
    return found.filter((entry) => name === undefined || entry.name === name)
        .sort((a, b) => a.startTime - b.startTime);
}

module.exports = { add, clear, find, observers, show,
    limitResources(count) { limit = count; },
    onFull(listener) { onFull = listener; } };
