import { Queue, Worker } from 'bullmq';

const connection = { host: '127.0.0.1', port: process.env.REDIS_PORT };
const queue = new Queue('letters', { connection,
    defaultJobOptions: { attempts: 5, backoff: { type: 'exponential', delay: 20 } } });
await queue.add('mail', { to: 'ann' });
await queue.add('mail', { to: 'bob' });

const worker = new Worker('letters', async (job) => {
    if (job.data.to === 'ann' && job.attemptsMade === 0)
        throw new Error('busy');
    console.log(`${job.data.to}, attempt ${job.attemptsMade + 1}`);
}, { connection, limiter: { max: 50, duration: 1000 } });
worker.on('failed', (job, error) => console.log(`${job.data.to}: ${error.message}`));

let sent = 0;
worker.on('completed', async () => {
    if (++sent === 2) {
        await worker.close();
        await queue.close();
    }
});
