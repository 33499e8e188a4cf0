// weir only
// weir:jobs: jobs are handled, fail, are retried and die; results are kept.
import { Jobs, RetryError, UnrecoverableError } from 'weir:jobs';
import { events, file } from '../support/jobs.mjs';

const jobs = new Jobs(file('jobs.db'), { name: 'tester' });
const mail = jobs.queue('mail', { keep: 60_000, backoff: 1 });
const text = (error) => `${error.code ?? error.name}: ${error.message}`;

// The first job fails once; the second has its key, and waits for it.
{
    const log = [];
    const done = events(jobs, 'completed', 3);
    const first = await mail.add({ to: 'bob' }, { key: 'b' });
    const second = await mail.add({ to: 'bee' }, { key: 'b' });
    const last = await mail.add('all sent', { after: [first, second] });
    console.log(first, second, last);
    console.log((await jobs.get(second)).state, (await jobs.get(last.id)).state);
    const worker = mail.work(async (job, signal) => {
        log.push([job.data, job.attempt, job.key, signal instanceof AbortSignal]);
        await job.updateProgress(0.25);
        if (job.id === first.id && job.attempt === 1)
            throw new RangeError('busy');
        return { sent: job.data.to };
    }, { concurrency: 4, prefetch: 2 });
    for (const [job, result] of await done)
        console.log('completed', job.id, result);
    console.log(log);
    const job = await jobs.get(first);
    console.log(job.state, job.attempt, job.result, job.progress, job.data, job.owner,
        job.reason.split('\n')[0], job.finishedAt > job.addedAt);
    worker.stop();
}

// Dead letters, with a reason and a stack.
{
    const queue = jobs.queue('dead', { attempts: 2, backoff: 1 });
    const failures = events(jobs, 'failed', 4);
    let isBroken = true;
    const { id } = await queue.add(1);
    const final = await queue.add(2);
    const later = await queue.add(3, { attempts: 1 });
    const worker = queue.work((job) => {
        if (!isBroken)
            return;
        if (job.data === 2)
            throw new UnrecoverableError('never');
        throw job.data === 3 ? new RetryError('soon', { delay: 5 }) : new Error('no');
    }, { concurrency: 3 });
    const seen = (await failures).map(([job, error]) => `${job.id} ${job.attempt} ${text(error)}`);
    console.log(seen.sort());
    console.log((await queue.stats()).jobs.dead, (await jobs.get(final)).reason.split('\n')
        .map((line) => line.replace(/\(.*\)/, '()')).slice(0, 2));
    console.log(await jobs.retry(12345), await jobs.cancel(12345), await jobs.get(12345));
    isBroken = false;
    const done = events(jobs, 'completed', 3);
    console.log(await jobs.retry(id), await jobs.retry(id), await queue.retryAll());
    console.log((await done).filter(([job]) => job.queue === 'dead')
        .map(([job]) => job.id === later.id ? 'later' : job.id - id).sort());
    worker.stop();
}

// Data that is not JSON, no data, and a result of bytes.
{
    const queue = jobs.queue('bytes', { keep: Infinity });
    const ids = await queue.addAll([new Uint8Array([1, 0, 255]), undefined, 'é\u{1f600}', null]);
    const done = events(jobs, 'completed', 4);
    queue.work((job) => new Uint8Array(job.bytes).reverse());
    await done;
    for (const one of ids) {
        const job = await jobs.get(one);
        console.log(job.bytes, job.resultBytes);
        try {
            console.log(job.data);
        } catch (error) {
            console.log(error.name);
        }
    }
}

// One at a time while it is not finished; priorities; pause and resume; limits.
{
    const queue = jobs.queue('order');
    await queue.pause();
    const a = await queue.add('a', { unique: 'u', delay: 3_600_000 });
    const b = await queue.add('b', { unique: 'u' });
    console.log(a.id === b.id, b.isNew);
    for (const priority of [0, 5, -5])
        await queue.add(priority, { priority });
    await queue.limit({ concurrency: 1, rate: 1000, period: 1000 });
    const order = [];
    const done = new Promise((resolve) => queue.work((job) => {
        order.push(job.data);
        if (order.length === 3)
            resolve();
    }));
    const { paused, concurrency, rate, period, jobs: counts } = await queue.stats();
    console.log({ paused, concurrency, rate, period }, counts);
    await queue.resume();
    await done;
    console.log(order, await jobs.cancel(a), (await jobs.get(a)).state);
}
console.log((await jobs.queues()).map(({ name }) => name), (await jobs.queue('none').stats()).jobs.ready);
console.log(await jobs.drain());
await jobs.close();
await jobs.close();
await mail.add(1).catch((error) => console.log(text(error)));
