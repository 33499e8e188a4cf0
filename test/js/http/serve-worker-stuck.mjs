// weir only
// exit: 1
// stderr: weir: worker 1 has not stopped by its deadline and is terminated
// A worker that never returns to its loop cannot drain: it is terminated.
import { serve } from 'weir:http';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';

if (isMainThread) {
    const worker = new Worker(new URL(import.meta.url));
    worker.once('message', (port) => {
        worker.once('message', () => process.kill(process.pid, 'SIGTERM'));
        fetch(`http://127.0.0.1:${port}/`).catch(() => {});
    });
    worker.on('exit', (code) => console.log('the worker has exited with', code));
} else {
    const server = await serve({ port: 0, hostname: '127.0.0.1', drain: { deadline: 10 },
        fetch() {
            parentPort.postMessage('inside');
            for (;;)
                ;
        } });
    parentPort.postMessage(server.port);
}
