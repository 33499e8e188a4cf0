// SPDX-License-Identifier: MIT
// Jobs in a loop: `weir examples/jobs/loop.mjs jobs.db`.
import { Jobs } from 'weir:jobs';

const jobs = new Jobs(process.argv[2] ?? 'jobs.db');
const numbers = jobs.queue('numbers');
const added = await numbers.addAll([1, 2, 3]);

for await (const job of numbers.claims()) {
    console.log(job.data, job.attempt);
    if (job.data === 2)
        break; // 2 is given back
}
const { data, state, attempt } = await jobs.get(added[1]);
console.log(`${data} is ${state}, after ${attempt} attempts`);
await jobs.close();
