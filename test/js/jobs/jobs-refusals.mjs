// weir only
// weir:jobs: bad input gets an error that says what is wrong, and changes nothing.
import fs from 'node:fs';
import { Jobs, ClaimedJob, RetryError, UnrecoverableError } from 'weir:jobs';
import { file } from '../support/jobs.mjs';

const show = (error) => console.log(`${error.name} ${error.code}: ${error.message}`
    .replaceAll(file('.').slice(0, -1), ''));
async function refuse(fn) {
    try {
        await fn();
        console.log('accepted');
    } catch (error) {
        show(error);
    }
}

for (const args of [[], [1], [''], ['a\0b'], ['x', null], ['x', { other: 1 }], ['x', { name: '' }],
    ['x', { payloadLimit: 0 }], ['x', { busyTimeout: 1.5 }], ['x', { drain: { hard: 1 } }],
    ['x', { drain: { deadline: -1 } }]])
    await refuse(() => new Jobs(...args));

const jobs = new Jobs(file('jobs.db'), { payloadLimit: 100 });
for (const args of [[], [''], ['q', 1], ['q', { retries: 1 }], ['n'.repeat(256)], ['\ud800']])
    await refuse(() => jobs.queue(...args));
const queue = jobs.queue('q');
for (const [data, options] of [[() => {}], [Symbol('s')], [1n], ['x'.repeat(100)], [1, null],
    [1, { delay: '1' }], [1, { delay: -1 }], [1, { delay: NaN }], [1, { delay: 1, runAt: 2 }],
    [1, { runAt: new Date(NaN) }], [1, { priority: 0.5 }], [1, { attempts: 2 ** 31 }],
    [1, { key: '' }], [1, { unique: 'a\0' }], [1, { keep: -1 }], [1, { after: 'x' }],
    [1, { after: [0] }], [1, { after: [999] }], [1, { after: new Array(1001).fill(1) }],
    [1, { retries: 3 }]])
    await refuse(() => queue.add(data, options));
for (const args of [[], [1], [{}], [() => {}, { concurrency: 0 }], [() => {}, { prefetch: -1 }],
    [() => {}, { lease: 99 }], [() => {}, { threads: 2 }]])
    await refuse(() => queue.work(...args));
for (const limits of [undefined, { rate: -1 }, { period: 0 }, { perSecond: 1 }])
    await refuse(() => queue.limit(limits));
for (const id of [undefined, 'x', 0, 1.5, {}])
    await refuse(() => jobs.get(id));
await refuse(() => jobs.drain({ soft: 'x' }));
await refuse(() => new RetryError('x', { delay: -1 }));
await refuse(() => new ClaimedJob({}, {}).complete());
console.log((await queue.stats()).jobs.ready);

// A handler that settles its job twice.
await new Promise((resolve) => {
    queue.add(1);
    queue.work(async (job) => {
        await refuse(() => job.updateProgress(2));
        await refuse(() => job.updateProgress('x'));
        await refuse(() => job.complete(() => {}));
        await refuse(() => job.complete('x'.repeat(200)));
        await job.complete();
        await refuse(() => job.complete());
        await refuse(() => job.updateProgress(1));
        resolve();
    });
});

// A reason may be longer than a payload.
{
    const short = jobs.queue('short');
    const { id } = await short.add(1);
    const failed = new Promise((resolve) => jobs.once('failed', (job, error) => resolve(error)));
    short.work(() => { throw new UnrecoverableError('n'.repeat(200)); });
    console.log((await failed).message.length);
    const { state, reason } = await jobs.get(id);
    console.log(state, reason.length > 200);
}
await jobs.close();
await refuse(() => jobs.queues());
await refuse(() => queue.work(() => {}));

// Files that are no store are not changed.
for (const [name, content] of [['text', 'not a database '.repeat(100)], ['none/jobs.db']]) {
    if (content !== undefined)
        fs.writeFileSync(file(name), content);
    const other = new Jobs(file(name));
    await refuse(() => other.queue('q').add(1));
    await other.close();
    if (content !== undefined)
        console.log(fs.readFileSync(file(name), 'utf8') === content);
}
