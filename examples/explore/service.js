// SPDX-License-Identifier: MIT
// A service that starts, admits work, drains and closes, with its state in one
// word and the number of workers inside in another.
//
//     weir explore examples/explore/service.js
//
// In one of many schedules it never closes.  FIXED=1 in the environment corrects
// that; weir:service, and examples/atomic-state-machine.js, need only one word.
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const INIT = 0, RUNNING = 1, DRAINING = 2, CLOSED = 3;
const STATE = 0, ACTIVE = 1;

class AtomicService {
    constructor(view) {
        this.view = view;
    }

    get state() {
        return Atomics.load(this.view, STATE);
    }

    start() {
        return Atomics.compareExchange(this.view, STATE, INIT, RUNNING) === INIT;
    }

    tryEnter() {
        if (this.state !== RUNNING)
            return false;
        Atomics.add(this.view, ACTIVE, 1);
        if (this.state === RUNNING)
            return true;
        if (process.env.FIXED)
            this.exit(); // it may be the last one, and then it closes
        else
            Atomics.sub(this.view, ACTIVE, 1);
        return false;
    }

    exit() {
        const remaining = Atomics.sub(this.view, ACTIVE, 1) - 1;
        if (remaining === 0 && this.state === DRAINING)
            this.close();
    }

    drain() {
        if (Atomics.compareExchange(this.view, STATE, RUNNING, DRAINING) === RUNNING &&
            Atomics.load(this.view, ACTIVE) === 0)
            this.close();
    }

    close() {
        if (Atomics.compareExchange(this.view, STATE, DRAINING, CLOSED) === DRAINING)
            Atomics.notify(this.view, STATE);
    }

    async closed() {
        for (let state; (state = this.state) !== CLOSED;)
            await Atomics.waitAsync(this.view, STATE, state).value;
    }
}

if (isMainThread) {
    const memory = new SharedArrayBuffer(8);
    const service = new AtomicService(new Int32Array(memory));

    service.start();
    new Worker(__filename, { workerData: memory });
    setTimeout(() => service.drain(), 1000);
    service.closed().then(() => console.log('closed'));
} else {
    const service = new AtomicService(new Int32Array(workerData));

    if (service.tryEnter())
        setTimeout(() => service.exit(), 500);
}
