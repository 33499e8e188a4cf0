// weir only
// virtual clock
// weir:jobs: a drain finishes, aborts, and gives back what is left; leases that
// are lost and attempts that take too long abort the handler.
import { Jobs } from 'weir:jobs';
import { events, file } from '../support/jobs.mjs';

const aborted = (signal) => new Promise((resolve) => signal.addEventListener('abort',
    () => resolve(`${signal.reason.code}: ${signal.reason.message}`)));
const open = (name, drain) => new Jobs(file(name), { drain });

// What finishes in time, what heeds its signal, and what has not begun.
{
    const jobs = open('soft.db', { soft: 1000, deadline: 3_600_000 });
    const queue = jobs.queue('q');
    await queue.addAll([1, 2, 3, 4]);
    let begun = 0;
    const ready = Promise.withResolvers();
    queue.work(async (job, signal) => {
        if (++begun === 2)
            ready.resolve();
        await (job.data === 1 ? new Promise((resolve) => setTimeout(resolve, 500))
            : aborted(signal).then((reason) => console.log('signal', reason)));
    }, { concurrency: 2, prefetch: 2 });
    await ready.promise;
    console.log(await jobs.drain(), await jobs.drain());
    const { ready: left, running } = (await queue.stats()).jobs;
    console.log({ begun, left, running, attempt: (await jobs.get(3)).attempt });
    try {
        queue.work(() => {});
    } catch (error) {
        console.log(error.code);
    }
    await jobs.close();
}

// What does not is given back, and what it does later is refused.
{
    const jobs = open('hard.db');
    const queue = jobs.queue('q');
    await queue.add(1);
    const end = Promise.withResolvers();
    const lost = events(jobs, 'lost'), failed = events(jobs, 'failed');
    const begun = new Promise((resolve) => queue.work((job) => {
        resolve();
        return end.promise;
    }));
    await begun;
    const report = await jobs.drain({ soft: 10, deadline: 2000 });
    for (const holder of report.holders)
        holder.age = holder.age >= 2000;
    console.log(report);
    const [[job, error]] = await lost;
    console.log('lost', job.id, error.code);
    end.resolve();
    console.log('failed', (await failed)[0][1].code);
    const { state, attempt, reason } = await jobs.get(1);
    console.log({ state, attempt, reason });
    await jobs.close();
}

// A timeout, and a job that is cancelled.
{
    const jobs = open('timeout.db');
    const queue = jobs.queue('q', { attempts: 1, timeout: 5000 });
    const late = events(jobs, 'timeout'), failed = events(jobs, 'failed', 2);
    await queue.add('slow');
    const { id } = await queue.add('cancelled');
    const begun = Promise.withResolvers();
    queue.work(async (job) => {
        if (job.id === id)
            begun.resolve();
        console.log(job.data, await aborted(job.signal));
    }, { concurrency: 2 });
    await begun.promise;
    console.log(await jobs.cancel(id));
    console.log('timeout', (await late)[0][0].data);
    console.log((await failed).map(([, error]) => error.code));
    console.log((await jobs.get(1)).state, (await jobs.get(1)).reason, (await jobs.get(id)).state);
    await jobs.close();
}

// An iteration over time: a delay, and a retry with back-off.
{
    const jobs = open('delay.db');
    const queue = jobs.queue('q', { backoff: 60_000 });
    const start = performance.now();
    const seen = [];
    await queue.add(1, { delay: 3_600_000 });
    await new Promise((resolve) => queue.work(({ attempt }) => {
        seen.push(performance.now() - start);
        if (attempt === 2)
            resolve();
        else
            throw new Error('again');
    }));
    console.log(seen[0] >= 3_600_000, seen[1] - seen[0] >= 30_000);
    await jobs.close();
}
