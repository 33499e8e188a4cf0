// SPDX-License-Identifier: MIT
// A million messages to a worker that counts them, from the first postMessage
// to its answer; then 5,000 that go there and back, one at a time.
// Nanoseconds each.  The first tenth, and the first thousand, are a warm-up.
'use strict';

const { Worker, isMainThread, parentPort } = require('worker_threads');

const COUNT = 1000000;
const TRIPS = 5000;
const WARM_UP = 0.1;

function count() {
    let left = 0;

    parentPort.on('message', (message) => {
        if (message.begin !== undefined)
            left = message.begin;
        else if (left === 0)
            parentPort.postMessage(message); // one that goes there and back
        else if (--left === 0)
            parentPort.postMessage({ id: -1 });
    });
}

function answer(worker) {
    return new Promise((resolve) => worker.once('message', resolve));
}

async function oneWay(worker, messages) {
    const began = performance.now();
    worker.postMessage({ begin: messages });
    for (let id = 0; id < messages; id++)
        worker.postMessage({ id });
    await answer(worker);
    return (performance.now() - began) * 1e6 / messages;
}

function roundTrips(worker, trips) {
    return new Promise((resolve) => {
        const began = performance.now();
        let id = 0;

        function next() {
            if (id++ === trips) {
                worker.off('message', next);
                resolve((performance.now() - began) * 1e6 / trips);
            } else {
                worker.postMessage({ id });
            }
        }
        worker.on('message', next);
        next();
    });
}

async function main() {
    const worker = new Worker(__filename);

    await oneWay(worker, COUNT * WARM_UP);
    const way = await oneWay(worker, COUNT);
    await roundTrips(worker, TRIPS * WARM_UP);
    console.log(way, await roundTrips(worker, TRIPS));
    await worker.terminate();
}

if (isMainThread)
    main();
else
    count();
