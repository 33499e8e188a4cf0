// SPDX-License-Identifier: MIT
// A main thread that waits for a worker and stays responsive: the worker sleeps
// with Atomics.wait between its steps, and the main thread waits with
// waitAsync.
//
//     build/weir examples/wait-async.js
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const STEPS = 5;
const STEP = 0, STOP = 1; // words: its progress; one that never changes

async function main() {
    const words = new Int32Array(new SharedArrayBuffer(8));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1); // keeps running

    new Worker(__filename, { workerData: words });
    for (let seen = 0; seen < STEPS; seen = Atomics.load(words, STEP)) {
        const { async, value } = Atomics.waitAsync(words, STEP, seen);
        const text = async ? await value : value; // 'ok', or 'not-equal' at once
        console.log(`step ${Atomics.load(words, STEP)} (${text})`);
    }
    clearInterval(timer);
    console.log(ticks > 0 ? 'the timer ran meanwhile' : 'the loop was blocked');
    // Nothing else is pending: weir waits for this (Node 20 exits before it).
    console.log(`nobody notifies: ${await Atomics.waitAsync(words, STOP, 0, 50).value}`);
}

function work(words) {
    for (let step = 1; step <= STEPS; step++) {
        Atomics.wait(words, STOP, 0, 20); // a worker may block: here, to sleep
        Atomics.store(words, STEP, step);
        Atomics.notify(words, STEP);
    }
}

if (isMainThread)
    main();
else
    work(workerData);
