// SPDX-License-Identifier: MIT
// Nanoseconds from spawn() of `true` to its 'close', one after the other.
'use strict';
const { spawn } = require('child_process');

const COUNT = 300, WARM_UP = 30;
let left = COUNT + WARM_UP, began;

function next() {
    if (left === COUNT)
        began = performance.now();
    if (left-- === 0) {
        console.log((performance.now() - began) * 1e6 / COUNT);
        return;
    }
    spawn('true', { stdio: 'ignore' }).on('close', next);
}
next();
