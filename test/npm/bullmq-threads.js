'use strict';
// Processors in files of their own: one in a forked process, one in a thread.
const path = require('node:path');
const { Queue, QueueEvents, Worker } = require('bullmq');

const connection = { host: '127.0.0.1', port: +process.env.REDIS_PORT };
const file = path.join(__dirname, 'helpers', 'processor.cjs');

async function run(name, options) {
    const queue = new Queue(name, { connection });
    await queue.obliterate({ force: true });
    const events = new QueueEvents(name, { connection });
    await events.waitUntilReady();
    const worker = new Worker(name, file, { connection, ...options });
    worker.on('progress', (job, progress) => console.log(name, 'progress', progress));
    const sum = await queue.add('sum', { numbers: [1, 2, 3] });
    console.log(name, await sum.waitUntilFinished(events));
    // The worker and the events have connections of their own: either may be first.
    const failed = new Promise((resolve) =>
        worker.once('failed', (job, error) => resolve(error.message)));
    const bad = await queue.add('sum', {});
    const reason = await bad.waitUntilFinished(events).catch((error) => error.message);
    console.log(name, 'failed', await failed);
    console.log(name, reason);
    await worker.close();
    await events.close();
    await queue.close();
    console.log(name, 'closed');
}

(async () => {
    await run('process', {});
    await run('thread', { useWorkerThreads: true });
})();
