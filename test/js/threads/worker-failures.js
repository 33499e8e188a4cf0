// What goes wrong in one thread is that thread's alone, with file and line.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

if (!isMainThread) {
    switch (workerData) {
    case 'throws':
        throw new RangeError('from a worker');
    case 'rejects':
        Promise.reject(new TypeError('nobody handles it'));
        break;
    case 'overflows': {
        const dive = () => dive() + 1;
        dive();
        break;
    }
    case 'late':
        setTimeout(() => { null.x; }, 1);
        break;
    default:
        parentPort.on('message', (number) => {
            parentPort.postMessage(number + 1);
            if (number === 9)
                parentPort.close();
        });
    }
} else {
    const lines = {};
    let left = 5;
    const goOn = new Worker(__filename);
    const done = () => {
        if (--left > 0)
            return;
        for (const key of ['throws', 'rejects', 'overflows', 'late', 'number'])
            console.log(key, lines[key]);
    };
    let number = 0;
    goOn.postMessage(0);
    goOn.on('message', (next) => { number = next; if (next < 10) goOn.postMessage(next); });
    goOn.on('exit', (code) => { lines.number = [number, code]; done(); });
    for (const kind of ['throws', 'rejects', 'overflows', 'late']) {
        const worker = new Worker(__filename, { workerData: kind });
        worker.on('error', (error) => {
            const place = /worker-failures\.js:(\d+)/.exec(error.stack);
            lines[kind] = [error instanceof Error, kind === 'late' ? error.name
                : kind === 'overflows' ? typeof error.message : error.message, place?.[1]];
        });
        worker.on('exit', (code) => { lines[kind].push(code); done(); });
    }
}
