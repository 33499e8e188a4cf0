// A malformed chunk: 'clientError', whatever the request was doing.
'use strict';
const http = require('http');
const net = require('net');

const kinds = {
    reading(req) { req.resume(); },
    begun(req, res) { req.resume(); res.write('begun'); },
    answered(req, res) { res.end('early'); },
    'answered and reading'(req, res) { req.resume(); res.end('early'); },
};

function attempt(name, listens, done) {
    const events = [];
    const server = http.createServer((req, res) => {
        req.on('error', () => { });
        req.on('end', () => events.push('request end'));
        kinds[name](req, res);
        sent();
    });
    if (listens)
        server.on('clientError', (error, socket) => {
            events.push(`clientError ${error.code} ${socket.writable}`);
            socket.end('HTTP/1.1 400 Mine\r\nConnection: close\r\n\r\n');
        });
    let sent;
    server.listen(0, '127.0.0.1', () => {
        const client = net.connect(server.address().port, '127.0.0.1');
        let answer = '';
        // The malformed chunk comes when the handler has returned.
        sent = () => setImmediate(() => client.write('zz\r\nab\r\n'));
        client.setEncoding('latin1').on('data', (piece) => { answer += piece; });
        client.on('error', () => { });
        client.on('close', () => {
            console.log(name, listens, events);
            console.log(answer.replace(/^(Date|Keep-Alive):.*\r\n/gm, '').split('\r\n').join('|'));
            server.close(done);
        });
        client.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n');
    });
}

const rest = Object.keys(kinds).flatMap((name) => [[name, true], [name, false]]);
(function next() {
    if (rest.length > 0)
        attempt(...rest.shift(), next);
})();
