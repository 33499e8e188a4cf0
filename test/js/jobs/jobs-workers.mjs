// weir only
// weir:jobs: handlers in a weir:pool, and a store that several threads share.
import { Worker } from 'node:worker_threads';
import { Jobs } from 'weir:jobs';
import { Pool } from 'weir:pool';
import { events, file } from '../support/jobs.mjs';

const COUNT = 50;
const jobs = new Jobs(file('jobs.db'));

// In a pool.
{
    const queue = jobs.queue('cpu');
    await using pool = new Pool(({ data, attempt, token }) => {
        if (data === 3 && attempt === 1)
            throw new TypeError('three');
        return [data * 2, token > 0];
    }, { size: 2 });
    const done = events(jobs, 'completed', COUNT), failed = events(jobs, 'failed');
    const worker = queue.work(pool, { concurrency: 4 });
    await queue.addAll(Array.from({ length: COUNT }, (_, i) => i), { backoff: 1 });
    const results = (await done).map(([job, result]) => result);
    console.log(results.length, results.every(([, has]) => has),
        results.reduce((sum, [value]) => sum + value, 0));
    console.log((await failed)[0][1].message);
    worker.stop();
}

// Two threads with a handle each: every job is handled once.
{
    const program = `
        const { Jobs } = require('weir:jobs');
        const { parentPort, workerData } = require('worker_threads');
        const jobs = new Jobs(workerData);
        const worker = jobs.queue('shared').work((job) => { parentPort.postMessage(job.data); },
            { concurrency: 2 });
        parentPort.once('message', async () => {
            console.log((await jobs.drain()).forced);
            await jobs.close();
        });`;
    const threads = [0, 1].map(() => new Worker(program, { eval: true, workerData: jobs.path }));
    const seen = [];
    const all = new Promise((resolve) => threads.forEach((thread) =>
        thread.on('message', (data) => {
            if (seen.push(data) === COUNT)
                resolve();
        })));
    await jobs.queue('shared').addAll(Array.from({ length: COUNT }, (_, i) => i));
    await all;
    console.log(new Set(seen).size);
    const exits = threads.map((thread) => new Promise((resolve) => thread.on('exit', resolve)));
    threads[0].postMessage('end');
    await exits[0];
    threads[1].terminate();
    console.log(await Promise.all(exits));
}

// A program that ends with a claim gives it back.
{
    const program = `
        const { Jobs } = require('weir:jobs');
        const { parentPort, workerData } = require('worker_threads');
        new Jobs(workerData).queue('ended').work(() => {
            parentPort.postMessage(0);
            return new Promise((resolve) => { setInterval(resolve, 1e6); });
        });`;
    const thread = new Worker(program, { eval: true, workerData: jobs.path });
    const { id } = await jobs.queue('ended').add(1);
    await new Promise((resolve) => thread.on('message', resolve));
    await thread.terminate();
    const { state, attempt, reason } = await jobs.get(id);
    console.log({ state, attempt, reason });
}

// A promise that nothing can settle.
{
    const queue = jobs.queue('collected', { attempts: 1 });
    const { id } = await queue.add(1);
    const worker = queue.work(() => new Promise(() => {}));
    while ((await jobs.get(id)).state !== 'dead')
        ;
    console.log((await jobs.get(id)).reason);
    worker.stop();
}
await jobs.close();
