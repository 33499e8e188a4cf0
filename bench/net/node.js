// SPDX-License-Identifier: MIT
// Node's servers: node.js http, or node.js ws (npm's ws).
'use strict';

const http = require('http');

function listening() {
    console.log(`listening on 127.0.0.1:${this.address().port}`);
}

if (process.argv[2] === 'ws') {
    const {WebSocketServer} = require('ws');
    const server = new WebSocketServer({port: 0, host: '127.0.0.1'}, () =>
        listening.call(server));

    server.on('connection', (socket) => {
        socket.on('message', (data, isBinary) =>
            socket.send(data, {binary: isBinary}));
    });
} else {
    const server = http.createServer((request, response) => {
        response.writeHead(200, {'Content-Type': 'text/plain',
                                 'Content-Length': 13});
        response.end('hello, world\n');
    });

    server.keepAliveTimeout = 600000;
    server.listen(0, '127.0.0.1', 1024, listening);
}
