// TLS connections that are given up while they connect: the socket underneath goes
// with them.  And one that is paused from its beginning: its end is still seen.
'use strict';
const fs = require('fs');
const net = require('net');
const path = require('path');
const tls = require('tls');

const read = (name) => fs.readFileSync(path.join(__dirname, 'keys', name));
const once = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve));
const lax = { rejectUnauthorized: false };
let closed; // of the server's connection

const server = tls.createServer({ key: read('server.key'), cert: read('server.pem') },
    (socket) => socket.on('error', () => {}).end('hello'));
server.on('tlsClientError', () => {});
server.on('connection', (socket) => { closed = once(socket, 'close'); });

function watch(name, emitter, seen) {
    for (const event of ['secureConnect', 'error'])
        emitter.on(event, (error) => seen.push(`${name} ${event} ${error?.name ?? ''}`));
    return once(emitter, 'close').then((hadError) => seen.push(`${name} close ${hadError}`));
}

const ways = {
    // The socket is given, and does not connect.
    async before(port, seen) {
        const raw = net.connect(port, '127.0.0.1');
        const socket = tls.connect({ ...lax, socket: raw });
        const all = [watch('raw', raw, seen), watch('tls', socket, seen)];
        socket.destroy();
        await Promise.all(all);
    },
    async connected(port, seen) {
        const raw = net.connect(port, '127.0.0.1', () => socket.destroy());
        const socket = tls.connect({ ...lax, socket: raw });
        await Promise.all([watch('raw', raw, seen), watch('tls', socket, seen)]);
        await closed;
    },
    async aborted(port, seen) {
        const controller = new AbortController();
        const socket = tls.connect({ ...lax, port, host: '127.0.0.1', signal: controller.signal });
        controller.abort();
        await watch('tls', socket, seen);
    },
    async connecting(port, seen) {
        const raw = net.connect(port, '127.0.0.1');
        const socket = tls.connect({ ...lax, socket: raw }).resume();
        await watch('tls', socket, seen);
    },
};

// A server whose sockets are paused.
async function pause() {
    const other = tls.createServer({ key: read('server.key'), cert: read('server.pem'),
        allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
        console.log(socket.isPaused(), socket.allowHalfOpen);
        socket.on('end', () => {
            console.log('end');
            socket.end();
        });
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const socket = tls.connect({ ...lax, port: other.address().port, host: '127.0.0.1' },
        () => socket.end());
    console.log('close', await once(socket, 'close'));
    other.close();
}

server.listen(0, '127.0.0.1', async () => {
    for (const [name, run] of Object.entries(ways)) {
        const seen = [];
        await run(server.address().port, seen);
        console.log(name, seen.sort());
    }
    await pause();
    server.close();
});
