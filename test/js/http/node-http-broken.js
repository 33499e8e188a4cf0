// Connections that end early, requests that are given up, and timeouts.  What the
// server and the client see is shown separately, as their order depends on the
// kernel.
'use strict';
const http = require('http');
const net = require('net');

let logs;
function watch(side, name, emitter, events) {
    for (const event of events)
        emitter.on(event, (value) => logs[side].push(`${name} ${event}` +
            (value instanceof Error ? ` ${value.code} ${value.message}` : '')));
}

const once = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve));

const server = http.createServer((req, res) => {
    watch('server', 'request', req, ['aborted', 'error', 'close']);
    watch('server', 'response', res, ['finish', 'close', 'error', 'timeout']);
    const all = Promise.all([once(req, 'close'), once(res, 'close')]);
    server.emit('arrived', req, all);
    switch (req.url) {
    case '/destroy': res.destroy(); break;
    case '/half': res.writeHead(200, { 'Content-Length': 10 });
        res.write('half');
        watch('server', 'socket', req.socket, ['close']);
        server.once('half', () => req.socket.destroy());
        break;
    case '/timeout': res.setTimeout(20, () => {
        logs.server.push('timed out');
        res.end('late');
    }); break;
    case '/flood': // more than the kernel takes
        res.write(Buffer.alloc(1 << 25), () => logs.server.push('written'));
        break;
    case '/ended':
        res.write(Buffer.alloc(1 << 25), () => logs.server.push('written'));
        res.end();
        break;
    case '/upload': req.once('data', (data) => server.emit('uploading', data)); break;
    }
});

const arrived = () => new Promise((resolve) => server.once('arrived', (req, all) =>
    resolve({ all })));

async function ask(path, act, isSeen = true) {
    logs = { server: [], client: [] };
    const seen = arrived();
    const req = http.request({ port: server.address().port, host: '127.0.0.1', path,
        agent: false });
    watch('client', 'request', req, ['abort', 'error', 'timeout', 'close']);
    req.on('response', (res) => {
        watch('client', 'response', res, ['aborted', 'error', 'end', 'close']);
        res.once('data', () => server.emit('half'));
        res.resume();
    });
    const closed = once(req, 'close');
    act?.(req, seen);
    req.end();
    await closed;
    if (isSeen)
        await (await seen).all;
    console.log(path, req.destroyed, req.aborted, logs);
}

// What a client gets for an answer.  In each case it closes the connection.
const head = 'HTTP/1.1 200 OK\r\n';
const answers = {
    second: `${head}Content-Length: 1\r\n\r\na${head}Content-Length: 1\r\n\r\nb`,
    chunk: `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    both: `${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    length: `${head}Content-Length: x\r\n\r\n`,
    lines: 'HTTP/1.1 200 OK\nContent-Length: 0\n\n',
    long: `${head}A: ${'x'.repeat(20000)}\r\n\r\n`,
};

async function answered(name) {
    const seen = [], other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const agent = new http.Agent({ keepAlive: true });
    const req = http.get({ port: other.address().port, host: '127.0.0.1', agent });
    req.on('error', (error) => seen.push(error.code));
    req.on('response', (res) => {
        res.on('data', (data) => seen.push(`${data}`));
        res.on('error', (error) => seen.push(error.code));
    });
    const socket = await once(other, 'connection');
    socket.on('error', () => {});
    socket.resume();
    socket.write(answers[name]);
    await once(socket, 'close');
    console.log(name, seen, Object.keys(agent.freeSockets).length);
    other.close();
}

// What a server says about a request.
const requests = {
    both: 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n',
    reverse: 'Transfer-Encoding: chunked\r\nContent-Length: 1\r\n',
    length: 'Content-Length: -1\r\n',
    twice: 'Content-Length: 1\r\nContent-Length: 1\r\n',
    name: 'a b: c\r\n',
};

async function refused(name) {
    const error = new Promise((resolve) => server.once('clientError', (found, socket) => {
        socket.destroy();
        resolve(found);
    }));
    const socket = net.connect(server.address().port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${requests[name]}\r\n`);
    console.log(name, (await error).code);
    await once(socket, 'close');
}

server.listen(0, '127.0.0.1', async () => {
    for (const name of Object.keys(answers))
        await answered(name);
    for (const name of Object.keys(requests))
        await refused(name);
    await ask('/destroy');
    await ask('/half');
    await ask('/timeout');
    await ask('/wait', (req, seen) => seen.then(() => req.destroy()));
    await ask('/error', (req, seen) => seen.then(() => req.destroy(new Error('mine'))));
    await ask('/abort', (req) => req.abort(), false);
    await ask('/never', (req) => req.destroy(new Error('mine')), false);
    await ask('/slow', (req) => req.setTimeout(30, () => req.destroy()));
    logs = { server: [], client: [] };
    const controller = new AbortController();
    const seen = arrived();
    const req = http.get({ port: server.address().port, host: '127.0.0.1', path: '/signal',
        agent: false, signal: controller.signal });
    req.on('error', (error) => console.log(error.name, error.code));
    seen.then(() => controller.abort());
    await once(req, 'close');
    await (await seen).all;
    logs = { server: [], client: [] };
    const upload = arrived();
    const socket = net.connect(server.address().port, '127.0.0.1');
    socket.write('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nsome');
    console.log(String(await once(server, 'uploading')));
    socket.destroy();
    await (await upload).all;
    console.log(logs);
    // The client leaves in the middle of a response, perhaps with another request sent.
    for (const count of [1, 2]) {
        logs = { server: [], client: [] };
        const flood = arrived();
        const client = net.connect(server.address().port, '127.0.0.1');
        client.write('GET /flood HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
        const { all } = await flood;
        await once(client, 'data');
        client.destroy();
        await all;
        console.log('flood', count, logs.server.includes('written'));
    }
    logs = { server: [], client: [] };
    const last = arrived();
    http.get({ port: server.address().port, host: '127.0.0.1', path: '/ended', agent: false },
        (res) => res.resume());
    await (await last).all;
    console.log(logs.server.filter((one) => /written|finish/.test(one)));
    server.close(() => console.log('closed'));
});
