// weir only
// weir:pool: a worker takes its share, and one that has nothing steals it.
import { Pool } from 'weir:pool';

const FIRST = 1, SECOND = 2, LONG = 3;
const cells = new Int32Array(new SharedArrayBuffer(16));

async function begun(count) {
    for (let seen; (seen = Atomics.load(cells, 0)) < count;)
        await Atomics.waitAsync(cells, 0, seen).value;
}

function open(gate) {
    Atomics.store(cells, gate, 1);
    Atomics.notify(cells, gate);
}

const pool = new Pool(({ cells, gate, n }) => {
    if (gate !== undefined) {
        Atomics.add(cells, 0, 1);
        Atomics.notify(cells, 0);
        Atomics.wait(cells, gate, 0);
    }
    return n;
}, { size: 2, priorities: ['only'] });

// Both workers are busy.
const busy = [FIRST, SECOND].map((gate) => pool.run({ cells, gate }));
await begun(2);

// One of them goes on: it takes the long one, and a share of what follows.
const long = pool.run({ cells, gate: LONG, n: 'long' });
const runs = Array.from({ length: 31 }, (_, n) => pool.run({ n }));
console.log(pool.stats.queued, pool.stats.steals);
open(FIRST);
await begun(3);
console.log(pool.stats.queued, pool.stats.steals);

// The other has all the rest to do, and that share is part of it.
open(SECOND);
console.log((await Promise.all(runs)).join());
await Promise.all(busy); // the first answered long ago, but on its own thread
const { queued, pending, steals, completed } = pool.stats;
console.log({ queued, pending, steals, completed });
open(LONG);
console.log(await long, (await Promise.all(busy)).length);

// One worker: in order.
{
    await using one = new Pool((n) => {
        globalThis.seen = [...globalThis.seen ?? [], n];
        return globalThis.seen;
    }, { size: 1 });
    const all = Array.from({ length: 100 }, (_, n) => one.run(n));
    const seen = await all.at(-1);
    console.log(seen.length, seen.every((n, i) => n === i), one.stats.steals);
}
const report = await pool.drain();
console.log(report.completed, report.queueTime.max >= report.queueTime.mean, report.queueTime.mean > 0);
