// SPDX-License-Identifier: MIT
// timers/promises -- timers as promises.
'use strict';

const timers = require('timers/timers');
const { abortError, checkObject, invalidArgType } = require('core/errors');

// Throws if they are invalid or the signal is already aborted.
function check(delay, options) {
    if (delay !== undefined && typeof delay !== 'number')
        throw invalidArgType('delay', 'of type number', delay);
    checkObject(options, 'options');
    const { signal, ref = true } = options;
    if (signal !== undefined && (signal === null || typeof signal !== 'object' ||
        !('aborted' in signal)))
        throw invalidArgType('options.signal', 'an instance of AbortSignal', signal);
    if (typeof ref !== 'boolean')
        throw invalidArgType('options.ref', 'of type boolean', ref);
    if (signal?.aborted)
        throw abortError(signal);
}

// start(done) returns a timer; stop ends it early.
function wait(value, delay, options = {}, start, stop) {
    try {
        check(delay, options);
    } catch (error) {
        return Promise.reject(error);
    }
    const { signal, ref = true } = options;
    return new Promise((resolve, reject) => {
        const timer = start(() => {
            signal?.removeEventListener('abort', onAbort);
            resolve(value);
        });
        function onAbort() {
            stop(timer);
            reject(abortError(signal));
        }
        if (!ref)
            timer.unref();
        signal?.addEventListener('abort', onAbort, { once: true });
    });
}

function setTimeout(delay, value, options) {
    return wait(value, delay, options, (done) => timers.setTimeout(done, delay),
        timers.clearTimeout);
}

function setImmediate(value, options) {
    return wait(value, undefined, options, (done) => timers.setImmediate(done),
        timers.clearImmediate);
}

async function* setInterval(delay, value, options = {}) {
    check(delay, options);
    const { signal, ref = true } = options;
    let due = 0, wake;
    const timer = timers.setInterval(() => { due++; wake?.(); }, delay);
    const onAbort = () => { timers.clearInterval(timer); wake?.(); };
    if (!ref)
        timer.unref();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
        for (;;) {
            if (signal?.aborted)
                throw abortError(signal);
            if (due === 0)
                await new Promise((resolve) => { wake = resolve; });
            for (; due > 0; due--)
                yield value;
        }
    } finally {
        timers.clearInterval(timer);
        signal?.removeEventListener('abort', onAbort);
    }
}

module.exports = {
    setTimeout, setImmediate, setInterval,
    scheduler: {
        wait: (delay, options) => setTimeout(delay, undefined, options),
        yield: () => setImmediate(),
    },
};
