// 8 workers, 10,000 messages each, both ways: each once, in its order.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const COUNT = 10000;

if (!isMainThread) {
    let next = 0;
    parentPort.on('message', (message) => {
        if (message.from !== 'main' || message.number !== next++)
            throw new Error(`${message.number} instead of ${next - 1}`);
        parentPort.postMessage({ from: workerData, number: message.number });
        if (next === COUNT)
            parentPort.close();
    });
} else {
    const got = new Array(8).fill(0);
    let left = got.length;
    for (const id of got.keys()) {
        const worker = new Worker(__filename, { workerData: id });
        for (let number = 0; number < COUNT; number++)
            worker.postMessage({ from: 'main', number });
        worker.on('message', ({ from, number }) => {
            if (from !== id || number !== got[id]++)
                console.log('wrong', from, number);
        });
        worker.on('exit', () => {
            if (--left === 0)
                console.log(got.join());
        });
    }
}
