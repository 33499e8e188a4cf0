// weir only
// weir:pool: workers that end while they run and while they wait, tasks that are
// given up, pools that are drained, late or disposed of: each task ends once.
import { Pool } from 'weir:pool';
import { Random } from '../support/random.cjs';

const random = new Random();
random.expect('outcome', ['completed', 'failed', 'cancelled']);

const task = ({ cells, i, how }) => {
    Atomics.add(cells, i, 1);
    if (how === 'exit')
        process.exit(1);
    if (how === 'later')
        setTimeout(() => { throw new Error('later'); }, 1);
    return i;
};

function check(what, isTrue) {
    if (!isTrue)
        console.log(`not so: ${what}`);
}

async function round(count, size, ending) {
    const cells = new Int32Array(new SharedArrayBuffer(4 * count));
    const pool = new Pool(task, { size });
    const controllers = [], runs = [];
    for (let i = 0; i < count; i++) {
        const how = random.weigh('task', { exit: 1, later: 1, returns: 98 });
        controllers[i] = new AbortController();
        runs[i] = pool.run({ cells, i, how }, {
            signal: random.happens('has a signal', 2) ? controllers[i].signal : undefined,
            priority: random.choose('priority', ['high', 'normal', 'low']),
        });
        runs[i].catch(() => {});
        if (random.happens('abort', 4))
            controllers[random.below(i + 1)].abort();
        if (random.happens('pause', 50))
            await new Promise((done) => setTimeout(done, 1));
    }
    if (ending === 'dispose')
        pool[Symbol.dispose]();
    else if (ending === 'deadline')
        await pool.drain({ deadline: random.below(10) });
    const outcomes = await Promise.allSettled(runs);
    await pool.drain();
    const { submitted, completed, failed, cancelled, pending, queued } = pool.stats;
    check('all are settled', pending === 0 && submitted === count);
    check('each in one way', completed + failed + cancelled === submitted);
    check('nothing is left', queued === 0);
    for (const [outcome, times] of Object.entries({ completed, failed, cancelled }))
        random.note('outcome', outcome, times);
    outcomes.forEach(({ status }, i) => {
        const times = Atomics.load(cells, i);
        check('none ran twice', times <= 1);
        check('what is done has run', status !== 'fulfilled' || times === 1);
    });
}

for (const ending of ['drain', 'deadline', 'dispose', 'drain'])
    for (const size of [1, 3])
        await round(150 + random.below(150), size, ending);
console.log('done');
