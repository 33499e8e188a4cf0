// weir only
// weir:pool: a worker that ends with tasks in its share loses the one that ran.
import { Pool } from 'weir:pool';

const cells = new Int32Array(new SharedArrayBuffer(64));
const task = ({ cells, gate, how, n }) => {
    if (gate !== undefined) {
        Atomics.add(cells, 0, 1);
        Atomics.notify(cells, 0);
        Atomics.wait(cells, gate, 0);
    }
    if (how === 'exit')
        process.exit(7);
    if (how === 'throw') {
        setTimeout(() => { throw new RangeError('late'); }, 0);
        return new Promise(() => {});
    }
    return n;
};

async function begun(count) {
    for (let seen; (seen = Atomics.load(cells, 0)) < count;)
        await Atomics.waitAsync(cells, 0, seen).value;
}

function open(gate) {
    Atomics.store(cells, gate, 1);
    Atomics.notify(cells, gate);
}

const failed = (promise) => promise.then((value) => ['fulfilled', value],
    (error) => [error.code, error.message, error.cause?.message]);

// Of two workers one has a share of 16, the other does not get up.
async function scene(how, afterwards) {
    cells.fill(0);
    await using pool = new Pool(task, { size: 2 });
    const busy = [1, 2].map((gate) => pool.run({ cells, gate }));
    await begun(2);
    const last = failed(pool.run({ cells, gate: 3, how }));
    const runs = Array.from({ length: 31 }, (_, n) => pool.run({ n }));
    open(1);
    await begun(3);
    console.log(pool.stats.queued);
    await afterwards(pool, last, runs);
    open(2);
    await Promise.all(busy);
    const { completed, failed: lost, replaced, queued, pending } = pool.stats;
    console.log({ completed, lost, replaced, queued, pending });
}

// It ends, and its successor does all of it.
await scene('exit', async (pool, last, runs) => {
    open(3);
    console.log(await last);
    console.log((await Promise.all(runs)).join());
});

// The other has stolen it before.
await scene('throw', async (pool, last, runs) => {
    open(2);
    console.log((await Promise.all(runs)).join());
    console.log(pool.stats.steals);
    open(3);
    console.log(await last);
});

// Again and again, with one worker.
{
    await using pool = new Pool(task, { size: 1 });
    const runs = Array.from({ length: 60 }, (_, n) =>
        failed(pool.run(n % 20 === 10 ? { how: 'exit' } : { n })));
    const outcomes = await Promise.all(runs);
    console.log(outcomes.map(([how, n]) => how === 'fulfilled' ? n : 'x').join());
    console.log(pool.stats.replaced, pool.stats.completed);
}
