// The main module of a worker, which ends when the test has seen it.
const { Worker, isMainThread, workerData } = require('worker_threads');
if (isMainThread) {
    process.on('blocked', ({ stage, loop, kind, subject }) => {
        if (stage === 'began' && loop !== 'main')
            console.log(loop, kind, subject);
    });
    new Worker(__filename, { workerData: process.argv[2] });
} else {
    const fs = require('fs');
    while (!fs.existsSync(workerData)) // here
        ;
}
