// SPDX-License-Identifier: MIT
// What weir:jobs says about schedules, keys and lists: test/jobs/postgres.py runs it
// on both engines, and compares.
import { Jobs } from 'weir:jobs';

const jobs = new Jobs(process.argv[2]);
const queue = jobs.queue('q');
const refuse = (cron, zone) => queue.schedule('x', { cron, zone }).catch(
    ({ code, message }) => console.log(code, message));

const next = await queue.schedule('nightly',
    { cron: '0 3 * * *', zone: 'Asia/Kathmandu', missed: 'one', data: { report: true } });
console.log(next.toISOString().slice(11), (await jobs.schedules()).map(
    ({ queue, name, cron, zone, next: at }) => [queue, name, cron, zone, at.getTime() === next.getTime()]));
await refuse('99 * * * *');
await refuse('0 0 30 2 *');
await refuse('@daily', 'Nowhere');
console.log(await queue.unschedule('nightly'), await queue.unschedule('nightly'));

await queue.limit({ keyConcurrency: 2 });
await queue.addAll([1, 2, 3, 4], { key: 'k' });
const list = async (state, options) =>
    (await queue.list({ state, ...options })).map(({ id, data, key }) => [id, data, key]);
console.log(await list('ready'), await list('behind', { limit: 1 }), await list('behind', { after: 3 }));
console.log((await queue.stats()).keyConcurrency);

await queue.limit({ keyConcurrency: 2, keyRate: 1, keyPeriod: 60_000 });
for await (const job of queue.claims()) {
    console.log(job.id, job.key);
    break;
}
const { keyRate, keyPeriod, jobs: counts } = await queue.stats();
console.log(keyRate, keyPeriod, counts);
await jobs.close();
