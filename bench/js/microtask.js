// SPDX-License-Identifier: MIT
// A million times queueMicrotask, and the calls that come of it; nanoseconds
// each.  The first round is a warm-up.
'use strict';

const COUNT = 1000000;

function round(then) {
    const began = performance.now();
    let left = COUNT;

    function run() {
        if (--left === 0)
            then((performance.now() - began) * 1e6 / COUNT);
    }
    for (let i = 0; i < COUNT; i++)
        queueMicrotask(run);
}

round(() => round((ns) => console.log(ns)));
