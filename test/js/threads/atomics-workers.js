// weir only: a worker of Node 20 ends although it waits.
// Workers wait for each other: handed over each time, first come first woken.
'use strict';
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { once } = require('node:events');

const PASSES = 500;

// Blocks: workers may.
function pass({ words, me }) {
    for (let i = 0; i < PASSES; i++) {
        while (Atomics.load(words, 0) !== me)
            Atomics.wait(words, 0, 1 - me);
        words[1]++; // plain: whoever has the turn
        Atomics.store(words, 0, 1 - me);
        Atomics.notify(words, 0);
    }
}

async function stand({ words, me }) {
    const { value } = Atomics.waitAsync(words, 2, 0);
    parentPort.postMessage('waits');
    parentPort.postMessage(`${me}: ${await value}`);
}

const jobs = { pass, stand };

async function main() {
    const words = new Int32Array(new SharedArrayBuffer(16));
    const start = (job, me) => new Worker(__filename, { workerData: { job, words, me } });

    await Promise.all([0, 1].map((me) => once(start('pass', me), 'exit')));
    console.log(words[1]);

    const line = [];
    for (let me = 0; me < 3; me++) {
        line[me] = start('stand', me);
        console.log(...await once(line[me], 'message'));
    }
    for (const worker of line) {
        const answer = once(worker, 'message');
        console.log('woken', Atomics.notify(words, 2, 1));
        console.log(...await answer);
    }
    console.log('left', Atomics.notify(words, 2));
    const results = await Promise.all([1, 2, 3].map((ms) =>
        Atomics.waitAsync(words, 3, 0, ms).value));
    console.log(results);
}

if (isMainThread)
    main();
else
    jobs[workerData.job](workerData);
