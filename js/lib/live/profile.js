// SPDX-License-Identifier: MIT
// profile -- a CPU profile of this thread, which the page of the monitor starts and
// stops.  What is shown is {state: 'running' | 'ready' | 'failed', number, ...}.
'use strict';

const { start, stop } = native;
const { clearTimeout, setTimeout } = require('timers/timers');

const INTERVAL_US = 1000;
const LONGEST_MS = 60_000; // a page may be closed before it has stopped its profile

let number = 0; // of the last profile
let timer; // while one runs

function begin(show) {
    if (timer !== undefined)
        return;
    number++;
    try {
        start(INTERVAL_US);
    } catch (error) {
        show({ state: 'failed', number, reason: error.code === 'EALREADY'
            ? 'a profile is being taken already (--cpu-prof)' : error.message });
        return;
    }
    timer = setTimeout(end, LONGEST_MS, show);
    timer.unref();
    show({ state: 'running', number });
}

function end(show) {
    if (timer === undefined)
        return;
    clearTimeout(timer);
    timer = undefined;
    try {
        show({ state: 'ready', number, bytes: stop() });
    } catch (error) {
        show({ state: 'failed', number, reason: error.message });
    }
}

module.exports = { begin, end };
