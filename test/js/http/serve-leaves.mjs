// weir only
// A client that leaves in the middle is not an error of the program.
import { serve } from 'weir:http';
import net from 'node:net';

const errors = [];
const { write } = process.stderr;
process.stderr.write = (text) => errors.push(text);
let entered, ended = 0, cancelled = 0;
const server = await serve({ port: 0, hostname: '127.0.0.1', async fetch(request) {
    request.signal.addEventListener('abort', () => ended++);
    entered.resolve();
    switch (new URL(request.url).pathname) {
    case '/upload': return new Response(await request.text().catch(() => 'gone'));
    case '/pipe': return new Response(request.body);
    case '/stream': return new Response(new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65536)) }));
    case '/yields': return new Response({ [Symbol.asyncIterator]: () => ({
        next: async () => ({ value: new Uint8Array(65536), done: false }),
        return() { throw new Error('never seen'); } }) });
    case '/large': return new Response('x'.repeat(3e7));
    case '/late': return new Promise((resolve) => request.signal.addEventListener('abort', () =>
        resolve(new Response(new ReadableStream({ cancel: ({ code }) => {
            cancelled += code === 'ECONNRESET';
        } })))));
    default: return new Promise((resolve) =>
        request.signal.addEventListener('abort', () => resolve(new Response('late'))));
    }
} });
const post = (path) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\npart`;
const get = (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
for (const how of ['end', 'resetAndDestroy'])
    for (const text of [post('/upload'), post('/pipe'), get('/stream'), get('/large'), get('/wait'),
        get('/late'), get('/yields')]) {
        entered = Promise.withResolvers();
        const socket = net.connect(server.port, '127.0.0.1', () => socket.write(text));
        socket.on('error', () => {});
        await entered.promise;
        const closed = new Promise((resolve) => socket.on('close', resolve));
        if (how === 'end')
            socket.destroy();
        else
            socket.resetAndDestroy();
        await closed;
    }
const { forced, requests } = await server.drain({ deadline: 30_000 });
process.stderr.write = write;
console.log(forced, requests, ended, cancelled, errors);
