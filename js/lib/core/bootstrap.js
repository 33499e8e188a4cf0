// SPDX-License-Identifier: MIT
// bootstrap -- what a new host starts with.  Everything else is loaded on first
// use.
'use strict';

require('core/stack');

// The engine frees an object shape with the last object that has it.  Some
// shapes are short-lived: a function under construction (it has a length but no
// name yet), and an iterator's result, since a program seldom has two iterators
// at once.  So these shapes are kept alive here.
const onlyLength = (prototype) => Object.defineProperty(
    Object.create(prototype), 'length', { value: 0, configurable: true });
const shapes = [
    onlyLength(Function.prototype),
    onlyLength(Object.getPrototypeOf(async () => {})),
    [].values(), ''[Symbol.iterator](), new Map().keys(), new Set().keys(),
    { value: 0 }, { value: 0, done: false },
];

const { lazy } = native;

for (const name of ['setTimeout', 'clearTimeout', 'setInterval',
    'clearInterval', 'setImmediate', 'clearImmediate'])
    lazy(name, 'timers/timers', name, true);
for (const name of ['Event', 'CustomEvent', 'EventTarget'])
    lazy(name, 'events/eventtarget', name, false);
for (const name of ['AbortSignal', 'AbortController'])
    lazy(name, 'events/abort', name, false);
for (const name of ['TextEncoder', 'TextDecoder'])
    lazy(name, 'bytes/encoding', name, false);
for (const name of ['URL', 'URLSearchParams'])
    lazy(name, 'url/url', name, false);
lazy('URLPattern', 'url/pattern', 'URLPattern', false);
lazy('Buffer', 'bytes/buffer', 'Buffer', false);
for (const name of ['Headers', 'Request', 'Response'])
    lazy(name, 'http/classes', name, false);
lazy('fetch', 'http/fetch', 'fetch', true);
for (const name of ['WebSocket', 'CloseEvent'])
    lazy(name, 'http/websocket', name, false);
lazy('EventSource', 'http/eventsource', 'EventSource', false);
lazy('ErrorEvent', 'events/errorevent', 'ErrorEvent', false);
lazy('performance', 'timers/performance', 'performance', true);
for (const name of ['Performance', 'PerformanceEntry', 'PerformanceMark',
    'PerformanceMeasure'])
    lazy(name, 'timers/performance', name, false);
lazy('crypto', 'crypto/crypto', 'webcrypto', true);
lazy('Crypto', 'crypto/crypto', 'Crypto', false);
lazy('structuredClone', 'messages/clone', undefined, true);
for (const name of ['MessageChannel', 'MessagePort', 'MessageEvent'])
    lazy(name, 'messages/messaging', name, false);
lazy('BroadcastChannel', 'messages/broadcast', undefined, false);
for (const name of ['ReadableStream', 'ReadableStreamDefaultReader',
    'ReadableStreamBYOBReader', 'ReadableStreamBYOBRequest',
    'ReadableByteStreamController', 'ReadableStreamDefaultController',
    'TransformStream', 'TransformStreamDefaultController', 'WritableStream',
    'WritableStreamDefaultController', 'WritableStreamDefaultWriter',
    'ByteLengthQueuingStrategy', 'CountQueuingStrategy'])
    lazy(name, 'web/streams', name, false);
for (const name of ['Blob', 'File'])
    lazy(name, 'web/blob', name, false);
lazy('FormData', 'web/formdata', 'FormData', false);
for (const name of ['TextEncoderStream', 'TextDecoderStream'])
    lazy(name, 'web/textstreams', name, false);
lazy('navigator', 'web/scope', 'navigator', false);
lazy('Navigator', 'web/scope', 'Navigator', false);
lazy('reportError', 'web/scope', 'reportError', true);
lazy('console', 'program/console', undefined, false);
lazy('process', 'program/process', undefined, false);
const { atob, btoa } = globalThis; // the engine's
native.defineGlobals();
Object.defineProperty(globalThis, Symbol.toStringTag,
    { value: 'global', configurable: true });

// The hooks that C calls (js/core/hook.h).  Each loads its module on first use.
module.exports = {
    atob, btoa, shapes,
    resolve: (name, parent) => require('program/module').link(name, parent),
    import: (name, parent) => require('program/module').askFor(name, parent),
    format: (id, type) => require('program/module').loading(id, type),
    names: (id) => require('program/module').namesOf(id),
    load: (id) => require('program/module').load(id),
    meta: (id, meta) => require('program/module').fillMeta(id, meta),
    main: (kind, text) => require('program/module').main(kind, text),
    invalidCallback(callback) {
        throw require('core/errors').invalidArgType('callback', 'of type function',
            callback);
    },
    timerOverflow(delay) {
        require('program/process').emitWarning(
            `${+delay} does not fit into a 32-bit signed integer.` +
            '\nTimeout duration was set to 1.', 'TimeoutOverflowWarning');
    },
    clone: () => require('messages/clone'),
    growable: (buffer) => require('messages/growable').note(buffer),
    grown: () => require('messages/growable').updateAll(),
    messaging: () => require('messages/messaging'),
    transferList: (given) => require('messages/messaging').transferList(given),
    lostChannel() {
        require('program/process').emitWarning('The target port was posted to itself,' +
            ' and the communication channel was lost');
    },
    missingMessage() {
        throw require('core/errors').coded(TypeError, 'ERR_MISSING_ARGS',
            'Not enough arguments to MessagePort.postMessage');
    },
    noPort() {
        throw require('core/errors').coded(TypeError, 'ERR_INVALID_ARG_TYPE',
            'The "port" argument must be a MessagePort instance');
    },
    packError: (error) => require('threads/thread').packError(error),
    // What Atomics.wait throws on a loop that may not block, with the calling
    // line.
    wouldBlock() {
        const frame = new Error().stack.split('\n').find((line) =>
            /:\d+\)?$/.test(line) && !line.includes('(node:'));
        const place = /^ +at (?:.*? \()?(.*:\d+):\d+\)?$/.exec(frame)?.[1];
        return `Atomics.wait would block the event loop (${place}); use ` +
            'await Atomics.waitAsync(...).value, or run with --allow-blocking';
    },
    nothing() {},
    breach(place) {
        require('program/process').emitWarning('Many microtasks in a row; timers and ' +
            'I/O are served in between', { type: 'MicrotaskBudgetWarning',
            detail: place });
    },
    signal(number) {
        require('program/signals').arrived(require('program/process'), number);
    },
    // Show all of an error that ends the program, without calling its own
    // methods.
    report(error) {
        require('core/hooks').tellEmitter?.(error);
        return require('util/inspect').inspect(error,
            { customInspect: false, depth: Infinity });
    },
    rejected: (reason) => require('core/errors').unhandledRejection(reason),
};
// These are set by process.js.  One function for all takes less time to load.
for (const name of ['onUncaught', 'onUnhandled', 'onRejected', 'onHandled',
    'beforeExit', 'emitExit', 'unsettled', 'fail'])
    module.exports[name] = (first, second, third) =>
        (require('program/process'), require('core/hooks'))[name](first, second, third);
