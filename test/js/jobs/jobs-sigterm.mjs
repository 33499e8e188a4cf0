// weir only
// weir:jobs: SIGTERM drains the workers, and ends the program; a second signal
// ends it at once.  Nothing is lost, and what was given back counts no attempt.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Jobs } from 'weir:jobs';
import { file } from '../support/jobs.mjs';

const child = `
    const { Jobs } = require('weir:jobs');
    const jobs = new Jobs(process.argv[1], { drain: { soft: 0,
        deadline: Number(process.argv[3]) } });
    const queue = jobs.queue('q');
    queue.work(async (job, signal) => {
        console.log('begun');
        await new Promise((resolve) => process.argv[2] === 'obeys'
            ? signal.addEventListener('abort', resolve) : setInterval(resolve, 1e6));
    }, { concurrency: 1, prefetch: 1 });`;

const LONG = 60_000;
for (const [how, signals, deadline] of [['obeys', 1, LONG], ['hangs', 2, LONG], ['hangs', 1, 50]]) {
    const path = file(`${how}${signals}.db`);
    const jobs = new Jobs(path);
    await jobs.queue('q').addAll([1, 2]);
    const running = spawn(process.execPath, ['-e', child, path, how, deadline],
        { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = text(running.stderr);
    await once(running.stdout, 'data');
    running.kill('SIGTERM');
    if (signals === 2) {
        // The second job is given back when the drain has begun.
        for await (const job of until(jobs, 2, 'ready'))
            console.log('given back', job.attempt);
        running.kill('SIGTERM');
    }
    const [code, signal] = await once(running, 'exit');
    const { jobs: { ready, running: left } } = await jobs.queue('q').stats();
    console.log(how, code, signal, { ready, running: left, attempt: (await jobs.get(2)).attempt });
    process.stdout.write((await said).replace(path, 'the store').replace(/[\d.]+ s/, 'N s'));
    await jobs.close();
}

// Looks again with each turn that the store needs to answer.
async function* until(jobs, id, state) {
    for (;;) {
        const job = await jobs.get(id);
        if (job.state === state) {
            yield job;
            return;
        }
    }
}
