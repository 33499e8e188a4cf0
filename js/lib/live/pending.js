// SPDX-License-Identifier: MIT
// pending -- what this thread waits for: its timers, and the promises that functions
// of the program await.
'use strict';

const { promises, timers } = native;
const { coded } = require('core/errors');

// Those that are due at the same time keep their places when the page looks again.
function inOrder(a, b) {
    return a.due - b.due || b.hasRef - a.hasRef || a.repeats - b.repeats ||
        a.line - b.line || a.column - b.column || a.delay - b.delay;
}

// {timers: [...], promises: [...], otherTimers, otherPromises}; the timers that are
// due next and the oldest promises come first.
function pending() {
    const armed = timers(), awaited = promises();
    if (armed === undefined)
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'pending() needs the ' +
            'engine that weir patches; this weir was built with an installed one');
    return {
        timers: armed.rows.sort(inOrder),
        promises: awaited.rows.sort((a, b) => b.age - a.age),
        otherTimers: armed.others, otherPromises: awaited.others,
    };
}

module.exports = { pending };
