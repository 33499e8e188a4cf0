// weir only
// weir:pool: what is given up in the queue never runs; all else runs once.
import { Pool } from 'weir:pool';
import { Random } from '../support/random.cjs';

const random = new Random();
random.expect('outcome', ['completed', 'cancelled']);
const work = ({ cells, i, gate }) => {
    if (gate !== undefined) {
        Atomics.add(cells, i, 1);
        Atomics.notify(cells, i);
        Atomics.wait(cells, gate, 0);
    } else {
        Atomics.add(cells, i, 1);
    }
    return i;
};
const settled = async (runs) => (await Promise.allSettled(runs)).map(({ status }) => status[0]);

// While all workers are busy: exactly those that are left run.
{
    const COUNT = 3000, GATE = COUNT, BEGUN = COUNT + 1;
    const cells = new Int32Array(new SharedArrayBuffer(4 * (COUNT + 2)));
    await using pool = new Pool(work, { size: 3 });
    const busy = [0, 1, 2].map(() => pool.run({ cells, i: BEGUN, gate: GATE }));
    for (let seen; (seen = Atomics.load(cells, BEGUN)) < 3;)
        await Atomics.waitAsync(cells, BEGUN, seen).value;
    const controllers = [], runs = [];
    for (let i = 0; i < COUNT; i++) {
        controllers[i] = new AbortController();
        runs[i] = pool.run({ cells, i }, { signal: controllers[i].signal,
            priority: ['high', 'normal', 'low'][i % 3] });
    }
    console.log(pool.stats.queued, pool.stats.pending);
    for (let i = 0; i < COUNT; i++)
        if (i % 5 !== 0)
            controllers[i].abort();
    controllers[1].abort();
    console.log(pool.stats.queued, pool.stats.pending, pool.stats.cancelled);
    Atomics.store(cells, GATE, 1);
    Atomics.notify(cells, GATE);
    const how = await settled(runs);
    console.log(how.filter((one) => one === 'f').length,
        how.every((one, i) => (one === 'f') === (i % 5 === 0) && (one === 'f') === (cells[i] === 1)));
    await Promise.all(busy);
    const { submitted, completed, cancelled, queued, pending } = pool.stats;
    console.log({ submitted, completed, cancelled, queued, pending });
}

// While they run and steal: each is fulfilled or given up, and none runs twice.
{
    const COUNT = 4000;
    const cells = new Int32Array(new SharedArrayBuffer(4 * COUNT));
    await using pool = new Pool(work, { size: 4 });
    const controllers = [], runs = [];
    for (let i = 0; i < COUNT; i++) {
        controllers[i] = new AbortController();
        runs[i] = pool.run({ cells, i }, { signal: controllers[i].signal });
        runs[i].catch(() => {});
        if (random.happens('abort', 2))
            controllers[random.below(i + 1)].abort();
        if (i % 200 === 0)
            await runs[i].catch(() => {});
    }
    const how = await settled(runs);
    await pool.drain();
    console.log(how.every((one, i) => one === 'f' ? cells[i] === 1 : cells[i] <= 1));
    const { submitted, completed, failed, cancelled, queued, pending } = pool.stats;
    random.note('outcome', 'completed', completed);
    random.note('outcome', 'cancelled', cancelled);
    console.log(submitted === completed + cancelled, failed, queued, pending,
        completed === how.filter((one) => one === 'f').length);
}
