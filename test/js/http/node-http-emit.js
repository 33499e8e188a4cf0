// A server that gets its connections by emit('connection'): from a net.Server, from a
// tls.Server, with bytes that were read before, and beside its own.
'use strict';
const fs = require('fs');
const http = require('http');
const https = require('https');
const net = require('net');
const tls = require('tls');

const read = (name) => fs.readFileSync(`../net/keys/${name}`);
const keys = { key: read('server.key'), cert: read('server.pem') };
const listen = (server) => new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
const close = (server) => new Promise((resolve) => server.close(resolve));

function ask(module, options, body = '') {
    return new Promise((resolve) => {
        const request = module.request({ host: '127.0.0.1', agent: false, method: 'POST',
            rejectUnauthorized: false, ...options }, (response) => {
            let text = '';
            response.setEncoding('latin1').on('data', (piece) => { text += piece; });
            response.on('end', () => {
                console.log(response.statusCode, text.length > 100 ? text.length : text);
                resolve();
            });
        });
        request.on('error', (error) => {
            console.log(error.code);
            resolve();
        });
        request.end(body);
    });
}

function handle(request, response) {
    console.log(request.method, request.url, request.socket.remoteAddress,
        Boolean(request.socket.encrypted));
    if (request.url === '/destroy')
        request.socket.destroy();
    else
        request.pipe(response);
}

async function run() {
    const server = http.createServer(handle);
    console.log(server.listenerCount('connection'));
    const outer = net.createServer((socket) => server.emit('connection', socket));
    const port = await listen(outer);
    await ask(http, { port, path: '/plain' }, 'a body');
    await ask(http, { port, path: '/long' }, 'x'.repeat(1_000_000));
    await ask(http, { port, path: '/destroy' });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    await ask(http, { port, path: '/first', agent }, '1');
    await ask(http, { port, path: '/second', agent }, '2');
    agent.destroy();
    await close(outer);

    const secure = tls.createServer(keys, (socket) => server.emit('connection', socket));
    await ask(https, { port: await listen(secure), path: '/secure' }, 'secret');
    await close(secure);

    // One port for both protocols.
    const encrypted = https.createServer(keys, handle);
    const both = net.createServer((socket) => socket.once('data', (data) => {
        socket.pause();
        socket.unshift(data);
        (data[0] === 22 ? encrypted : server).emit('connection', socket);
        process.nextTick(() => socket.resume());
    }));
    const shared = await listen(both);
    await ask(http, { port: shared, path: '/http' }, 'h');
    await ask(https, { port: shared, path: '/https' }, 's');
    await close(both);

    // Its own connections are served, too, and it can be closed.
    const own = await listen(server);
    await ask(http, { port: own, path: '/own' }, 'o');
    await close(server);
    console.log('closed');
}
run();
