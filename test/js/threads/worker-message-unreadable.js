// weir only: Node emits the worker's error before its messages
// A message that cannot be read is an event of the worker, wherever it is found:
// in its turn, or before the worker's next event.
'use strict';
const { Worker } = require('worker_threads');
const shared = new Int32Array(new SharedArrayBuffer(4));

// Arrays that are longer than their buffers, when they arrive; more than the port
// serves in a turn.
const code = `
const { parentPort, workerData } = require('worker_threads');
for (let i = 0; i < 600; i++) {
    const buffer = new ArrayBuffer(16, { maxByteLength: 16 });
    parentPort.postMessage({ array: new Uint8Array(buffer, 0, 8),
        get shrink() { buffer.resize(0); } }, [buffer]);
}
parentPort.postMessage('readable');
Atomics.store(workerData, 0, 1);
`;

function run(end) {
    return new Promise((done) => {
        const seen = {}, note = (event) => { seen[event] = (seen[event] ?? 0) + 1; };
        shared[0] = 0;
        const worker = new Worker(code + end, { eval: true, workerData: shared });
        worker.on('messageerror', ({ name }) => note(name));
        worker.on('message', note);
        worker.on('error', ({ message }) => note(message));
        worker.on('exit', (status) => {
            console.log(seen, status);
            done();
        });
        // When the loop goes on, all messages are there, and most likely the
        // next event.
        worker.on('online', () => {
            while (Atomics.load(shared, 0) === 0)
                ;
            for (const begin = Date.now(); Date.now() < begin + 50;)
                ;
        });
    });
}

run('throw new Error("thrown");')
    .then(() => run('process.exit(3);'))
    .then(() => run(''));
