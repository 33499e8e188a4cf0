// SPDX-License-Identifier: MIT
// panels -- what the page of the monitor shows of JavaScript, when it asks.
//
// The monitor's thread cannot look into the engine, so it asks the main thread
// (js/program/asked.c), which shows the answer as JSON when it has time.
'use strict';

const { heap, usage, show } = native;
const { coded } = require('core/errors');
const { now } = require('timers/clock');

const MOST_CLASSES = 40, MOST_PENDING = 30; // on the page
const PENDING_SHARE = 0.01; // of the time of this thread, at most

// What the objects of this thread take.  Classes of the same name are one row.
function heapSummary() {
    const figures = usage(), rows = heap(), classes = new Map();
    if (rows === undefined)
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'heapSummary() needs the ' +
            'engine that weir patches; this weir was built with an installed one');
    for (const [name, count, bytes] of rows) {
        const row = classes.get(name) ?? { name, count: 0, bytes: 0 };
        row.count += count;
        row.bytes += bytes;
        classes.set(name, row);
    }
    return { ...figures, classes: [...classes.values()].sort((a, b) => b.bytes - a.bytes) };
}

function showHeap() {
    const summary = heapSummary();
    show('heap', JSON.stringify({ ...summary, classes: summary.classes.slice(0, MOST_CLASSES),
        classCount: summary.classes.length }));
}

// The page asks every two seconds.  Millions of objects take longer to visit than
// that is worth, so the next answer may have to wait.
let pendingFrom = 0;

function showPending() {
    const begin = now();
    if (begin < pendingFrom)
        return;
    const { timers, promises, otherTimers, otherPromises } = require('live/pending').pending();
    const sum = (rows, others) => rows.reduce((total, { count }) => total + count, others);
    show('pending', JSON.stringify({ timers: timers.slice(0, MOST_PENDING),
        promises: promises.slice(0, MOST_PENDING), timerCount: sum(timers, otherTimers),
        promiseCount: sum(promises, otherPromises) }));
    const end = now();
    pendingFrom = end + (end - begin) / PENDING_SHARE;
}

const showProfile = (state) => show('profile', JSON.stringify(state));

const answers = new Map([
    ['heap', showHeap],
    ['pending', showPending],
    ['profile-start', () => require('live/profile').begin(showProfile)],
    ['profile-stop', () => require('live/profile').end(showProfile)],
]);

// Let a later part answer a question.  It gets what follows the name, between dots.
const provide = (name, answer) => { answers.set(name, answer); };

function asked(what) {
    const [name, ...rest] = what.split('.');
    answers.get(name)?.(...rest);
}

module.exports = { asked, heapSummary, provide, show };
