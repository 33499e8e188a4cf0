// weir only
// weir:pool: the end of a pool: drained, late, or at once.
import { Pool } from 'weir:pool';

const failed = (promise) => promise.then((value) => ['fulfilled', value],
    (error) => [error.code, error.message]);
const wait = ({ cells, n }) => {
    if (cells !== undefined) {
        Atomics.store(cells, 0, 1);
        Atomics.notify(cells, 0);
        Atomics.wait(cells, 1, 0);
    }
    return n;
};
const figures = ({ submitted, completed, cancelled, pending, queued, isLate, left }) =>
    ({ submitted, completed, cancelled, pending, queued, isLate, left });

async function stuckPool(size) {
    const cells = new Int32Array(new SharedArrayBuffer(8));
    const pool = new Pool(wait, { size });
    const stuck = failed(pool.run({ cells }, { name: 'stuck' }));
    if (Atomics.load(cells, 0) === 0)
        await Atomics.waitAsync(cells, 0, 0).value;
    return { pool, cells, stuck };
}

// All that is queued is done.
{
    const pool = new Pool(wait, { size: 2 });
    const runs = Array.from({ length: 500 }, (_, n) => pool.run({ n }));
    const drained = pool.drain();
    console.log(await failed(pool.run({ n: 1 })));
    console.log(figures(await drained));
    console.log((await Promise.all(runs)).every((value, n) => value === n));
    console.log(figures(await pool.drain({ deadline: 0 })));
}

// Late: what is queued behind the stuck one never runs, and all are named.
{
    const { pool, stuck } = await stuckPool(1);
    const runs = ['a', 'b', undefined].map((name) => failed(pool.run({ n: name }, { name })));
    console.log(figures(await pool.drain({ deadline: 20 })));
    console.log(await stuck, await Promise.all(runs));
}

// A deadline that is not reached.
{
    const { pool, cells, stuck } = await stuckPool(2);
    const drained = pool.drain({ deadline: 60000 });
    Atomics.store(cells, 1, 1);
    Atomics.notify(cells, 1);
    console.log(figures(await drained), await stuck);
}

// At once.
{
    let stuck, queued;
    {
        using pool = (stuck = await stuckPool(1)).pool;
        queued = failed(pool.run({ n: 1 }));
    }
    console.log(await stuck.stuck, await queued);
}
for (const deadline of [-1, NaN, 'soon'])
    console.log(await failed(new Pool(wait, { size: 1 }).drain({ deadline })));
