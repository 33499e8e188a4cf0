// The heads of responses, byte by byte: those that C makes, and those that it
// leaves to the library.
'use strict';

const http = require('http');
const net = require('net');

class Fields {
    constructor() { this.own = 'yes'; }
}
Object.defineProperty(Fields.prototype, 'inherited', { value: 'no', enumerable: true });

const respond = {
    plain: (res) => res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 2 }).end('ok'),
    nothing: (res) => res.end(),
    text: (res) => res.end('text'),
    wide: (res) => res.end('\u20ac \ud800 \u{1f600}'),
    status: (res) => res.writeHead(404).end('no'),
    unknown: (res) => res.writeHead(299).end('?'),
    given: (res) => { res.statusCode = 201; res.end('made'); },
    message: (res) => { res.statusMessage = 'Fine'; res.end('x'); },
    emptyMessage: (res) => { res.statusMessage = ''; res.end('x'); },
    reason: (res) => res.writeHead(200, 'Good', { a: 'b' }).end('x'),
    noReason: (res) => res.writeHead(200, undefined, { a: 'b' }).end('x'),
    array: (res) => res.writeHead(200, ['A', '1', 'b', '2', 'A', '3']).end('x'),
    pairs: (res) => res.writeHead(200, [['A', '1'], ['b', '2']]).end('x'),
    set: (res) => { res.setHeader('X-One', 'a'); res.setHeader('x-two', 2); res.end('x'); },
    setLength: (res) => { res.setHeader('content-length', '3'); res.end('abc'); },
    setMany: (res) => { res.setHeader('Set-Cookie', ['a=1', 'b=2']); res.end('x'); },
    merged: (res) => { res.setHeader('A', '1'); res.writeHead(200, { a: '2', c: 3 }).end('x'); },
    many: (res) => res.writeHead(200, { 'X-Many': ['a', 'b'], Cookie: ['c', 'd'] }).end('x'),
    numbers: (res) => res.writeHead(200, { a: 0, b: -1, c: 1.5, d: 12345678901, 5: 'five' }).end('x'),
    booleans: (res) => res.writeHead(200, { a: true, b: false }).end('x'),
    latin1: (res) => res.writeHead(200, { a: '\u00e9t\u00e9', b: 'tab\there' }).end('x'),
    getter: (res) => res.writeHead(200, { get a() { return 'got'; } }).end('x'),
    instance: (res) => res.writeHead(200, new Fields()).end('x'),
    noProto: (res) => res.writeHead(200, { __proto__: null, a: 'b' }).end('x'),
    proxy: (res) => res.writeHead(200, new Proxy({ a: 'b' }, {})).end('x'),
    hidden: (res) => res.writeHead(200, Object.defineProperty({ a: 'b' }, 'c', { value: 'd' })).end('x'),
    symbol: (res) => res.writeHead(200, { [Symbol('s')]: 'no', a: 'b' }).end('x'),
    lengths: (res) => res.writeHead(200, { 'Content-Length': '1', 'content-length': '1' }).end('x'),
    dated: (res) => res.writeHead(200, { DATE: 'never' }).end('x'),
    undated: (res) => { res.sendDate = false; res.end('x'); },
    removed: (res) => { res.removeHeader('Date'); res.removeHeader('Connection'); res.end('x'); },
    removedLength: (res) => { res.removeHeader('Content-Length'); res.end('x'); },
    removedBoth: (res) => {
        res.removeHeader('Content-Length');
        res.removeHeader('Transfer-Encoding');
        res.end('x');
    },
    removedThenGiven: (res) => {
        res.removeHeader('Content-Length');
        res.writeHead(200, { 'Content-Length': 1 }).end('x');
    },
    close: (res) => res.writeHead(200, { Connection: 'close' }).end('x'),
    keep: (res) => res.writeHead(200, { connection: 'keep-alive' }).end('x'),
    keepAlive: (res) => res.writeHead(200, { 'Keep-Alive': 'timeout=99' }).end('x'),
    shouldNot: (res) => { res.shouldKeepAlive = false; res.end('x'); },
    chunked: (res) => res.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end('x'),
    notChunked: (res) => { res.useChunkedEncodingByDefault = false; res.end('x'); },
    trailer: (res) => {
        res.writeHead(200, { Trailer: 'End' });
        res.addTrailers({ End: 'here' });
        res.end('x');
    },
    empty: (res) => res.writeHead(204).end(),
    unmodified: (res) => res.writeHead(304, { ETag: 'x' }).end('gone'),
    pieces: (res) => { res.writeHead(200, { a: 'b' }); res.write('one'); res.end('two'); },
    bytes: (res) => res.writeHead(200, { a: 'b' }).end(Buffer.from('bytes')),
    encoded: (res) => res.writeHead(200).end('6869', 'hex'),
    called: (res) => res.end('x', () => console.log('  finished')),
    listened: (res) => { res.on('prefinish', () => console.log('  prefinish')); res.end('x'); },
    twice: (res) => { res.end('x'); res.end(); },
    long: (res) => res.writeHead(200, { a: 'x'.repeat(3000) }).end('x'),
    headSent: (res) => {
        res.writeHead(200);
        try { res.writeHead(200); } catch (error) { console.log(' ', error.code); }
        res.end('x');
    },
    badName: (res) => refuse(res, { 'a b': '1' }),
    emptyName: (res) => refuse(res, { '': '1' }),
    badValue: (res) => refuse(res, { a: 'b\nc' }),
    undefinedValue: (res) => refuse(res, { a: undefined }),
    badStatus: (res) => {
        for (const status of [99, 1000, 'x', null, -1])
            try { res.writeHead(status); } catch (error) { console.log(' ', error.code); }
        res.writeHead('202').end('x');
    },
    overridden: (res) => {
        const { writeHead } = res;
        res.writeHead = function(...args) {
            console.log('  writeHead', args);
            return writeHead.apply(this, args);
        };
        res.end('x');
    },
};

