// A socket that ends its side when the peer has reset the connection: the reset is
// found by reading, and is the only error.  A response that arrived before it is
// whole.
'use strict';
const http = require('http');
const net = require('net');

const once = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve));

async function open() {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
}

async function end(allowHalfOpen, isPaused) {
    const server = await open(), seen = [];
    const { port } = server.address();
    const client = net.connect({ port, host: '127.0.0.1', allowHalfOpen });
    const [peer] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
    for (const event of ['error', 'finish', 'end'])
        client.on(event, (error) => seen.push(error ? error.message : event));
    if (isPaused)
        client.pause();
    peer.resetAndDestroy();
    client.end();
    client.resume();
    seen.push(`close ${await once(client, 'close')}`);
    console.log(allowHalfOpen, isPaused, seen.join(', '));
    server.close();
}

async function ask() {
    const server = await open(), seen = [];
    server.on('connection', (socket) => {
        socket.once('data', () => socket.write(
            'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok',
            () => socket.resetAndDestroy()));
    });
    const request = http.get({ port: server.address().port, host: '127.0.0.1' });
    request.on('error', (error) => seen.push(error.message));
    request.on('response', (response) => {
        response.on('data', (data) => seen.push(`${data}`));
        response.on('end', () => seen.push('end'));
    });
    await once(request, 'close');
    console.log(seen.join(', '));
    server.close();
}

(async () => {
    for (const allowHalfOpen of [false, true])
        for (const isPaused of [false, true])
            await end(allowHalfOpen, isPaused);
    await ask();
})();
