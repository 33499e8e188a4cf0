// weir only
// weir:pool: workers that end while they run and while they wait, tasks that are
// given up, pools that are drained, late or disposed of: each task ends once.
import { Pool } from 'weir:pool';

let seed = 11;
const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;

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
        const how = ['exit', 'later'][random(100)];
        controllers[i] = new AbortController();
        runs[i] = pool.run({ cells, i, how }, {
            signal: random(2) === 0 ? controllers[i].signal : undefined,
            priority: ['high', 'normal', 'low'][random(3)],
        });
        runs[i].catch(() => {});
        if (random(4) === 0)
            controllers[random(i + 1)].abort();
        if (random(50) === 0)
            await new Promise((done) => setTimeout(done, 1));
    }
    if (ending === 'dispose')
        pool[Symbol.dispose]();
    else if (ending === 'deadline')
        await pool.drain({ deadline: random(10) });
    const outcomes = await Promise.allSettled(runs);
    await pool.drain();
    const { submitted, completed, failed, cancelled, pending, queued } = pool.stats;
    check('all are settled', pending === 0 && submitted === count);
    check('each in one way', completed + failed + cancelled === submitted);
    check('nothing is left', queued === 0);
    outcomes.forEach(({ status }, i) => {
        const times = Atomics.load(cells, i);
        check('none ran twice', times <= 1);
        check('what is done has run', status !== 'fulfilled' || times === 1);
    });
}

for (const ending of ['drain', 'deadline', 'dispose', 'drain'])
    for (const size of [1, 3])
        await round(150 + random(150), size, ending);
console.log('done');
