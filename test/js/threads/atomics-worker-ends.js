// What a worker waits for ends with the worker, and the others go on.
'use strict';
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { once } = require('node:events');

const WORDS = { block: 0, async: 1, deaf: 2, relay: 3 };

const jobs = {
    // Nobody ever notifies it.
    block(words) {
        parentPort.postMessage('blocks');
        for (;;)
            try {
                Atomics.wait(words, WORDS.block, 0);
            } catch {
                continue;
            }
    },
    spin() {
        parentPort.postMessage('spins');
        for (;;);
    },
    leave(words) {
        for (let i = 0; i < 3; i++)
            Atomics.waitAsync(words, WORDS.async, 0, i ? undefined : 1e6);
        parentPort.postMessage('waits');
        setTimeout(() => process.exit(7), 1);
    },
    die() {
        throw new Error('before it could notify');
    },
    rely(words) {
        parentPort.postMessage(Atomics.wait(words, WORDS.relay, 0));
    },
};

async function main() {
    const words = new Int32Array(new SharedArrayBuffer(16));
    const start = (job) => new Worker(__filename, { workerData: { job, words } });

    // How soon they are gone is measured by bench/js/terminate.js.
    for (const job of ['block', 'spin']) {
        const codes = [];
        for (let i = 0; i < 5; i++) {
            const worker = start(job);
            await once(worker, 'message');
            codes.push(await worker.terminate());
        }
        console.log(job, ...codes);
    }
    console.log('left', Atomics.notify(words, WORDS.block));

    const leaver = start('leave');
    await once(leaver, 'message');
    console.log('exit', ...await once(leaver, 'exit'));
    console.log('left', Atomics.notify(words, WORDS.async));

    // Scene l: the one who should notify dies; who waits hears of it, as the loop
    // is not blocked, and lets the others know.
    const mine = Atomics.waitAsync(words, WORDS.deaf, 0);
    const relying = start('rely');
    const answer = once(relying, 'message');
    const dying = start('die');
    dying.on('error', async ({ message }) => {
        console.log('error', message);
        Atomics.notify(words, WORDS.deaf);
        Atomics.store(words, WORDS.relay, 1); // whether it waits already or not
        Atomics.notify(words, WORDS.relay);
    });
    console.log('released', await mine.value);
    const [text] = await answer;
    console.log('released', text === 'ok' || text === 'not-equal');
}

if (isMainThread)
    main();
else
    jobs[workerData.job](workerData.words);
