// A SharedArrayBuffer goes both ways, and its memory outlives who made it.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { once } = require('events');

if (!isMainThread) {
    if (workerData.mine !== undefined) {
        const cells = new Int32Array(workerData.mine);
        for (let i = 0; i < 10000; i++)
            Atomics.add(cells, 0, 1);
        parentPort.postMessage('added');
    } else {
        const memory = new SharedArrayBuffer(8);
        new Int32Array(memory)[1] = 77;
        parentPort.postMessage({ memory, view: new Uint8Array(memory, 4, 2) });
    }
} else {
    (async () => {
        const mine = new SharedArrayBuffer(4);
        const workers = [1, 2, 3].map(() => new Worker(__filename, { workerData: { mine } }));
        await Promise.all(workers.map((worker) => once(worker, 'exit')));
        console.log(new Int32Array(mine)[0]);
        const worker = new Worker(__filename, { workerData: {} });
        const [{ memory, view }] = await once(worker, 'message');
        await once(worker, 'exit');
        console.log(new Int32Array(memory)[1], view, view.buffer === memory);
        console.log(memory instanceof SharedArrayBuffer, memory.byteLength);
    })();
}
