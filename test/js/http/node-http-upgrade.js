// 'upgrade' and 'connect', on both sides, 'clientError', and other events of a server.
'use strict';
const http = require('http');
const net = require('net');

const server = http.createServer((req, res) => res.end(`plain ${req.url}`));
server.on('upgrade', (req, socket, head) => {
    console.log('upgrade', req.url, req.headers.upgrade, socket instanceof net.Socket);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n' +
        'Upgrade: echo\r\n\r\n');
    socket.on('data', (data) => socket.write(`echo ${data}`));
    socket.on('end', () => socket.end());
});
server.on('connect', (req, socket, head) => {
    console.log('connect', req.method, req.url);
    socket.end('HTTP/1.1 200 Connected\r\n\r\ntunnel');
});
server.on('clientError', (error, socket) => {
    console.log('clientError', error.code.startsWith('HPE_'), socket.writable);
    socket.end('HTTP/1.1 400 Mine\r\nConnection: close\r\n\r\nno');
});
server.on('checkContinue', (req, res) => {
    console.log('checkContinue');
    res.writeContinue();
    res.end('checked');
});
server.on('checkExpectation', (req, res) => {
    console.log('checkExpectation', req.headers.expect);
    res.statusCode = 406;
    res.end();
});
let connections = 0;
server.on('connection', (socket) => {
    connections++;
    socket.on('close', () => connections--);
});

function raw(text) {
    return new Promise((resolve) => {
        const socket = net.connect(server.address().port, '127.0.0.1');
        let received = '';
        socket.on('data', (data) => received += data);
        socket.on('close', () => {
            console.log(received.replace(/Date: .*\r\n/, '').split('\r\n').join('|'));
            resolve();
        });
        socket.write(text);
    });
}

server.listen(0, '127.0.0.1', async () => {
    const { port } = server.address();
    await new Promise((resolve) => {
        const req = http.request({ port, host: '127.0.0.1', path: '/up',
            headers: { Connection: 'Upgrade', Upgrade: 'echo' } });
        req.on('upgrade', (res, socket, head) => {
            console.log('upgraded', res.statusCode, res.headers.upgrade, head.length);
            socket.once('data', (data) => {
                console.log(String(data));
                socket.end();
            });
            socket.on('close', resolve);
            socket.write('hi');
        });
        req.end();
    });
    await new Promise((resolve) => {
        const req = http.request({ port, host: '127.0.0.1', method: 'CONNECT', path: 'a:1' });
        req.on('connect', (res, socket, head) => {
            let text = String(head);
            socket.on('data', (data) => text += data);
            socket.on('end', () => { console.log('connected', res.statusCode, text); resolve(); });
        });
        req.end();
    });
    await raw('NOT HTTP\r\n\r\n');
    await raw('GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n');
    await raw('GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\nConnection: close\r\n\r\n');
    server.removeAllListeners('upgrade');
    await raw('GET /no HTTP/1.1\r\nHost: x\r\nConnection: close, upgrade\r\nUpgrade: x\r\n\r\n');
    server.removeAllListeners('connect');
    await raw('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n');
    server.removeAllListeners('clientError');
    await raw('GET / HTTQ/1.1\r\n\r\n');
    server.close(() => server.getConnections((error, count) =>
        console.log('closed', error, count, connections, server.listening, server.address())));
});
