// weir only: in Node the error overtakes the messages.
const { Worker } = require('worker_threads');
const worker = new Worker(`const { parentPort } = require('worker_threads');
    for (let i = 0; i < 1000; i++)
        parentPort.postMessage(i);
    throw new Error('last');`, { eval: true });
const log = [];
worker.on('online', () => log.push('online'));
worker.on('message', (number) => log.push(number));
worker.on('error', (error) => log.push(error.message));
worker.on('exit', (code) => {
    console.log(log[0], log.slice(1, -1).every((number, i) => number === i),
        log.length, log.at(-1), code);
});
