// weir only
// weir:pool: what cannot be a task is refused at once, and run() never throws.
import { Pool } from 'weir:pool';

function refused(task, options) {
    try {
        using pool = new Pool(task, options);
        console.log('taken', pool.size);
    } catch ({ code, message, cause }) {
        console.log(code, message.split('\\n')[0], cause?.name);
    }
}

const object = { method(n) { return n; }, async later(n) { return n; }, get got() { return 1; } };
for (const task of [Math.max, ((n) => n).bind(null), object.method, object.later,
    Object.getOwnPropertyDescriptor(object, 'got').get, new URL('http://x/task.mjs')])
    refused(task);
for (const task of [(n) => n, async (n) => n, function named(n) { return n; }])
    refused(task, { size: 1 });
for (const options of [null, 5, [], { priorities: ['a', 'a'] }, { priorities: [undefined] },
    { priorities: ['a', 5] }, { resourceLimits: 5 }])
    refused((n) => n, options);

await using pool = new Pool((n) => n, { size: 1 });
for (const options of [null, 5, 'x', [], { get priority() { throw new Error('a getter'); } }, { priority: 'none' }]) {
    const promise = pool.run(1, options); // a promise, whatever it is given
    await promise.catch(({ message }) => console.log(message));
}
await Pool.prototype.run.call({}, 1).catch(({ name }) => console.log(name));
console.log(await pool.run(1, undefined), pool.stats.submitted);
