// SPDX-License-Identifier: MIT
// server -- what h2load asks for test/sweep/memory-leaks.
//
//     weir server.mjs serve|http
//
// GET /memory tells what the process holds.  It prints "port N" when it listens.
import fs from 'node:fs';
import http from 'node:http';
import { serve } from 'weir:http';
import { collect } from './collect.mjs';

const text = 'x'.repeat(3000);

async function holds() {
    await collect();
    return JSON.stringify({ ...process.memoryUsage(),
        descriptors: fs.readdirSync('/proc/self/fd').length });
}

async function* parts() {
    yield text;
    yield text;
}

const routes = {
    '/': () => new Response('hello'),
    '/memory': async () => new Response(await holds()),
    '/json': (request) => Response.json({ url: request.url, agent: request.headers.get('user-agent') }),
    '/headers': ({ headers }) => new Response([...headers.keys()].join(), { headers: { a: 'b' } }),
    '/later': async () => {
        await null;
        return new Response(text);
    },
    '/parts': () => new Response(parts()),
    '/body': (request) => new Response(request.body),
    '/text': async (request) => new Response(await request.text()),
};

function answer(request, response) {
    switch (request.url) {
    case '/': return response.end('hello');
    case '/memory': return holds().then((all) => response.end(all));
    case '/json': return response.setHeader('content-type', 'application/json')
        .end(JSON.stringify(request.headers));
    case '/headers': return response.writeHead(200, { a: 'b', c: ['d', 'e'] }).end();
    case '/later': return setImmediate(() => response.end(text));
    case '/parts':
        response.write(text);
        return process.nextTick(() => response.end(text));
    default: return request.pipe(response);
    }
}

if (process.argv[2] === 'serve') {
    const server = await serve({ port: 0, hostname: '127.0.0.1', fetch: (request, context) =>
        routes[new URL(request.url).pathname](request, context) });
    console.log('port', server.port);
} else {
    const server = http.createServer(answer).listen(0, '127.0.0.1',
        () => console.log('port', server.address().port));
    process.on('SIGTERM', () => server.drain().then(({ forced }) => process.exit(forced ? 1 : 0)));
}
