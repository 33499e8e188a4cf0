// SPDX-License-Identifier: MIT
// A service with a state and a count of what is inside, in two words.  A worker
// that backs out after the drain has read the count leaves nobody to close the
// service.  The main thread awaits the end, and does not block, so that its
// timer can fire.
// broken: lost wake-up
// options: --executions=60
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { isBroken } = require('./start.cjs');
const INIT = 0, RUNNING = 1, DRAINING = 2, CLOSED = 3;

class AtomicService {
    constructor(view) {
        this.view = view;
    }

    get state() {
        return Atomics.load(this.view, 0);
    }

    start() {
        return Atomics.compareExchange(this.view, 0, INIT, RUNNING) === INIT;
    }

    tryEnter() {
        if (this.state !== RUNNING)
            return false;
        Atomics.add(this.view, 1, 1);
        if (this.state !== RUNNING) {
            if (isBroken)
                Atomics.sub(this.view, 1, 1);
            else
                this.exit(); // which may be the last one
            return false;
        }
        return true;
    }

    exit() {
        const remaining = Atomics.sub(this.view, 1, 1) - 1;
        if (remaining === 0 && this.state === DRAINING)
            this.close();
    }

    drain() {
        if (Atomics.compareExchange(this.view, 0, RUNNING, DRAINING) !== RUNNING)
            return false;
        if (Atomics.load(this.view, 1) === 0)
            this.close();
        return true;
    }

    close() {
        if (Atomics.compareExchange(this.view, 0, DRAINING, CLOSED) === DRAINING)
            Atomics.notify(this.view, 0);
    }

    async awaitClosed() {
        for (let state; (state = this.state) !== CLOSED;)
            await Atomics.waitAsync(this.view, 0, state).value;
    }
}

if (isMainThread) {
    const memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * 2);
    const service = new AtomicService(new Int32Array(memory));

    service.start();
    for (let id = 0; id < 4; id++)
        new Worker(__filename, { workerData: { memory, id } });
    setTimeout(() => service.drain(), 1000);
    service.awaitClosed();
} else {
    const service = new AtomicService(new Int32Array(workerData.memory));

    if (service.tryEnter())
        setTimeout(() => service.exit(), Math.random() * 1500);
}
