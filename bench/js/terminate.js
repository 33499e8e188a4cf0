// SPDX-License-Identifier: MIT
// From terminate() to the end of a worker that spins, and of one that blocks in
// Atomics.wait; nanoseconds.
'use strict';

const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { once } = require('events');
const ROUNDS = 5;

const jobs = {
    spin() {
        for (;;);
    },
    block() {
        for (;;)
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
};

// The median: a worker has just posted its message, and may still be busy.
async function measure(job) {
    const times = [];
    for (let i = 0; i < ROUNDS; i++) {
        const worker = new Worker(__filename, { workerData: job });
        await once(worker, 'message');
        const began = performance.now();
        await worker.terminate();
        times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    return times[(ROUNDS - 1) / 2] * 1e6;
}

if (isMainThread) {
    (async () => console.log(await measure('spin'), await measure('block')))();
} else {
    parentPort.postMessage(1);
    jobs[workerData]();
}
