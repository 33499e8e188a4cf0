// SPDX-License-Identifier: MIT
// timers/promises -- timers that are promises.
'use strict';

const timers = require('timers');
const { abortError } = require('errors');

// start(done) gives a timer; stop ends it early.
function wait(value, { signal, ref = true } = {}, start, stop) {
    if (signal?.aborted)
        return Promise.reject(abortError(signal));
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
    return wait(value, options, (done) => timers.setTimeout(done, delay),
        timers.clearTimeout);
}

function setImmediate(value, options) {
    return wait(value, options, (done) => timers.setImmediate(done),
        timers.clearImmediate);
}

async function* setInterval(delay, value, { signal, ref = true } = {}) {
    if (signal?.aborted)
        throw abortError(signal);
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
