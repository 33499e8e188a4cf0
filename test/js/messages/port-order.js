// When messages come: after timers, before immediates, and microtasks between.
const { MessageChannel } = require('worker_threads');
const { port1, port2 } = new MessageChannel();
let count = 0;
port2.on('message', (message) => {
    console.log('message', message);
    process.nextTick(() => console.log('tick of', message));
    Promise.resolve().then(() => console.log('job of', message));
    queueMicrotask(() => console.log('microtask of', message));
    if (++count === 4)
        port2.close();
});
port2.on('close', () => console.log('closed'));
port1.on('close', () => console.log('other closed'));
port1.ref();
port1.postMessage('a');
port1.postMessage('b');
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('job'));
port1.postMessage('c');
setImmediate(() => {
    console.log('immediate');
    port1.postMessage('d');
});
console.log('end of script');
