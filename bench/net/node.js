// SPDX-License-Identifier: MIT
// Node's servers, by Node or by weir: node.js http, json, headers, upload, express
// (npm's express), or ws (npm's ws).
'use strict';

const http = require('http');

function listening() {
    console.log(`listening on 127.0.0.1:${this.address().port}`);
}

const names = Array.from({length: 16}, (_, i) => `x-name-${i}`);
const record = {a: 1, b: 'two', c: true, d: null, e: 5.5, f: 'six', g: [7],
                h: 'eight', i: 9, j: 'ten'};

function answer(response, body, type = 'text/plain') {
    response.writeHead(200, {'Content-Type': type,
                             'Content-Length': Buffer.byteLength(body)});
    response.end(body);
}

const handlers = {
    http: (request, response) => answer(response, 'hello, world\n'),
    json: (request, response) =>
        answer(response, JSON.stringify(record), 'application/json'),
    headers(request, response) {
        let size = 0;
        for (const name of names)
            size += request.headers[name].length;
        answer(response, `${size}`);
    },
    upload(request, response) {
        const parts = [];
        request.on('data', (part) => parts.push(part));
        request.on('end', () => answer(response, Buffer.concat(parts)));
    },
};

if (process.argv[2] === 'ws') {
    const {WebSocketServer} = require('ws');
    const server = new WebSocketServer({port: 0, host: '127.0.0.1'}, () =>
        listening.call(server));

    server.on('connection', (socket) => {
        socket.on('message', (data, isBinary) =>
            socket.send(data, {binary: isBinary}));
    });
} else {
    const mode = process.argv[2];
    if (mode === 'express') {
        handlers.express = require('express')();
        handlers.express.get('/', (request, response) => response.send('hello, world\n'));
    }
    const server = http.createServer(handlers[mode]);

    server.keepAliveTimeout = 600000;
    server.listen(0, '127.0.0.1', 1024, listening);
}
