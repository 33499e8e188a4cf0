// SPDX-License-Identifier: MIT
// Two workers that wake each other in turns, 20,000 times there and back;
// nanoseconds for one round trip.  The first tenth is a warm-up.
'use strict';

const { Worker, isMainThread, parentPort, workerData } =
    require('worker_threads');

const TRIPS = 20000;
const WARM_UP = 2000;

// The cell holds whose turn it is.
function play({ cell, me }) {
    const other = 1 - me;
    let began = 0;

    for (let i = 0; i < WARM_UP + TRIPS; i++) {
        if (i === WARM_UP)
            began = performance.now();
        while (Atomics.load(cell, 0) !== me)
            Atomics.wait(cell, 0, other);
        Atomics.store(cell, 0, other);
        Atomics.notify(cell, 0, 1);
    }
    parentPort.postMessage((performance.now() - began) * 1e6 / TRIPS);
}

function main() {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const players = [0, 1].map((me) =>
        new Worker(__filename, { workerData: { cell, me } }));

    players[0].once('message', (ns) => console.log(ns));
}

if (isMainThread)
    main();
else
    play(workerData);
