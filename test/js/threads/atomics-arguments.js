// What Atomics.wait, waitAsync and notify are given, in the order of ECMA-262.
'use strict';
for (const name of ['wait', 'waitAsync', 'notify'])
    console.log(name, Atomics[name].length, Atomics[name].name,
        Object.getOwnPropertyDescriptor(Atomics, name));

const shared = new Int32Array(new SharedArrayBuffer(16));
const big = new BigInt64Array(new SharedArrayBuffer(16));
const own = new Int32Array(4);
const detached = new Int32Array(new ArrayBuffer(16));
structuredClone(detached.buffer, { transfer: [detached.buffer] });

let order;
const say = (name, value) => ({ valueOf() { order.push(name); return value; } });
const fail = (name) => ({ valueOf() { order.push(name); throw new EvalError(name); } });

function attempt(what, f) {
    order = [];
    try {
        const result = f();
        console.log(what, typeof result === 'object' ? { ...result, value: String(result.value) } : result,
            order.join());
    } catch (error) {
        console.log(what, error.name, order.join());
    }
}

for (const name of ['waitAsync', 'notify']) {
    const f = Atomics[name];
    attempt(`${name}()`, () => f());
    attempt(`${name} []`, () => f([], say('index', 0)));
    for (const Type of [Uint32Array, Float64Array, BigUint64Array, DataView, Uint8ClampedArray])
        attempt(`${name} ${Type.name}`, () => f(new Type(new SharedArrayBuffer(16)), say('index', 0)));
    attempt(`${name} Proxy`, () => f(new Proxy(shared, {}), 0));
    attempt(`${name} own`, () => f(own, say('index', 0), say('value', 0), say('timeout', 0)));
    attempt(`${name} detached`, () => f(detached, say('index', 0), say('value', 0)));
    for (const index of [-1, 4, Infinity, 2 ** 53, '4', Symbol.iterator, 1n])
        attempt(`${name} index ${String(index)}`, () => f(shared, index, say('value', 0)));
    for (const index of [undefined, null, NaN, -0, 3.9, '0x1', 'x', {}, [2]])
        attempt(`${name} index ${String(index)}`, () => f(shared, index, say('value', 0), say('timeout', 0)));
    attempt(`${name} index throws`, () => f(shared, fail('index'), say('value', 0)));
    attempt(`${name} value throws`, () => f(shared, say('index', 0), fail('value'), say('timeout', 0)));
    attempt(`${name} value symbol`, () => f(shared, 0, Symbol(), say('timeout', 0)));
    attempt(`${name} all`, () => f(shared, say('index', 9), say('value', 0), say('timeout', 0)));
}
attempt('timeout throws', () => Atomics.waitAsync(shared, say('index', 0), say('value', 1), fail('timeout')));
attempt('timeout bigint', () => Atomics.waitAsync(shared, 0, 1, 1n));
attempt('big, number', () => Atomics.waitAsync(big, 0, 0, say('timeout', 0)));
attempt('big, string', () => Atomics.waitAsync(big, 0, '0', say('timeout', 0)));
attempt('int, bigint', () => Atomics.waitAsync(shared, 0, 0n, 0));
for (const timeout of [0, -1, -Infinity, -0.5, null, '', '0', false, []])
    attempt(`timeout ${timeout}`, () => Atomics.waitAsync(shared, 0, 0, timeout));
for (const value of [undefined, null, NaN, 2 ** 32, -0, '0', 0.9, true])
    attempt(`value ${value}`, () => Atomics.waitAsync(shared, 0, value, 0));
big[1] = 2n ** 63n - 1n;
attempt('big wraps', () => Atomics.waitAsync(big, 1, 2n ** 64n + 2n ** 63n - 1n, 0));
attempt('big differs', () => Atomics.waitAsync(big, 1, -1n, 0));

// Own properties of the array are not asked.
const lying = new Int32Array(new SharedArrayBuffer(4));
for (const key of ['length', 'buffer', 'byteOffset', 'constructor'])
    Object.defineProperty(lying, key, { get() { order.push(key); return 99; } });
attempt('lying', () => Atomics.waitAsync(lying, 1, 0, 0));
attempt('lying', () => Atomics.waitAsync(lying, 0, 0, 0));
attempt('lying', () => Atomics.notify(lying, 0));

// A view in the middle of its buffer.
const view = new Int32Array(shared.buffer, 4, 2);
attempt('view', () => Atomics.waitAsync(view, 2, 0, 0));
Atomics.waitAsync(view, 1, 0, 10000).value.then((text) => console.log('view', text));
console.log(Atomics.notify(shared, 1), Atomics.notify(new Int32Array(shared.buffer), 2));

for (const count of [0, -1, -Infinity, NaN, '', null, 0.9, '2', 1.9, Infinity, undefined]) {
    const waits = [1, 2, 3].map(() => Atomics.waitAsync(shared, 3, 0, 10000));
    console.log(`count ${count}`, waits.every(({ async }) => async),
        Atomics.notify(shared, 3, count), Atomics.notify(shared, 3));
}
