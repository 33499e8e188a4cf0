// Requests that are sent at once: those beyond maxRequestsPerSocket get 503.
'use strict';
const http = require('http');
const net = require('net');

const server = http.createServer((req, res) => {
    console.log('request', req.url);
    setImmediate(() => res.end(req.url));
});
server.maxRequestsPerSocket = 2;
server.on('dropRequest', (req, socket) => console.log('dropped', req.url, socket.writable));

server.listen(0, '127.0.0.1', () => {
    const client = net.connect(server.address().port, '127.0.0.1');
    let answer = '';
    client.setEncoding('latin1').on('data', (piece) => {
        answer += piece;
        if (answer.split('0\r\n\r\n').length === 3) // the bodies of two refusals
            client.end();
    });
    client.on('close', () => {
        console.log(answer.replace(/^Date:.*\r\n/gm, '').split('\r\n').join('|'));
        server.close();
    });
    client.write([1, 2, 3, 4].map((n) => `GET /${n} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
});
