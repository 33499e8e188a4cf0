// SPDX-License-Identifier: MIT
// The service that weir began with, right: it starts once, admits work while it
// runs, drains without losing any, and closes exactly once.
//
//     build/weir examples/atomic-state-machine.js [drain-after-ms [work-ms]]
//
// The program that this was had two mistakes.  State and count were two words:
// a worker that backed out after the drain had looked at the count left nobody
// to close.  And its main thread waited with Atomics.wait: the timer that should
// drain never came.  Here one word holds both, and the main thread awaits.
//
// weir:service does the same with less to write, and names who is inside.
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');

/* ---- the state machine ---- */

// The word: how many are inside, times four, plus the state.  There is no value
// for CLOSED: it is DRAINING with nobody inside, so the exit that takes the
// count to zero closes the service in the same step.
const INIT = 0, RUNNING = 1, DRAINING = 2;
const STATE = 3, ONE = 4;

class AtomicService {
    constructor(view) {
        this.view = view;
    }

    // Replace the word by what change makes of it; null: leave it.
    #transition(change) {
        for (;;) {
            const seen = Atomics.load(this.view, 0);
            const next = change(seen);
            if (next === null)
                return false;
            if (Atomics.compareExchange(this.view, 0, seen, next) === seen)
                return next === DRAINING ? this.#close() : true;
        }
    }

    start() {
        const isFirst = this.#transition((word) => word === INIT ? RUNNING : null);
        if (isFirst)
            console.log('🟢 Service started');
        return isFirst;
    }

    tryEnter() {
        return this.#transition((word) =>
            (word & STATE) === RUNNING ? word + ONE : null);
    }

    exit() {
        this.#transition((word) => word - ONE);
    }

    // Whoever drains is inside meanwhile, so that nobody closes before it has
    // said so.
    drain() {
        const isFirst = this.#transition((word) =>
            (word & STATE) === RUNNING ? word - RUNNING + DRAINING + ONE : null);
        if (isFirst) {
            console.log('🟡 Service draining');
            this.exit();
        }
        return isFirst;
    }

    #close() {
        console.log('🔴 Service closed');
        Atomics.notify(this.view, 0);
        return true;
    }

    async awaitClosed() {
        for (;;) {
            const seen = Atomics.load(this.view, 0);
            if (seen === DRAINING)
                return;
            await Atomics.waitAsync(this.view, 0, seen).value;
        }
    }
}

/* ---- the main thread ---- */

async function main(drainAfter = 1000, work = 1500) {
    const sab = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const service = new AtomicService(new Int32Array(sab));

    service.start();
    for (let id = 0; id < 4; id++)
        new Worker(__filename, { workerData: { sab, id, work } });
    setTimeout(() => service.drain(), drainAfter);
    await service.awaitClosed();
    console.log('\n✅ Main thread exiting cleanly\n');
}

/* ---- a worker ---- */

function labour({ sab, id, work }) {
    const service = new AtomicService(new Int32Array(sab));

    if (!service.tryEnter()) {
        console.log(`⛔ Worker ${id} rejected`);
        return;
    }
    console.log(`🧵 Worker ${id} started work`);
    setTimeout(() => {
        console.log(`🧵 Worker ${id} finished`);
        service.exit();
    }, Math.random() * work);
}

if (isMainThread)
    main(...process.argv.slice(2).map(Number));
else
    labour(workerData);
