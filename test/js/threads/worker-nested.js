// Workers of workers; one that ends takes its own along.
const { Worker, isMainThread, parentPort, workerData, threadId } = require('worker_threads');

if (isMainThread) {
    const worker = new Worker(__filename, { workerData: 3 });
    worker.on('message', (message) => console.log(message));
    worker.on('exit', (code) => {
        console.log('exit', code);
        const second = new Worker(__filename, { workerData: 2, argv: ['stay'] });
        second.on('message', () => second.terminate());
        second.on('exit', (code) => console.log('exit', code));
    });
} else if (workerData > 0) {
    const inner = new Worker(__filename, { workerData: workerData - 1, argv: process.argv.slice(2) });
    inner.on('message', (list) => parentPort.postMessage([workerData, ...list]));
    inner.on('exit', (code) => parentPort.postMessage([workerData, 'exit', code]));
} else {
    parentPort.postMessage([0, isMainThread, threadId > 0]);
    if (process.argv[2] === 'stay')
        for (;;);
}
