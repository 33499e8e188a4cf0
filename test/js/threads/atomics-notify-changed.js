// Atomics.notify on arrays whose buffer is detached or has shrunk, also meanwhile.
'use strict';

function attempt(name, run) {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name);
    }
}
const resizable = () => new ArrayBuffer(16, { maxByteLength: 16 });
const detach = (buffer) => { structuredClone(buffer, { transfer: [buffer] }); };

for (const Kind of [Int32Array, BigInt64Array]) {
    console.log(Kind.name);
    attempt('shrunk', () => {
        const buffer = resizable(), array = new Kind(buffer);
        buffer.resize(0);
        return Atomics.notify(array, 0);
    });
    attempt('out of bounds', () => {
        const buffer = resizable(), array = new Kind(buffer, 8, 1);
        buffer.resize(0);
        return Atomics.notify(array, 0);
    });
    attempt('detached', () => {
        const buffer = new ArrayBuffer(16), array = new Kind(buffer);
        detach(buffer);
        return Atomics.notify(array, 0);
    });
    attempt('shrinks', () => {
        const buffer = resizable(), array = new Kind(buffer);
        return Atomics.notify(array, 1, { valueOf() { buffer.resize(0); return 1; } });
    });
    attempt('shrinks early', () => {
        const buffer = resizable(), array = new Kind(buffer);
        return Atomics.notify(array, { valueOf() { buffer.resize(0); return 1; } });
    });
    attempt('is detached meanwhile', () => {
        const buffer = new ArrayBuffer(16), array = new Kind(buffer);
        return Atomics.notify(array, 1, { valueOf() { detach(buffer); return 1; } });
    });
    for (const count of [-1, NaN, Infinity, undefined])
        attempt(`count ${count}`, () => Atomics.notify(new Kind(2), 0, count));
    attempt('range', () => Atomics.notify(new Kind(2), 2));
}
