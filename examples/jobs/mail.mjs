// SPDX-License-Identifier: MIT
// Mails that survive the process: `weir examples/jobs/mail.mjs jobs.db`.
// Kill it at any point and start it again: what was not sent is sent then.
import { Jobs } from 'weir:jobs';

const jobs = new Jobs(process.argv[2] ?? 'jobs.db');
const mail = jobs.queue('mail', { attempts: 5, backoff: 20 });

await mail.limit({ rate: 50 }); // in a second, for all processes together
await mail.add({ to: 'ann' });
await mail.add({ to: 'bob' }, { key: 'b' });
await mail.add({ to: 'bee' }, { key: 'b' }); // not before bob's
console.log('on the disk');

let sent = 0;
mail.work(async (job, signal) => {
    if (job.data.to === 'bob' && job.attempt === 1)
        throw new Error('busy');
    console.log(`${job.data.to}, attempt ${job.attempt}`);
    if (++sent === 3)
        jobs.drain(); // SIGTERM does this, too
}, { concurrency: 4 });
