// Atomics.wait in a worker, until the main thread has heard of it.
const { Worker, isMainThread, workerData } = require('worker_threads');
if (isMainThread) {
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(__filename, { workerData: shared });
    process.on('blocked', ({ stage, loop, cause, state }) => {
        if (stage === 'began') {
            console.log(loop, cause, state);
            Atomics.store(shared, 0, 1);
            Atomics.notify(shared, 0);
        }
    });
    worker.on('exit', (code) => console.log('exit', code));
} else {
    setTimeout(() => {
        Atomics.wait(workerData, 0, 0); // here
    }, 1);
}
