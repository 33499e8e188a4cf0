// What is transferred leaves, once, and comes whole.
const { MessageChannel, receiveMessageOnPort } = require('worker_threads');
const { port1, port2 } = new MessageChannel();
const take = () => receiveMessageOnPort(port2)?.message;

for (const size of [0, 1, 100, 70000, 1 << 20]) {
    const buffer = new ArrayBuffer(size);
    if (size > 0)
        new Uint8Array(buffer)[size - 1] = 9;
    port1.postMessage({ buffer, view: new Uint8Array(buffer) }, [buffer]);
    let { buffer: got, view } = take();
    console.log(buffer.byteLength, got.byteLength, view.buffer === got, view[size - 1]);
    for (let i = 0; i < 3; i++) { // again and again, back and forth
        port1.postMessage(got, [got]);
        got = take();
    }
    console.log(got.byteLength, new Uint8Array(got)[size - 1]);
}

const grown = new ArrayBuffer(8, { maxByteLength: 100000 });
const tracking = new Uint8Array(grown);
port1.postMessage([grown, tracking], [grown]);
const [moved, follows] = take();
moved.resize(100000);
console.log(moved.byteLength, follows.length, grown.byteLength, follows.buffer === moved);
port1.postMessage(moved, [moved]);
const last = take();
last.resize(16);
console.log(last.byteLength, last.maxByteLength, last.resizable);

// In vain: then nothing has left.
const kept = new ArrayBuffer(4);
try {
    port1.postMessage([kept, () => {}], [kept]);
} catch (error) {
    console.log(error.name, kept.byteLength, take());
}

// Ports through ports, with what is in them.
let { port1: near, port2: far } = new MessageChannel();
near.postMessage('first');
for (let i = 0; i < 5; i++) {
    port1.postMessage({ far }, [far]);
    far = take().far;
    near.postMessage(i);
}
const list = [];
for (let got; (got = receiveMessageOnPort(far)) !== undefined;)
    list.push(got.message);
console.log(list);
far.once('message', (message) => {
    console.log('live', message);
    far.close();
});
near.on('close', () => console.log('near closed'));
near.ref();
near.postMessage('last');
