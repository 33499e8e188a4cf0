// weir only: a worker's output is there while the main thread is busy.
const { Worker, isMainThread, workerData } = require('worker_threads');

if (isMainThread) {
    const written = new Int32Array(new SharedArrayBuffer(4));
    new Worker(__filename, { workerData: written });
    while (Atomics.load(written, 0) === 0);
    process.stdout.write('main: it was written meanwhile\n');
} else {
    console.log('worker: %d', 1);
    console.log('worker: %o', 2);
    process.stdout.write('worker: 3\n');
    Atomics.store(workerData, 0, 1);
}
