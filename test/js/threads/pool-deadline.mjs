// weir only
// weir:pool: deadlines that are no end, and that are no number.
import { Pool } from 'weir:pool';

const cells = new Int32Array(new SharedArrayBuffer(4));

for (const deadline of [undefined, Infinity, 2 ** 31, 1e300]) {
    Atomics.store(cells, 0, 0);
    const pool = new Pool((cells) => { Atomics.wait(cells, 0, 0); return 'done'; }, { size: 1 });
    const run = pool.run(cells).catch(({ code }) => code);
    const drained = pool.drain({ deadline });
    setTimeout(() => {
        Atomics.store(cells, 0, 1);
        Atomics.notify(cells, 0);
    }, 10);
    const { isLate, completed } = await drained;
    console.log(isLate, completed, await run);
}

const pool = new Pool((n) => n, { size: 1 });
for (const options of [null, 5, 'x', { deadline: null }, { deadline: '10' }, { deadline: 10n },
    { deadline: NaN }, { deadline: -1 }, { get deadline() { throw new Error('a getter'); } }])
    await pool.drain(options).catch(({ message }) => console.log(message));
console.log(await pool.run('still open'));
console.log((await pool.drain({ deadline: 0 })).isLate);
