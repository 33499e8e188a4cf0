// A worker, and a worker of that, use files as the main thread does.
const { Worker, isMainThread, workerData } = require('worker_threads');
const { readFile } = require('fs').promises;

readFile(__filename, 'utf8').then((text) => {
    const depth = isMainThread ? 0 : workerData;
    console.log(depth, text.startsWith('// A worker'));
    if (depth < 2)
        new Worker(__filename, { workerData: depth + 1 })
            .on('exit', (code) => console.log(depth, 'exit', code));
});
