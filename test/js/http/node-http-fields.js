// Fields that are set and received, and the errors of OutgoingMessage.
'use strict';
const http = require('http');
const net = require('net');

const attempt = (name, fn) => {
    try {
        console.log(name, fn());
    } catch (error) {
        console.log(name, error.name, error.code, error.message);
    }
};

const message = new http.OutgoingMessage();
attempt('set', () => message.setHeader('X-One', 1) === message);
attempt('list', () => message.setHeader('Set-Cookie', ['a=1', 'b=2']) === message);
attempt('append', () => message.appendHeader('x-one', '2').appendHeader('X-New', ['p', 'q']) === message);
attempt('get', () => [message.getHeader('x-ONE'), message.getHeader('none')]);
attempt('names', () => [message.getHeaderNames(), message.getRawHeaderNames()]);
attempt('all', () => message.getHeaders());
attempt('has', () => [message.hasHeader('X-ONE'), message.hasHeader('y')]);
attempt('remove', () => message.removeHeader('x-one'));
attempt('setHeaders', () => message.setHeaders(new Map([['m', '1']])).getHeader('m'));
attempt('setHeaders', () => message.setHeaders({ a: 1 }));
for (const [name, value] of [['', 'x'], ['a b', 'x'], ['a', undefined], ['a', 'x\r\ny'],
    ['a', '\u0100'], [undefined, 'x'], [5, 'x'], ['a', ['ok', 'not\0ok']]])
    attempt('bad', () => message.setHeader(name, value));
attempt('get', () => message.getHeader(5));
attempt('has', () => message.hasHeader());
attempt('remove', () => message.removeHeader({}));
attempt('implicit', () => message._implicitHeader());
attempt('name', () => http.validateHeaderName('ä'));
attempt('value', () => http.validateHeaderValue('x', '\u3042'));
attempt('state', () => [message.headersSent, message.writableEnded, message.writableLength,
    message.writableCorked, message.writableObjectMode, message.writableFinished]);

const server = http.createServer((req, res) => {
    console.log(req.headers, req.headersDistinct, req.rawHeaders);
    for (const status of [99, 1000, 'x', null])
        attempt('status', () => res.writeHead(status));
    attempt('reason', () => res.writeHead(200, 'a\nb'));
    res.statusMessage = 'Fine';
    attempt('chunk', () => res.write(5));
    attempt('chunk', () => res.write(null));
    attempt('write', () => res.write('body'));
    attempt('late', () => res.setHeader('a', 'b'));
    attempt('late', () => res.removeHeader('a'));
    attempt('late', () => res.writeHead(200));
    attempt('trailer', () => res.addTrailers({ 'a b': 'x' }));
    attempt('trailer', () => res.addTrailers({ a: '\n' }));
    res.on('error', (error) => console.log('error', error.code, error.message));
    res.end('end');
    attempt('again', () => res.end() === res);
    attempt('after', () => res.write('more', (error) => console.log('callback', error.code)));
    attempt('strict', () => {
        const strict = new http.ServerResponse({ method: 'GET', httpVersionMajor: 1,
            httpVersionMinor: 1 });
        strict.strictContentLength = true;
        strict.setHeader('Content-Length', 3);
        strict.write('abcd');
    });
});

server.listen(0, '127.0.0.1', () => {
    const socket = net.connect(server.address().port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-A: 1\r\nx-a: 2\r\n' +
        'Cookie: a\r\nCookie: b\r\nSet-Cookie: c\r\nAge: 1\r\nAge: 2\r\nX-Latin: \xe4\r\n' +
        'X-Empty:\r\nConstructor: c\r\n\r\n', 'latin1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (piece) => text += piece);
    socket.on('end', () => {
        console.log(text.replace(/Date: .*\r\n/, '').replaceAll('\r', ''));
        server.close();
    });
});
