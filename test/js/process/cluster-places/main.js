'use strict';
// Where the servers of workers listen: one port for all, one of their own, Unix
// sockets, UDP, HTTPS; and what cannot be had.
const cluster = require('cluster');
const dgram = require('dgram');
const { once } = require('events');
const fs = require('fs');
const http = require('http');
const https = require('https');
const net = require('net');
const os = require('os');
const path = require('path');

const keys = path.join(__dirname, '..', '..', 'net', 'keys');
const folder = process.env.FOLDER ??= fs.mkdtempSync(path.join(os.tmpdir(), 'cluster-'));

const read = (...where) => new Promise((resolve) => {
    let text = '';
    net.connect(...where).setEncoding('utf8').on('data', (part) => { text += part; }).on('close', () => resolve(text)).on('error', ({ code }) => { text += code; });
});

const kinds = {
    shared: () => net.createServer((socket) => socket.end('served')).listen(0, '127.0.0.1'),
    own: () => net.createServer((socket) => socket.end('served')).listen({ port: 0, host: '127.0.0.1', exclusive: true }),
    path: () => net.createServer((socket) => socket.end('served')).listen(path.join(folder, 'socket')),
    udp: () => dgram.createSocket('udp4').on('message', function (bytes, { port, address }) {
        this.send(`echo ${bytes}`, port, address);
    }).bind(0, '127.0.0.1'),
    https: () => https.createServer({ key: fs.readFileSync(path.join(keys, 'server.key')), cert: fs.readFileSync(path.join(keys, 'server.pem')) }, (req, res) => res.end('served')).listen(0, '127.0.0.1'),
    http: () => http.createServer((req, res) => res.end('served')).listen(0, '127.0.0.1'),
};

async function ask(kind, port) {
    if (kind === 'path')
        return read(path.join(folder, 'socket'));
    if (kind === 'udp') {
        const client = dgram.createSocket('udp4');
        client.send('x', port, '127.0.0.1');
        const [bytes] = await once(client, 'message');
        client.close();
        return String(bytes);
    }
    if (!kind.startsWith('http'))
        return read(port, '127.0.0.1');
    const module = kind === 'http' ? http : https;
    const [res] = await once(module.get({ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false }), 'response');
    return String((await res.toArray())[0]);
}

async function primary() {
    for (const kind of Object.keys(kinds)) {
        const ports = [];
        for (let i = 0; i < 2; i++) {
            const worker = cluster.fork({ KIND: kind });
            const [{ message, port }] = await once(worker, 'message');
            console.log(kind, message);
            ports.push(port);
        }
        console.log(kind, 'one port', ports[0] === ports[1], await ask(kind, ports[0]), await ask(kind, ports[1]));
        await new Promise((resolve) => cluster.disconnect(resolve));
    }
    console.log(fs.existsSync(path.join(folder, 'socket')));
    // A port that is in use
    const taken = net.createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    for (let i = 0; i < 2; i++) {
        const worker = cluster.fork({ KIND: 'taken', PORT: taken.address().port });
        console.log((await once(worker, 'message'))[0]);
        await once(worker, 'exit');
    }
    taken.close();
    fs.rmdirSync(folder);
}

async function work() {
    const { KIND: kind, PORT: taken } = process.env;
    if (kind === 'taken') {
        const [error] = await once(net.createServer().listen(+taken, '127.0.0.1'), 'error');
        process.send([error.code, error.syscall, error.address, error.port === +taken], () => process.disconnect());
        cluster.worker.exitedAfterDisconnect = true;
        return;
    }
    const server = kinds[kind]();
    if (kind === 'own')
        process.on('disconnect', () => server.close());
    await once(server, 'listening');
    const address = server.address();
    process.send({ message: typeof address === 'object' ? Object.keys(address).sort().join() : typeof address, port: address.port });
}

if (cluster.isWorker)
    work();
else
    primary();
