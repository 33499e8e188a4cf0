// weir only
// exit: 1
// stderr: weir: worker 1 (slow): serve http://127.0.0.1:
// A request of a worker that is open at the deadline is cut off, and the program
// says whose it was.
import { serve } from 'weir:http';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';

if (isMainThread) {
    const worker = new Worker(new URL(import.meta.url), { name: 'slow' });
    worker.once('message', (port) => {
        worker.once('message', () => process.kill(process.pid, 'SIGINT'));
        fetch(`http://127.0.0.1:${port}/`).then(({ status }) => console.log(status), () => {});
    });
    worker.on('exit', (code) => console.log('the worker has exited with', code));
} else {
    const server = await serve({ port: 0, hostname: '127.0.0.1', drain: { deadline: 100 },
        fetch() {
            parentPort.postMessage('inside');
            return new Promise(() => {});
        } });
    parentPort.postMessage(server.port);
}
