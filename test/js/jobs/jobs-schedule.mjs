// weir only
// virtual clock
// weir:jobs: schedules add jobs on time, once; several jobs of one key run at
// once; jobs are listed.
import { Jobs } from 'weir:jobs';
import { events, file } from '../support/jobs.mjs';

const jobs = new Jobs(file('jobs.db'));
const reports = jobs.queue('reports', { attempts: 1, unique: 'not used' });
const refuse = async (...args) => {
    try {
        await reports.schedule(...args);
    } catch (error) {
        console.log(`${error.name} ${error.code}: ${error.message}`);
    }
};

await refuse('', { cron: '* * * * *' });
await refuse('n'.repeat(247), { cron: '* * * * *' });
await refuse('x', { cron: '* * * *' });
await refuse('x', { cron: '99 * * * *' });
await refuse('x', { cron: '0 0 30 2 *' });
await refuse('x', { cron: '@daily', zone: 'Nowhere' });
await refuse('x', { cron: '@daily', missed: 'all' });
await refuse('x', { cron: '@daily', every: 5 });
await refuse('x', { cron: '@daily', options: { delay: 5 } });
await refuse('x', { cron: '@daily', options: { other: 5 } });
console.log(await jobs.schedules());

const next = await reports.schedule('nightly', { cron: '0 3 * * *', zone: 'Asia/Kathmandu',
    missed: 'one', data: { report: true }, options: { priority: 3 } });
console.log(next.toISOString().slice(11)); // 3:00 is 21:15 in UTC
const again = await reports.schedule('nightly', { cron: '0 3 * * *', zone: 'Asia/Kathmandu' });
console.log(again.getTime() === next.getTime(), (await jobs.schedules()).map(
    ({ queue, name, cron, zone, next }) => [queue, name, cron, zone, next instanceof Date]));
await reports.schedule('nightly', { cron: '0 3 * * *', zone: 'Asia/Kathmandu', missed: 'one',
    data: { report: true }, options: { priority: 3 } });
const done = events(jobs, 'completed', 3);
const worker = reports.work((job) => job.runAt.toISOString().slice(11));
const runs = (await done).map(([job, result]) => [job.runAt.getTime(), job.data, job.priority, result]);
console.log(runs.map(([time, ...rest], i) => [(time - next) / 86_400_000 === i, ...rest]));
console.log(await reports.unschedule('nightly'), await reports.unschedule('nightly'),
    (await jobs.schedules()).length);
worker.stop();

// Two at a time of a key.
const keyed = jobs.queue('keyed');
await keyed.limit({ keyConcurrency: 2 });
await keyed.addAll([1, 2, 3, 4], { key: 'k' });
const states = async () => (await Promise.all(['ready', 'behind'].map((state) =>
    keyed.list({ state, limit: 10 })))).map((list) => list.map(({ data }) => data));
console.log(await states(), (await keyed.stats()).keyConcurrency);
await keyed.limit({ keyConcurrency: 3 });
console.log(await states(), (await keyed.list({ state: 'ready', after: 5, limit: 1 })).length);
for (const options of [undefined, {}, { state: 'lost' }, { state: 'ready', limit: 1001 }])
    await keyed.list(options).catch((error) => console.log(error.code));
await jobs.close();
