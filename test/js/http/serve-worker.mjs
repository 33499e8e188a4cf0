// weir only
// Servers in workers: several on one port, terminated while they serve, and a
// program that ends with requests open.
import { serve } from 'weir:http';
import { Worker, isMainThread, parentPort, threadId, workerData } from 'node:worker_threads';

if (!isMainThread) {
    const server = await serve({ port: workerData.port, hostname: '127.0.0.1', reusePort: true,
        fetch(request) {
            const { pathname } = new URL(request.url);
            if (pathname === '/hang') {
                parentPort.postMessage('hanging');
                return new Promise(() => {});
            }
            if (pathname === '/busy') {
                parentPort.postMessage('busy');
                for (;;)
                    ;
            }
            return new Response(`${threadId}`, { headers: { connection: 'close' } });
        } });
    parentPort.on('message', async () => {
        const { forced } = await server.drain({ deadline: 30_000 });
        parentPort.postMessage(forced);
        parentPort.close();
    });
    parentPort.postMessage(server.port);
} else {
    const once = (target, type) => new Promise((resolve) => target.once(type, resolve));
    const start = async (port) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: { port } });
        return { worker, port: await once(worker, 'message') };
    };
    const first = await start(0);
    const others = await Promise.all([start(first.port), start(first.port)]);
    const threads = [first, ...others].map(({ worker }) => worker.threadId);
    console.log(new Set([first, ...others].map(({ port }) => port)).size);
    const ask = (path) => fetch(`http://127.0.0.1:${first.port}${path}`).then((r) => r.text());
    for (let i = 0; i < 50; i++)
        if (!threads.includes(+await ask('/')))
            console.log('who?');

    // A drain in each worker, one after the other, loses nothing.
    let answered = 0, isOver = false;
    const asking = (async () => {
        while (!isOver) {
            await ask('/');
            answered++;
        }
    })();
    for (const { worker } of others) {
        worker.postMessage('drain');
        console.log('forced:', await once(worker, 'message'));
    }
    isOver = true;
    await asking;
    console.log(answered > 0);

    // Terminated with requests open, and in the middle of one.
    const end = (asked) => asked.then(() => 'ended', () => 'ended');
    const hanging = end(ask('/hang'));
    console.log(await once(first.worker, 'message'));
    const busy = end(ask('/busy'));
    console.log(await once(first.worker, 'message'));
    console.log(await first.worker.terminate(), await hanging, await busy);

    // The program ends while requests are open.
    const last = await serve({ port: 0, hostname: '127.0.0.1', fetch(request, context) {
        if (request.headers.has('upgrade'))
            return context.upgrade().response;
        process.exit(0);
    } });
    const socket = new WebSocket(`ws://127.0.0.1:${last.port}/`);
    socket.onopen = () => fetch(last.url).catch(() => {});
}
