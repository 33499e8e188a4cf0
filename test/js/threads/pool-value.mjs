// weir only
// weir:pool: the function gets the one value, whatever it is, and nothing else.
import { Pool } from 'weir:pool';

await using pool = new Pool(function (...all) {
    return [all.length, ...all];
}, { size: 1 });
for (const value of [undefined, null, 5, 'text', [1, 2, 3], { a: 1 }, new Map([[1, 2]])])
    console.log(await pool.run(value));
console.log(await pool.run());

// Several values go as one.
await using sum = new Pool(([a, b], ...rest) => [a + b, rest.length], { size: 1 });
console.log(await sum.run([1, 2]));

// A task that talks to its parent disturbs nobody.
await using loud = new Pool(async (n) => {
    const { parentPort } = await import('worker_threads');
    for (const message of [undefined, 'text', 7, {}, { id: 'x' }, { id: 1e9, serial: 1 }, { id: 0, serial: 7 }])
        parentPort.postMessage(message);
    return n;
}, { size: 1 });
console.log(await loud.run(1), loud.stats.completed);

const failed = (promise) => promise.then((value) => value, (error) => [error.name, error.code]);
console.log(await failed(pool.run(1, { signal: {} })), await failed(pool.run(1, { signal: null })));
console.log(await failed(pool.run(1, { transfer: 5 })), await failed(pool.run(Symbol())));
console.log(pool.stats.pending);

// A value whose getters use the pool, abort, or end it.
{
    await using nested = new Pool((value) => value, { size: 1 });
    let inner;
    const outer = nested.run({ get n() { inner = nested.run('inner'); return 'outer'; } });
    console.log((await outer).n, await inner);
    const one = new AbortController();
    console.log(await failed(nested.run({ get n() { one.abort(); } }, { signal: one.signal })));
    console.log(await failed(nested.run({ get n() { throw new RangeError(); } })));
    console.log(await failed(nested.run({ get n() { nested[Symbol.dispose](); } })), nested.stats.pending);
}