function refuse(res, fields) {
    try {
        res.writeHead(200, fields);
    } catch (error) {
        console.log(' ', error.code, res.headersSent);
    }
    res.end('still');
}

const server = http.createServer((req, res) => respond[req.url.slice(1)](res));

function ask(name, line = `GET /${name} HTTP/1.1`, more = 'Connection: keep-alive\r\n') {
    return new Promise((resolve) => {
        let text = '';
        const socket = net.connect(server.address().port, '127.0.0.1');
        // The second request ends the connection, if the first has not.
        socket.write(`${line}\r\nHost: x\r\n${more}\r\n` +
            'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
        socket.on('data', (data) => text += data.toString('latin1'));
        socket.on('close', () => {
            console.log(`${name}:`);
            for (const each of text.replace(/Date: .* GMT/g, 'Date: now').split('\r\n'))
                console.log(`  ${each.length > 200 ? each.length : JSON.stringify(each)}`);
            resolve();
        });
    });
}

server.listen(0, '127.0.0.1', async () => {
    for (const name of Object.keys(respond))
        await ask(name);
    await ask('head', 'HEAD /plain HTTP/1.1');
    await ask('head without length', 'HEAD /text HTTP/1.1');
    await ask('1.0', 'GET /text HTTP/1.0', '');
    await ask('1.0 keeps', 'GET /plain HTTP/1.0');
    await ask('closes', 'GET /text HTTP/1.1', 'Connection: close\r\n');
    await ask('post', 'POST /text HTTP/1.1', 'Content-Length: 0\r\n');
    server.keepAliveTimeout = 0;
    await ask('text');
    server.keepAliveTimeout = 7999;
    await ask('text');
    http.STATUS_CODES[299] = 'Ours';
    await ask('unknown');
    server.close();
});
