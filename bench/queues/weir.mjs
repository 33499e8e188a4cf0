// SPDX-License-Identifier: MIT
// A process of bench/queues/run: as soon as an empty job is done, another is added.
//     weir.mjs STORE JOBS_AT_ONCE
import { createInterface } from 'node:readline';
import { Jobs } from 'weir:jobs';

const [, , store, share] = process.argv;
const jobs = new Jobs(store, { signals: false });
const queue = jobs.queue('bench', { attempts: 1 });
let done = 0;
jobs.on('completed', () => {
    done++;
    queue.add(null);
});
queue.work(() => {}, { concurrency: Number(share) });
await jobs.queues(); // it is open
console.log('ready');
for await (const line of createInterface(process.stdin))
    if (line === 'go')
        for (let i = 0; i < share; i++)
            queue.add(null);
    else
        console.log(done);
