const { parentPort, workerData, isMainThread, MessageChannel } = require('worker_threads');
const lines = [];
const log = (...words) => lines.push(words.join(' '));
log('script', isMainThread, ...workerData);
setTimeout(() => {
    log('timeout');
    process.nextTick(log, 'tick of timeout');
    Promise.resolve().then(() => log('job of timeout'));
    setImmediate(() => {
        log('immediate of timeout');
        process.nextTick(log, 'tick of immediate');
        queueMicrotask(() => log('job of immediate'));
    });
    setImmediate(log, 'second immediate');
}, 1);
setTimeout(log, 2, 'second timeout');
const start = Date.now();
while (Date.now() - start < 10); // both are due
process.nextTick(() => { log('tick'); Promise.resolve().then(() => log('job of tick')); });
Promise.resolve().then(() => { log('job'); process.nextTick(log, 'tick of job'); });
(async () => { log('async'); await null; log('after await'); })();
const { port1, port2 } = new MessageChannel();
port1.on('message', (message) => {
    log('message', message);
    process.nextTick(log, 'tick of message');
    Promise.resolve().then(() => log('job of message'));
    if (message === 3) {
        port1.close();
        port1.once('close', () => parentPort.postMessage(lines));
    }
});
setTimeout(() => { for (const i of [1, 2, 3]) port2.postMessage(i); log('sent'); }, 50);
