// Properties that hide the getters of buffers and views are never called, so
// they cannot detach or close what is about to be transferred.
'use strict';
const { Worker, MessageChannel } = require('worker_threads');

// Make every property that describes a buffer call fn.
function trap(object, fn) {
    for (const key of ['resizable', 'growable', 'maxByteLength', 'byteLength',
        'detached', 'buffer', 'byteOffset', 'length'])
        Object.defineProperty(object, key, { get() { fn(); return 1; } });
    return object;
}

function lengthOf(buffer) {
    const { get } = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength');
    return get.call(buffer);
}

let open = 2;

function never() {
    console.log('called');
}

for (const size of [8, 1 << 20]) {
    const first = new ArrayBuffer(size);
    const second = trap(new ArrayBuffer(size), () => {
        never();
        structuredClone(first, { transfer: [first] });
    });
    const copy = structuredClone([first, second], { transfer: [first, second] });
    console.log(copy.map(lengthOf), lengthOf(first), lengthOf(second));

    const { port1, port2 } = new MessageChannel();
    const { port1: sent, port2: other } = new MessageChannel();
    const buffer = trap(new ArrayBuffer(size), () => {
        never();
        sent.close();
    });
    port2.on('message', ([port, { byteLength }]) => {
        console.log('received', port.constructor.name, byteLength);
        port.close();
        port2.close();
    });
    port1.postMessage([sent, buffer], [sent, buffer]);
    other.on('close', () => {
        console.log('closed');
        if (--open === 0)
            worker.postMessage('print'); // after all of this
    });
}

// The same for a buffer that can be resized, and views of it.
const resizable = trap(new ArrayBuffer(8, { maxByteLength: 16 }), never);
const views = [trap(new Uint8Array(resizable), never), trap(new Uint16Array(resizable, 2, 2), never),
    trap(new DataView(resizable, 1, 3), never)];
const copies = structuredClone(views);
console.log(copies.map((view) => [view.byteOffset, view.byteLength]));
copies[0].buffer.resize(16);
console.log(copies.map((view) => [view.byteOffset, view.byteLength]));
console.log(lengthOf(structuredClone(resizable, { transfer: [resizable] })));
console.log(structuredClone(trap(new Uint32Array(2), never)));

// Getters and constructors that were replaced.
for (const key of ['resizable', 'maxByteLength', 'detached'])
    Object.defineProperty(ArrayBuffer.prototype, key, { get: never });
const saved = { ...Object.fromEntries(['Map', 'Set', 'Date', 'RegExp', 'DataView',
    'Uint8Array'].map((name) => [name, globalThis[name]])) };
const values = [new Map([[1, 2]]), new Set([3]), new Date(4), /5/g, new DataView(new ArrayBuffer(6)),
    new Uint8Array(new ArrayBuffer(7, { maxByteLength: 8 }))];
for (const name of Object.keys(saved))
    globalThis[name] = never;
const again = structuredClone(values);
Object.assign(globalThis, saved);
console.log(again.map((value, i) => value.constructor === values[i].constructor));

const moved = new ArrayBuffer(8), given = trap(new ArrayBuffer(8), () => moved.transfer?.());
const worker = new Worker('const { parentPort, workerData: [a, b] } = require("worker_threads");' +
    'parentPort.once("message", () => console.log(a.byteLength, b.byteLength))',
    { eval: true, workerData: [moved, given], transferList: [moved, given] });
