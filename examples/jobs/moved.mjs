// SPDX-License-Identifier: MIT
// What test/npm/bullmq-mail.mjs does with BullMQ and Redis, with weir:jobs:
// `weir examples/jobs/moved.mjs jobs.db`.
import { Jobs } from 'weir:jobs';

const jobs = new Jobs(process.argv[2] ?? 'jobs.db');
const queue = jobs.queue('letters', { attempts: 5, backoff: 20 });
await queue.add({ to: 'ann' });
await queue.add({ to: 'bob' });

await queue.limit({ rate: 50 });
queue.work(async (job) => {
    if (job.data.to === 'ann' && job.attempt === 1)
        throw new Error('busy');
    console.log(`${job.data.to}, attempt ${job.attempt}`);
});
jobs.on('failed', (job, error) => console.log(`${job.data.to}: ${error.message}`));

let sent = 0;
jobs.on('completed', () => {
    if (++sent === 2)
        jobs.drain();
});
