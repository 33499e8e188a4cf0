// SPDX-License-Identifier: MIT
// 100,000 timers started, then cleared in the order of starting; nanoseconds
// each: cleared, started, both, after a first round; and cleared in the first
// round, which is all that most programs do.
'use strict';

const COUNT = 100000;
const timers = new Array(COUNT).fill(null);

function nothing() {}

function round() {
    const began = performance.now();
    for (let i = 0; i < COUNT; i++)
        timers[i] = setTimeout(nothing, 100000);
    const started = performance.now();
    for (let i = 0; i < COUNT; i++)
        clearTimeout(timers[i]);
    const cleared = performance.now();
    return [cleared - started, started - began, cleared - began];
}

const [first] = round();
setImmediate(() =>
    console.log(...[...round(), first].map((ms) => ms * 1e6 / COUNT)));
