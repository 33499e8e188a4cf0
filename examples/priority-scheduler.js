// SPDX-License-Identifier: MIT
// Workers take tasks from shared memory, the most urgent first.  Every eighth
// pick starts with the least urgent, so no task starves.
//
//     build/weir examples/priority-scheduler.js [workers]
'use strict';
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const NAMES = ['HIGH', 'NORMAL', 'LOW'];
const TASKS = 64; // of each priority
const FAIR = 8; // every FAIRth pick looks at LOW first

// Words: the number of tasks ready to be taken, or ENDED; picks so far; tasks
// done.  Then for each priority the number of tasks put in and taken out, and
// the tasks; then for each task the pick at which it was taken.
const READY = 0, PICKS = 1, DONE = 2, QUEUES = 3;
const ENDED = -1;
const IN = 0, OUT = 1, SLOTS = 2, SIZE = SLOTS + TASKS;
const ORDER = QUEUES + NAMES.length * SIZE;
const WORDS = ORDER + NAMES.length * TASKS;

/* ---- the one producer ---- */

function put(words, priority, task) {
    const queue = QUEUES + priority * SIZE;
    const at = words[queue + IN];
    words[queue + SLOTS + at] = task;
    Atomics.store(words, queue + IN, at + 1);
    Atomics.add(words, READY, 1);
    Atomics.notify(words, READY, 1);
}

/* ---- the consumers ---- */

// A worker that decrements READY is owed a task, which is in one of the queues.
// False: no more tasks come.  The end and the count share one word, so nobody
// sleeps through the end.
function acquire(words) {
    for (;;) {
        const ready = Atomics.load(words, READY);
        if (ready > 0) {
            if (Atomics.compareExchange(words, READY, ready, ready - 1) === ready)
                return true;
        } else if (ready === ENDED) {
            return false;
        } else {
            Atomics.wait(words, READY, 0);
        }
    }
}

function takeFrom(words, priority) {
    const queue = QUEUES + priority * SIZE;
    for (;;) {
        const out = Atomics.load(words, queue + OUT);
        if (out === Atomics.load(words, queue + IN))
            return -1;
        const task = words[queue + SLOTS + out];
        if (Atomics.compareExchange(words, queue + OUT, out, out + 1) === out)
            return task;
    }
}

function pick(words) {
    const turn = Atomics.add(words, PICKS, 1);
    const order = turn % FAIR === FAIR - 1 ? [2, 0, 1] : [0, 1, 2];
    for (;;)
        for (const priority of order) {
            const task = takeFrom(words, priority);
            if (task >= 0) {
                words[ORDER + task] = turn;
                return task;
            }
        }
}

function work(words) {
    while (acquire(words)) {
        const task = pick(words);
        for (let i = 0; i < 1000 * (task % 7); i++); // the work
        Atomics.add(words, DONE, 1);
        Atomics.notify(words, DONE);
    }
}

/* ---- the main thread ---- */

async function main(workers = 2) {
    const words = new Int32Array(new SharedArrayBuffer(4 * WORDS));
    const all = NAMES.length * TASKS;
    // Add the least urgent first.  They wait, because no worker has started
    // yet.
    for (let task = all - 1; task >= 0; task--)
        put(words, Math.floor(task / TASKS), task);
    for (let i = 0; i < workers; i++)
        new Worker(__filename, { workerData: words });
    for (let done = 0; done < all; done = Atomics.load(words, DONE))
        await Atomics.waitAsync(words, DONE, done).value;
    Atomics.store(words, READY, ENDED);
    Atomics.notify(words, READY);
    NAMES.forEach((name, priority) => {
        const picks = [...words.slice(ORDER + priority * TASKS,
            ORDER + (priority + 1) * TASKS)];
        const mean = picks.reduce((sum, turn) => sum + turn) / TASKS;
        console.log(`${name.padEnd(6)} ${TASKS} tasks, at pick ${mean.toFixed(1)} on average`);
    });
}

if (isMainThread)
    main(...process.argv.slice(2).map(Number));
else
    work(workerData);
