// SPDX-License-Identifier: MIT
// The same for BullMQ:
//     bullmq.mjs PORT JOBS_AT_ONCE FOLDER_OF_BULLMQ
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [, , port, share, folder] = process.argv;
const { Queue, Worker } = createRequire(`${folder}/`)('bullmq');
const connection = { host: '127.0.0.1', port: Number(port) };
const queue = new Queue('bench', { connection,
    defaultJobOptions: { attempts: 1, removeOnComplete: true } });
const worker = new Worker('bench', async () => {}, { connection, concurrency: Number(share) });
let done = 0;
worker.on('completed', () => {
    done++;
    queue.add('empty', null);
});
await worker.waitUntilReady();
await queue.waitUntilReady();
console.log('ready');
for await (const line of createInterface(process.stdin))
    if (line === 'go')
        for (let i = 0; i < share; i++)
            queue.add('empty', null);
    else
        console.log(done);
