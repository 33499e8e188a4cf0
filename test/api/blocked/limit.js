// A worker that may not be blocked for long.
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) {
    const worker = new Worker(__filename, { resourceLimits: { maxBlockedMs: 50 } });
    worker.on('error', (error) => console.log(error.code, error.message));
    worker.on('exit', (code) => console.log('exit', code));
} else {
    setTimeout(() => {
        for (;;) // here
            ;
    }, 1);
}
