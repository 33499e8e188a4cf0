// worker.terminate(callback), and the process's event for a new worker.
// stderr: DEP0132
'use strict';
const { Worker } = require('worker_threads');

process.on('worker', (made) => console.log('made', made === worker));
process.on('warning', ({ name, code, message }) => console.log(name, code, message));
const worker = new Worker('setInterval(() => {}, 1e6)', { eval: true });
console.log('constructed');
worker.on('exit', (code) => console.log('exit', code));
worker.on('online', () => {
    const promise = worker.terminate((error, code) => console.log('callback', error, code));
    promise.then((code) => {
        console.log('promise', code);
        worker.terminate(() => console.log('never')).then((again) => console.log('again', again));
    });
});
