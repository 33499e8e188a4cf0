// SPDX-License-Identifier: MIT
// pending -- what this thread waits for: its timers, and the promises that functions
// of the program await.
'use strict';

const { promises, timers } = native;
const { coded } = require('core/errors');

// {timers: [...], promises: [...], otherTimers, otherPromises}; the timers that are
// due next and the oldest promises come first.
function pending() {
    const armed = timers(), awaited = promises();
    if (armed === undefined)
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'pending() needs the ' +
            'engine that weir patches; this weir was built with an installed one');
    return {
        timers: armed.rows.sort((a, b) => a.due - b.due),
        promises: awaited.rows.sort((a, b) => b.age - a.age),
        otherTimers: armed.others, otherPromises: awaited.others,
    };
}

module.exports = { pending };
