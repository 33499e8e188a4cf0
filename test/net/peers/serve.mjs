// SPDX-License-Identifier: MIT
// serve.mjs -- the server under test in JavaScript, by serve(): the routes and
// options of target.c, as far as the drain table needs them.
//
//     weir serve.mjs [--log FILE] [--deadline-ms N] [--idle-ms N] ...
//
// With --threads N, N workers serve on one port.  It prints "port N" when it
// listens.
import { serve } from 'weir:http';
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const text = { type: 'string' };
const { values: options } = parseArgs({ strict: false, options: { log: text,
    'deadline-ms': text, 'idle-ms': text, 'linger-ms': text, 'delay-ms': text,
    'header-timeout-ms': text, 'request-timeout-ms': text, 'keep-alive-ms': text,
    health: { type: 'boolean' }, 'tls-cert': text, 'tls-key': text,
    threads: text } });
const number = (name) => options[name] === undefined ? undefined : Number(options[name]);
const log = options.log ? fs.openSync(options.log, 'a') : -1;
const chunk = new Uint8Array(1040).map((_, i) => 97 + i % 26);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Chunks, one every ms; without a number, until the server drains.
async function* stream(url, draining) {
    const count = Number(url.searchParams.get('chunks') ?? Infinity);
    for (let i = 0; i < count; i++) {
        await sleep(Number(url.searchParams.get('ms') ?? 5));
        yield chunk;
        if (count === Infinity && draining.aborted)
            return;
    }
}

async function* large(bytes) {
    const block = new Uint8Array(65536 - 65536 % 26).map((_, i) => 97 + i % 26);
    for (let left = bytes; left > 0; left -= block.length)
        yield left < block.length ? block.subarray(0, left) : block;
}

function echo({ socket, response }) {
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => socket.send(data);
    return response;
}

async function answer(request, context) {
    const { draining } = context;
    const url = new URL(request.url);
    if (request.headers.get('upgrade') === 'websocket')
        return echo(context.upgrade());
    const body = new Uint8Array(await request.arrayBuffer());
    const headers = { 'X-Id': url.searchParams.get('id') ?? '0' };
    if (log >= 0)
        fs.writeSync(log, `${request.method} ${url.pathname + url.search} ${body.length}\n`);
    switch (url.pathname) {
    case '/large': {
        const bytes = Number(url.searchParams.get('bytes'));
        return new Response(large(bytes), { headers: { ...headers, 'Content-Length': `${bytes}` } });
    }
    case '/stream':
    case '/events':
        return new Response(stream(url, draining), { headers });
    case '/slow':
        await sleep(Number(url.searchParams.get('ms')));
        return new Response(body, { headers });
    case '/block': { // keep the loop busy
        const end = Date.now() + Number(url.searchParams.get('ms'));
        while (Date.now() < end)
            ;
        return new Response('OK\n', { headers });
    }
    default:
        return new Response(request.method === 'POST' ? body : 'OK\n', { headers });
    }
}

const open = (more) => serve({ hostname: '127.0.0.1', fetch: answer, ...more,
    health: options.health, allowHalfOpen: true, backlog: 1024,
    headerTimeout: number('header-timeout-ms'), requestTimeout: number('request-timeout-ms'),
    keepAliveTimeout: number('keep-alive-ms'),
    drain: { deadline: number('deadline-ms'), idle: number('idle-ms'),
        linger: number('linger-ms'), delay: number('delay-ms') },
    tls: options['tls-cert'] ? { cert: fs.readFileSync(options['tls-cert']),
        key: fs.readFileSync(options['tls-key']) } : undefined });

// A worker's port; 0 is any.
const start = (port) => new Promise((resolve) =>
    new Worker(new URL(import.meta.url), { workerData: port, argv: process.argv.slice(2) })
        .once('message', resolve));

if (!isMainThread) {
    const { port } = await open({ port: workerData, reusePort: true });
    parentPort.postMessage(port);
} else if (options.threads) {
    const port = await start(0);
    for (let i = 1; i < number('threads'); i++)
        await start(port);
    console.log('port', port);
} else {
    console.log('port', (await open({ port: 0 })).port);
}
