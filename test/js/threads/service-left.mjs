// weir only
// A service whose threads have all ended is still there while it runs: who has its
// handle finds it.
import { Service } from 'weir:service';
import { Worker } from 'node:worker_threads';

const worker = new Worker(`
    const { Service } = require('weir:service');
    const service = new Service();
    service.start();
    service.tryEnter('left behind');
    require('worker_threads').parentPort.postMessage(service.handle);`, { eval: true });
let handle;
worker.on('message', (message) => { handle = message; });
worker.on('exit', async () => {
    const service = Service.from(handle);
    console.log(service.state, service.inflight);
    console.log(service.tryEnter('another').exit());
    console.log((await service.drain()).state, service.state);
});
