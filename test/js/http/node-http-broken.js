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

server.listen(0, '127.0.0.1', async () => {
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
    server.close(() => console.log('closed'));
});
