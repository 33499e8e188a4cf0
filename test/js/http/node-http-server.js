// What a server of node:http sends, byte by byte, and the order of its events.
'use strict';
const http = require('http');
const net = require('net');

const shown = (text) => text.replace(/Date: .*\r\n/g, 'Date: (now)\r\n');

const handlers = {
    '/text': (req, res) => res.end('hello'),
    '/nothing': (req, res) => res.end(),
    '/chunks': (req, res) => {
        res.write('one');
        res.write(Buffer.from('two'));
        res.write('é', 'latin1');
        res.end('dreißig');
    },
    '/head': (req, res) => {
        res.writeHead(201, 'Made', { 'Content-Type': 'text/plain', 'X-Two': ['a', 'b'] });
        res.end('made');
    },
    '/raw': (req, res) => {
        res.writeHead(200, ['X-A', '1', 'X-A', '2', 'Content-Length', '2']);
        res.end('ok');
    },
    '/empty': (req, res) => {
        res.statusCode = 204;
        res.end('this is not sent');
    },
    '/close': (req, res) => {
        res.setHeader('Connection', 'close');
        res.end('last');
    },
    '/trailers': (req, res) => {
        res.writeHead(200, { Trailer: 'X-Sum' });
        res.write('body');
        res.addTrailers({ 'X-Sum': '42' });
        res.end();
    },
    '/hints': (req, res) => {
        res.writeProcessing();
        res.writeEarlyHints({ link: '</a.css>; rel=preload', 'x-more': '1' });
        res.end('hinted');
    },
    '/corked': (req, res) => {
        res.cork();
        res.write('a');
        res.write('b');
        res.uncork();
        res.end('c');
    },
    '/nodate': (req, res) => {
        res.sendDate = false;
        res.removeHeader('connection');
        res.end('x');
    },
    '/echo': (req, res) => {
        res.setHeader('x-type', String(req.headers['content-type']));
        req.pipe(res);
    },
    '/events': (req, res) => {
        const log = [];
        res.on('finish', () => log.push(`finish ${res.writableFinished} ${res.headersSent}`));
        res.on('prefinish', () => log.push('prefinish'));
        res.on('close', () => console.log(log.concat(`close ${res.destroyed}`).join(', ')));
        req.on('close', () => log.push('request closed'));
        res.end('e', () => log.push('callback'));
        log.push(`ended ${res.writableEnded} ${res.finished}`);
    },
};

const server = http.createServer((req, res) => {
    console.log(req.method, req.url, req.httpVersion, req.complete);
    handlers[new URL(req.url, 'http://x').pathname](req, res);
});


const get = (path, more = '', version = '1.1') =>
    `GET ${path} HTTP/${version}\r\nHost: x\r\n${more}\r\n`;

const close = 'Connection: close\r\n';
const conversations = [
    ...['/text', '/nothing', '/chunks', '/head', '/raw', '/empty', '/close', '/trailers',
        '/hints', '/corked', '/nodate', '/events'].map((path) => [get(path, close)]),
    [get('/text', '', '1.0')],
    [get('/chunks', '', '1.0')],
    [get('/text', 'Connection: keep-alive\r\n', '1.0')],
    [`HEAD /text HTTP/1.1\r\nHost: x\r\n${close}\r\n`],
    [`POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Length: 5\r\n${close}\r\n12345`],
    [`POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${close}\r\n` +
        '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'],
    [`POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n${close}\r\nhi`],
    [`GET /text HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n${close}\r\n`],
];

server.listen(0, '127.0.0.1', function next() {
    const requests = conversations.shift();
    if (requests)
        talkUntilClose(requests, next);
    else
        server.close(() => console.log('closed'));
});

// Node drops a request whose client half-closes, so wait for the server to close.
function talkUntilClose(requests, done) {
    const socket = net.connect(server.address().port, '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
        received += text;
        if (/keep-alive\r\n/.test(received) && received.endsWith('hello'))
            socket.end();
    });
    socket.on('close', () => {
        console.log(JSON.stringify(shown(received)).replace(/\\r\\n/g, '\n'));
        done();
    });
    socket.write(requests.join(''));
}
