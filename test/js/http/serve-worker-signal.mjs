// weir only
// A signal drains the servers of workers, and of their workers: requests that are
// open are answered, then each worker exits, and the program with 0.
import { serve } from 'weir:http';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const start = (depth) => new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: depth, name: `at ${depth}` });
    worker.on('exit', (code) => console.log(`the worker at ${depth} has exited with ${code}`));
    worker.once('message', resolve);
});

if (isMainThread) {
    const port = await start(2);
    const others = await Promise.all(['/2', '/1'].map(async (path) => {
        const response = await fetch(`http://127.0.0.1:${port[path]}${path}`);
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        const first = (await reader.read()).value;
        const rest = reader.read().then(({ value }) => console.log(first, value));
        return { rest };
    }));
    process.on('exit', (code) => console.log('exit', code));
    process.kill(process.pid, 'SIGTERM');
    await Promise.all(others.map(({ rest }) => rest));
} else {
    process.on('exit', () => console.log(`exit of ${workerData}`));
    const ports = workerData > 1 ? await start(workerData - 1) : {};
    const server = await serve({ port: 0, hostname: '127.0.0.1', fetch(request, { draining }) {
        return new Response((async function* () {
            yield 'begun';
            await new Promise((resolve) => draining.addEventListener('abort', resolve));
            yield 'told';
        })());
    } });
    parentPort.postMessage({ ...ports, [`/${workerData}`]: server.port });
}
