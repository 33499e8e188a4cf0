// weir only
// One service, all threads of a program.
'use strict';
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { once } = require('node:events');
const { Service } = require('weir:service');

const jobs = {
    // Enters again and again until it is refused.
    async work(service) {
        for (let done = 0; ; done++)
            try {
                await service.run(() => new Promise(setImmediate), 'work');
                if (done === 0)
                    parentPort.postMessage('works');
            } catch ({ code }) {
                await service.closed;
                parentPort.postMessage(`${code} ${service.state}`);
                return;
            }
    },
    // Never comes out by itself.
    hold(service) {
        service.tryEnter('held by the worker');
        parentPort.postMessage('inside');
        setInterval(() => {}, 1000);
    },
};

async function main() {
    const service = new Service();
    // By its handle, or as it is: a clone carries the handle.
    const start = (job) => new Worker(__filename, { workerData: { job, service } });
    const startByHandle = (job) =>
        new Worker(__filename, { workerData: { job, service: service.handle } });

    service.start();
    const workers = [start('work'), startByHandle('work')];
    for (const first of workers.map((worker) => once(worker, 'message')))
        console.log(...await first);
    const holder = start('hold');
    console.log(...await once(holder, 'message'));

    const answers = workers.map((worker) => once(worker, 'message'));
    const { state, holders } = await service.drain({ deadline: 20 });
    const held = holders.find(({ name }) => name === 'held by the worker');
    console.log(state, held.thread === holder.threadId);
    holder.terminate(); // what it did is over
    console.log((await service.drain()).state);
    for (const answer of answers)
        console.log(...await answer);
}

if (isMainThread)
    main();
else
    jobs[workerData.job](Service.from(workerData.service));
