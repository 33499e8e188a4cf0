// Workers that are terminated while modules wait at their top level: whoever
// refers to the module's promise then, nothing of it is used once it is gone.
'use strict';
const { Worker } = require('worker_threads');

const BODIES = [
    "(async () => { for (let i = 0; ; i++) await import('../support/waits.mjs?' + i); })()",
    "globalThis.p = import('../support/waits.mjs?held'); globalThis.p.then(() => globalThis.p)",
    "import('../support/waits.mjs'); import('../support/waits.mjs')",
    "import('../support/waits-below.mjs').then(() => {})",
];

function endOf(body) {
    const worker = new Worker(`${body};
        require('worker_threads').parentPort.postMessage('waits');
        setInterval(() => {}, 1000);`, { eval: true });
    return new Promise((resolve, reject) => {
        worker.on('error', reject);
        worker.on('message', () => setImmediate(() => worker.terminate()));
        worker.on('exit', resolve);
    });
}

(async () => {
    for (const body of BODIES)
        for (let round = 0; round < 5; round++)
            if (await endOf(body) !== 1)
                console.log('it has ended by itself');
    console.log('all were terminated');
})();
