// SPDX-License-Identifier: MIT
// Three processes that share the jobs of a database:
// `weir examples/jobs/three.mjs postgres://user@host/database`.  A file does as well
// on one machine.  This process adds thirty jobs, starts the others, lets one of them
// finish with SIGTERM in the middle of its work, and ends when all jobs are done.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Jobs } from 'weir:jobs';

const COUNT = 30;
const [, script, store, name] = process.argv;
const jobs = new Jobs(store, { name });
const squares = jobs.queue('squares', { keep: 3_600_000 });

// A worker: in production, the same program on another machine.
function work() {
    squares.work(async ({ data }) => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        return data * data;
    }, { concurrency: 2 });
    jobs.on('completed', () => console.log('done'));
}

function start(i) {
    const worker = spawn(process.execPath, [script, store, `worker ${i}`],
        { stdio: ['ignore', 'pipe', 'inherit'] });
    return { worker, exit: once(worker, 'exit'), lines: createInterface(worker.stdout) };
}

async function lead() {
    const added = await squares.addAll(Array.from({ length: COUNT }, (_, i) => i));
    const workers = [1, 2, 3].map(start);
    let done = 0;
    await new Promise((resolve) => {
        for (const { worker, lines } of workers)
            lines.on('line', () => {
                if (++done === 5)
                    worker.kill('SIGTERM'); // drains this one; the others go on
                if (done === COUNT)
                    resolve();
            });
    });
    for (const { worker } of workers)
        if (!worker.killed) // a second signal would end it at once
            worker.kill('SIGTERM');
    const exits = await Promise.all(workers.map(({ exit }) => exit));
    const finished = await Promise.all(added.map(({ id }) => jobs.get(id)));
    const sum = finished.reduce((total, { result }) => total + result, 0);
    console.log(`${COUNT} jobs, each at attempt ${Math.max(...finished.map((job) =>
        job.attempt))}: the sum of the squares is ${sum}`);
    console.log(`three workers, which left with ${exits.map(([code]) => code).join(', ')}`);
    await jobs.close();
}

if (name === undefined)
    await lead();
else
    work();
