// weir only
// weir:pool: results, order, cancelling, crashes, and the end.
import { Pool } from 'weir:pool';
import { fileURLToPath } from '../support/paths.mjs';

const failed = (promise) => promise.then((value) => ['fulfilled', value],
    (error) => [error.name, error.code, error.message, error.cause?.message]);

// Results and errors.
{
    await using pool = new Pool(async ({ n, how }) => {
        if (how === 'throw')
            throw Object.assign(new RangeError('thrown'), { code: 'E_MINE' });
        if (how === 'function')
            return () => {};
        return how === 'later' ? new Promise((done) => setTimeout(() => done(n * 2), 5)) : n * 2;
    }, { size: 3 });
    console.log(pool.size, await Promise.all([1, 2, 3, 4, 5].map((n) => pool.run({ n }))));
    console.log(await pool.run({ n: 8, how: 'later' }));
    console.log(await failed(pool.run({ how: 'throw' })));
    console.log(await failed(pool.run({ how: 'function' })));
    console.log(await failed(pool.run(() => {})));
    console.log(await failed(pool.run({}, { priority: 'none' })));
    const bytes = new Uint8Array(100000);
    console.log((await pool.run({ n: bytes.length, bytes }, { transfer: [bytes.buffer] })), bytes.length);
}

// One worker: the highest priority first, in order; LOW is not forgotten.
{
    const gate = new Int32Array(new SharedArrayBuffer(8));
    await using pool = new Pool(({ name, gate }) => {
        if (gate !== undefined)
            Atomics.store(gate, 1, 1);
        while (gate !== undefined && Atomics.load(gate, 0) === 0);
        return name;
    }, { size: 1 });
    const order = [];
    const blocked = pool.run({ gate });
    while (Atomics.load(gate, 1) === 0);
    const runs = [];
    for (let i = 0; i < 20; i++)
        for (const priority of ['low', 'normal', 'high'])
            runs.push(pool.run({ name: priority[0] }, { priority })
                .then((name) => order.push(name)));
    Atomics.store(gate, 0, 1);
    await blocked;
    await Promise.all(runs);
    console.log(order.join(''));
    console.log(await pool.run({ name: 1 }), pool.stats.completed);
}

// What is given up: in the queue it never runs, running its result is dropped.
{
    const cells = new Int32Array(new SharedArrayBuffer(8));
    await using pool = new Pool((cells) => {
        Atomics.add(cells, 0, 1);
        while (Atomics.load(cells, 1) === 0);
    }, { size: 1 });
    const running = new AbortController(), queued = new AbortController();
    const first = failed(pool.run(cells, { signal: running.signal }));
    const second = failed(pool.run(cells, { signal: queued.signal }));
    while (Atomics.load(cells, 0) === 0)
        await new Promise((done) => setTimeout(done, 1));
    running.abort();
    queued.abort(new RangeError('no longer wanted'));
    console.log(await first);
    console.log(await second);
    console.log(await failed(pool.run(cells, { signal: AbortSignal.abort(new Error('before')) })));
    Atomics.store(cells, 1, 1);
    await pool.run(cells);
    console.log(Atomics.load(cells, 0), pool.stats.cancelled);
}

// A worker that ends is replaced, its task is rejected, the others are done.
{
    await using pool = new Pool((how) => {
        if (how === 'exit')
            process.exit(5);
        if (how === 'late') {
            setTimeout(() => { throw new TypeError('in a timer'); }, 1);
            return new Promise(() => {});
        }
        return how;
    }, { size: 2 });
    const all = [1, 'exit', 2, 'late', 3, 'exit', 4].map((how) => failed(pool.run(how)));
    for (const one of await Promise.all(all))
        console.log(one);
    console.log(pool.stats.replaced);
}

// One that takes long holds up nobody (pool-steal.mjs has the stealing).
{
    const pool = new Pool((ms) => {
        const end = Date.now() + ms;
        while (Date.now() < end);
        return ms;
    }, { size: 2 });
    await Promise.all([pool.run(0), pool.run(0)]);
    const runs = [pool.run(100)];
    for (let i = 0; i < 20; i++)
        runs.push(pool.run(1));
    await Promise.all(runs);
    const { queueTime, pending } = pool.stats;
    console.log(queueTime.max >= queueTime.mean, queueTime.mean > 0, pending);
    const report = await pool.drain();
    console.log(report.completed, report.isLate, report.left);
    console.log(await failed(pool.run(1)));
}

// A drain with a deadline: what does not end is rejected, and named.
{
    const pool = new Pool((ms) => {
        for (const end = Date.now() + ms; Date.now() < end;);
        return ms;
    }, { size: 2 });
    const stuck = failed(pool.run(Infinity, { name: 'stuck' }));
    const quick = await failed(pool.run(0)); // on a busy machine, workers start late
    const [one, two] = await Promise.all([pool.drain({ deadline: 200 }), pool.drain({ deadline: 200 })]);
    console.log(one.isLate, one.left, two.isLate !== undefined);
    console.log(await stuck, quick);
}

// From a file; one that has no function; one that is not there.
{
    await using pool = new Pool(fileURLToPath(import.meta.url, '../support/double.cjs'));
    console.log(pool.size, await pool.run(21));
    const none = new Pool(fileURLToPath(import.meta.url, '../support/paths.mjs'), { size: 1 });
    console.log((await failed(none.run(1))).slice(0, 2));
    const missing = new Pool('./not-there.js', { size: 2 });
    console.log((await failed(missing.run(1))).slice(0, 2));
    console.log((await failed(missing.run(1))).slice(0, 2));
}

for (const args of [[], [5], [null], [() => {}, { size: 0 }], [() => {}, { size: 1e9 }], [() => {}, { size: 'x' }], [() => {}, { priorities: 5 }]])
    try {
        new Pool(...args);
        console.log('no error');
    } catch (error) {
        console.log(error.name, error.code);
    }
{
    using pool = new Pool((n) => n, { priorities: ['urgent', 'usual'], size: 1 });
    console.log(await pool.run(1, { priority: 'urgent' }), await pool.run(2));
    new Pool(() => {}); // idle ones do not keep the program alive
}
console.log('end');

// An error's stack names the task, whose text has come without a file.
await using lost = new Pool((n) => missing(n), { size: 1 });
await lost.run(1).catch((error) => console.log(error.name, /\(<task>:1:\d+\)/.test(error.stack)));
