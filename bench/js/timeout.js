// SPDX-License-Identifier: MIT
// 100,000 times setTimeout(0), and the calls that come of it; nanoseconds each.
// The first round is a warm-up.
'use strict';

const COUNT = 100000;

function round(then) {
    const began = performance.now();
    let left = COUNT;

    function fire() {
        if (--left === 0)
            then((performance.now() - began) * 1e6 / COUNT);
    }
    for (let i = 0; i < COUNT; i++)
        setTimeout(fire, 0);
}

round(() => round((ns) => console.log(ns)));
