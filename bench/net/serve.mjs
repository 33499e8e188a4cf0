// SPDX-License-Identifier: MIT
// weir's servers in JavaScript: serve.mjs http, json, headers, upload or ws.
import { serve } from 'weir:http';

const names = Array.from({ length: 16 }, (_, i) => `x-name-${i}`);
const record = { a: 1, b: 'two', c: true, d: null, e: 5.5, f: 'six', g: [7], h: 'eight',
    i: 9, j: 'ten' };
const handlers = {
    http: () => new Response('hello, world\n'),
    json: () => Response.json(record),
    headers(request) {
        let size = 0;
        for (const name of names)
            size += request.headers.get(name).length;
        return new Response(`${size}`);
    },
    upload: async (request) => new Response(await request.arrayBuffer()),
    ws(request, context) {
        const { socket, response } = context.upgrade();
        socket.binaryType = 'arraybuffer';
        socket.onmessage = ({ data }) => socket.send(data);
        return response;
    },
};
const server = await serve({ port: 0, hostname: '127.0.0.1', keepAliveTimeout: 600_000,
    backlog: 1024, fetch: handlers[process.argv[2]] });
console.log(`listening on 127.0.0.1:${server.port}`);
