// virtual clock
// waitAsync keeps the program alive, settles on the loop, and in order.
'use strict';
const a = new Int32Array(new SharedArrayBuffer(16));
const big = new BigInt64Array(new SharedArrayBuffer(16));
const begin = performance.now();

const late = Atomics.waitAsync(a, 0, 0, 300);
console.log(late, Object.getPrototypeOf(late) === Object.prototype,
    Object.getOwnPropertyDescriptor(late, 'async'));
late.value.then((text) => {
    const elapsed = performance.now() - begin;
    console.log(text, elapsed >= 300, elapsed < 3000);
});

// First come, first woken; the others stay.
for (let i = 0; i < 5; i++)
    Atomics.waitAsync(a, 1, 0, i % 2 ? 60000 : undefined).value
        .then((text) => console.log(i, text));
console.log('woken', Atomics.notify(a, 1, 2));
setTimeout(() => console.log('woken', Atomics.notify(a, 1)), 20);

// A promise is settled in a turn of the loop, not while notify runs.
Atomics.waitAsync(big, 0, 0n).value.then((text) => console.log('big', text));
console.log('woken', Atomics.notify(big, 0), 'first');
Promise.resolve().then(() => console.log('microtask'));

// A fraction of a millisecond is no zero.
console.log(Atomics.waitAsync(a, 2, 0, 0.001).async);

// What has timed out is not counted any more.
setTimeout(() => console.log('left', Atomics.notify(a, 0)), 400);
