// SPDX-License-Identifier: MIT
// stream/support -- what readable-stream needs of Node's util, process and
// AbortSignal.
'use strict';

const { nextTick } = require('timers/timers');
const hooks = require('core/hooks');

function once(callback) {
    let isCalled = false;
    return function (...args) {
        if (isCalled)
            return;
        isCalled = true;
        Reflect.apply(callback, this, args);
    };
}

// util is loaded when such a function is first called.
function deprecate(fn, text, code) {
    let warning;
    return function deprecated(...args) {
        warning ??= require('util/util').deprecate(fn, text, code);
        return Reflect.apply(warning, this, args);
    };
}

// A stream that was never asked for is not the one in question, so it is not
// created here.
const process = {
    nextTick,
    get stdout() { return hooks.stdout; },
    get stderr() { return hooks.stderr; },
    emitWarning: (...args) => require('program/process').emitWarning(...args),
};

module.exports = {
    process, once,
    kEmptyObject: Object.freeze({ __proto__: null }),
    createDeferredPromise: () => Promise.withResolvers(),
    inspect: (...args) => require('util/inspect').inspect(...args),
    debuglog: () => () => {},
    deprecate,
    promisify: { custom: Symbol.for('nodejs.util.promisify.custom') },
    addAbortListener: (...args) => require('events/events').addAbortListener(...args),
    AbortSignalAny: (signals) => require('events/abort').AbortSignal.any(signals),
    get AbortController() { return require('events/abort').AbortController; },
    types: {
        isAsyncFunction: (value) => typeof value === 'function' &&
            require('util/kinds').classOf(value) === 'AsyncFunction',
    },
    isBlob: (value) => value !== null && typeof value === 'object' &&
        require('web/blob').hooks.isBlob(value),
};
