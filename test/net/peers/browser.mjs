// SPDX-License-Identifier: MIT
// browser.mjs -- the server that browser.py shows to Chromium.  It prints "port N"
// when it listens.
import { serve } from 'weir:http';
import { createHash } from 'node:crypto';

const PAGE = `<!doctype html>
<title>weir</title>
<link rel="stylesheet" href="/style.css">
<p id="text">plain</p>
<script src="/app.js"></script>
`;
const APP = `document.getElementById('text').textContent = 'by the script';`;
const STYLE = `#text { color: rgb(1, 2, 3) }`;

const typed = (body, type) => new Response(body, { headers: { 'content-type': type } });
const peers = []; // the client's port of each request to /peer
let gate; // of the stream that waits for /go
const closes = []; // [code, reason] of each WebSocket

// Each event has a number; the connection ends after three, and the browser
// comes back with the last number.
async function* events(last) {
    yield 'retry: 10\n\n';
    for (let id = last + 1; id <= last + 3; id++)
        yield `id: ${id}\ndata: event ${id}\ndata: second line\n\n`;
}

async function* stream() {
    gate = Promise.withResolvers();
    yield 'first ';
    await gate.promise;
    for (let i = 0; i < 100; i++)
        yield 'x'.repeat(10_000);
}

async function describe(request) {
    const form = await request.formData();
    const parts = [];
    for (const [name, value] of form)
        parts.push(typeof value === 'string' ? { name, value }
            : { name, file: value.name, type: value.type, size: value.size,
                hash: createHash('sha1').update(await value.bytes()).digest('hex') });
    return Response.json(parts);
}

function open(context) {
    const { socket, response } = context.upgrade();
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => socket.send(data);
    socket.onclose = ({ code, reason }) => closes.push([code, reason]);
    return response;
}

const routes = {
    '/': () => typed(PAGE, 'text/html; charset=utf-8'),
    '/app.js': () => typed(APP, 'text/javascript'),
    '/style.css': () => typed(STYLE, 'text/css'),
    '/socket': (request, context) => open(context),
    '/closes': () => Response.json(closes),
    '/stream': () => new Response(stream()),
    '/go': () => { gate.resolve(); return new Response('gone'); },
    '/events': (request) => typed(
        events(Number(request.headers.get('last-event-id') ?? 0)), 'text/event-stream'),
    '/form': describe,
    '/size': async (request) => new Response(`${(await request.arrayBuffer()).byteLength}`),
    '/peer': (request, { remotePort }) => {
        peers.push(remotePort);
        return Response.json(peers);
    },
};

const server = await serve({ port: 0, hostname: '127.0.0.1', fetch(request, context) {
    const route = routes[new URL(request.url).pathname];
    return route ? route(request, context) : new Response('', { status: 404 });
} });
console.log('port', server.port);
