// SPDX-License-Identifier: MIT
// A million times `await`, one after the other; nanoseconds each.  The first
// round is a warm-up.
'use strict';

const COUNT = 1000000;

async function round() {
    const began = performance.now();

    for (let i = 0; i < COUNT; i++)
        await i;
    return (performance.now() - began) * 1e6 / COUNT;
}

round().then(round).then((ns) => console.log(ns));
