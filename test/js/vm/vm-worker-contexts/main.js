// Contexts in workers: values, terminate() in the middle, a limit of memory.
'use strict';
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const vm = require('node:vm');

if (isMainThread) {
    const start = (workerData) => new Promise((resolve) => {
        const worker = new Worker(__filename, { workerData,
            resourceLimits: workerData === 'memory' ? { maxOldGenerationSizeMb: 16 } : {} });
        const said = [];
        worker.on('message', (message) => {
            said.push(message);
            if (message === 'busy')
                worker.terminate();
        });
        worker.on('error', (error) => said.push(error.name, error.code ?? error.message));
        worker.on('exit', () => resolve(said));
    });
    (async () => {
        for (const what of ['values', 'busy', 'throw', 'memory'])
            console.log(what, await start(what));
    })();
} else if (workerData === 'values') {
    parentPort.postMessage(vm.runInNewContext('({ a: [1, new Map([[1, new Date(0)]])] })'));
} else if (workerData === 'busy') {
    const sandbox = vm.createContext({ say: () => parentPort.postMessage('busy') });
    vm.runInContext('say(); try { for (;;); } finally { say() }', sandbox, { timeout: 1e8 });
} else if (workerData === 'throw') {
    vm.runInNewContext('throw new TypeError("x")');
} else {
    vm.runInNewContext('for (const all = [];;) all.push(new Array(1e5).fill(all))');
}
