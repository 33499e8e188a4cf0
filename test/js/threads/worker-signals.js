// A signal is the main thread's, even if workers were there before the listener.
'use strict';
const { Worker } = require('worker_threads');
const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
worker.on('online', () => {
    let left = 20;
    process.on('SIGUSR2', (signal) => {
        if (--left > 0) {
            process.kill(process.pid, signal);
            return;
        }
        console.log('all', signal);
        worker.terminate();
    });
    process.kill(process.pid, 'SIGUSR2');
});
