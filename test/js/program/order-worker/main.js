// The puzzle in a worker: it has a loop, ticks and jobs of its own.  It sends
// what it saw in one message at its end.
const { Worker } = require('worker_threads');
const path = require('path');
const worker = new Worker(path.join(__dirname, 'worker.js'), { workerData: ['from', 'main'] });
worker.on('online', () => console.log('online'));
worker.on('message', (lines) => console.log(lines.join('\n')));
worker.on('exit', (code) => console.log('exit', code));
