// structuredClone of views that follow their buffer, and of those that have lost
// it.
'use strict';

const attempt = (name, run) => {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message);
    }
};
function outside(View, ...range) {
    const buffer = new ArrayBuffer(8, { maxByteLength: 16 });
    const view = new View(buffer, ...range);
    buffer.resize(3);
    return view;
}
for (const [View, ...range] of [[Uint8Array, 4, 4], [DataView, 4, 4], [Uint8Array, 4], [DataView, 4],
    [Float64Array, 0, 1], [Uint8Array, 0, 4]]) {
    attempt(`${View.name} ${range}`, () => structuredClone(outside(View, ...range)));
    attempt('inside', () => structuredClone({ view: outside(View, ...range) }));
}
for (const View of [DataView, Uint8Array, Uint16Array]) {
    const buffer = new ArrayBuffer(8, { maxByteLength: 16 });
    const { view } = structuredClone({ view: new View(buffer, 2) });
    console.log(view.byteLength);
    view.buffer.resize(12);
    console.log(view.byteLength, view.byteOffset, view.buffer.maxByteLength);
    const fixed = structuredClone(new View(buffer, 2, 2));
    fixed.buffer.resize(12);
    console.log(fixed.byteLength);
}
const moved = new ArrayBuffer(8, { maxByteLength: 16 });
const follower = structuredClone(new DataView(moved, 2), { transfer: [moved] });
console.log(follower.byteLength, moved.byteLength);
follower.buffer.resize(16);
console.log(follower.byteLength);
for (const View of [Uint8Array, DataView]) {
    const buffer = new ArrayBuffer(8), view = new View(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    attempt(`detached ${View.name}`, () => structuredClone(view));
}
