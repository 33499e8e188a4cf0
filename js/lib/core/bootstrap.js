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
    stringTooLong() { throw require('core/errors').stringTooLong(); },
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
    blocked: (block) => require('program/blocked').tell(block),
    asked: (what) => require('live/panels').asked(what),
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
