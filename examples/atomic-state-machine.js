// SPDX-License-Identifier: MIT
// A service that starts once, admits work while it runs, drains without losing
// any of it, and closes exactly once.
//
//     build/weir examples/atomic-state-machine.js [drain-after-ms [work-ms]]
//
// Two mistakes are common in such a program.  If state and count are two words,
// a worker can back out after the drain has read the count, and then nobody
// closes the service.  And if the main thread waits with Atomics.wait, the
// timer that should start the drain never fires.  Here one word holds both, and
// the main thread awaits.
//
// weir:service does the same with less code, and reports who is inside.
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');

/* ---- the state machine ---- */

// The word: the number of workers inside, times four, plus the state.  There is
// no value for CLOSED: it is DRAINING with nobody inside, so the exit that
// takes the count to zero closes the service in the same step.
const INIT = 0, RUNNING = 1, DRAINING = 2;
const STATE = 3, ONE = 4;

class AtomicService {
    constructor(view) {
        this.view = view;
    }

    // Replace the word with change(word); null leaves it unchanged.
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

    // drain() counts as being inside, so that nobody closes before its message
    // is printed.
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
