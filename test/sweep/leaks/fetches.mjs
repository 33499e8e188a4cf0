// SPDX-License-Identifier: MIT
// fetches -- fetch(), node:http requests and WebSockets that are given up at random
// moments, and the same served.  See account.mjs.
import http from 'node:http';
import { serve } from 'weir:http';
import { measure, random } from './account.mjs';

const text = 'x'.repeat(5000);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function* slowly(signal) {
    for (let i = 0; i < 20 && !signal.aborted; i++) {
        yield text;
        await sleep(1);
    }
}

const routes = [
    () => new Response(text),
    (request) => request.text().then((body) => new Response(body)),
    (request) => Response.json([...request.headers]),
    (request) => new Response(slowly(request.signal)),
    (request) => new Response(request.body),
    (request) => new Promise((resolve) => {
        request.signal.addEventListener('abort', () => resolve(new Response('late')));
    }),
    () => { throw undefined; },
];

const openServer = () => serve({ port: 0, hostname: '127.0.0.1', error: () => new Response('', { status: 500 }),
    drain: { idle: 10, linger: 100 },
    fetch(request, context) {
        if (request.headers.get('upgrade') === 'websocket') {
            const { socket, response } = context.upgrade();
            socket.onmessage = ({ data }) => socket.send(data);
            return response;
        }
        return routes[Number(new URL(request.url).pathname.slice(1))](request);
    } });

// Moments: the call's own, later in the same turn, in another one, after a while,
// after the head, in the body, never.
const moments = [
    (abort) => abort(),
    (abort) => Promise.resolve().then(abort),
    (abort) => process.nextTick(abort),
    (abort) => setImmediate(abort),
    (abort) => setTimeout(abort, random.below(4)),
    (abort) => setTimeout(abort, random.below(25)),
    () => {},
];

function bodyOf() {
    switch (random.below(4)) {
    case 0: return text;
    case 1: return new Uint8Array(100_000);
    case 2: return new Blob([text, text]);
    default: return new ReadableStream({ async pull(controller) {
        await sleep(1);
        controller.enqueue(new Uint8Array(1000));
        if (random.below(10) === 0)
            controller.close();
    } });
    }
}

async function readBody(response, abort) {
    switch (random.below(5)) {
    case 0: return response.text();
    case 1: return response.body?.cancel();
    case 2: return abort();
    case 3: for await (const chunk of response.body ?? []) {
        if (random.below(4) === 0)
            break;
    }
        break;
    default: // not read at all
        abort();
    }
}

async function giveUpFetch(server) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const route = random.below(routes.length);
    const hasBody = route === 1 || route === 4;
    // A route that never answers has to be given up.
    const moment = moments[random.below(moments.length - (route === 5 ? 1 : 0))];
    const asked = fetch(`http://127.0.0.1:${server.port}/${route}`, { signal: controller.signal,
        ...hasBody ? { method: 'POST', body: bodyOf(), duplex: 'half' } : {} });
    moment(abort);
    try {
        await readBody(await asked, abort);
    } catch (error) {
        if (!['AbortError', 'TypeError'].includes(error.name))
            throw error;
    }
}

function giveUpRequest(server) {
    return new Promise((resolve) => {
        const route = random.below(routes.length);
        const hasBody = route === 1 || route === 4;
        const request = http.request({ port: server.port, host: '127.0.0.1', path: `/${route}`,
            method: hasBody ? 'POST' : 'GET', agent: random.below(2) ? undefined : false });
        request.on('error', () => {});
        request.on('close', resolve);
        request.on('response', (response) => {
            response.on('error', () => {});
            switch (random.below(3)) {
            case 0: response.resume(); break;
            case 1: response.once('data', () => response.destroy()); break;
            default: request.destroy();
            }
        });
        if (hasBody)
            request.write(text);
        request.end();
        moments[random.below(moments.length - (route === 5 ? 1 : 0))](() => request.destroy());
    });
}

function giveUpSocket(server) {
    return new Promise((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${server.port}/`);
        socket.onclose = socket.onerror = resolve;
        socket.onopen = () => socket.send(text);
        socket.onmessage = () => socket.close();
        moments[random.below(moments.length)](() => socket.close());
    });
}

const close = async (server) => { await server.drain({ deadline: 5000 }); };

await measure({
    fetch: [openServer, giveUpFetch, close],
}, 1);
await measure({
    request: [openServer, giveUpRequest, async (server) => {
        http.globalAgent.destroy();
        await close(server);
    }],
    websocket: [openServer, giveUpSocket, close],
}, 5);
