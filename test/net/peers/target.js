// SPDX-License-Identifier: MIT
// target.js -- the server under test as Node 20 has it: the row beside weir's.
//
//     node target.js [--log FILE] [--stop close|idle|header|drain] [--express]
//                    [LIMITS]
//
// --stop says what SIGTERM does:
//     close   server.close(), as Node's documentation shows
//     idle    and closeIdleConnections(), every 10 ms
//     header  and Connection: close on every response from then on
//     drain   server.drain(), which only weir has
// --express puts express (test/npm) between the server and the routes.
// The routes are those of target.c.  It prints "port N" when it listens.
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const crypto = require('node:crypto');
const { parseArgs } = require('node:util');

const { values: options } = parseArgs({
    strict: false,
    options: {
        log: { type: 'string' },
        stop: { type: 'string', default: 'header' },
        'header-timeout-ms': { type: 'string', default: '60000' },
        'request-timeout-ms': { type: 'string', default: '300000' },
        'keep-alive-ms': { type: 'string', default: '5000' },
        'max-connections': { type: 'string' },
        'deadline-ms': { type: 'string', default: '10000' },
        express: { type: 'boolean' },
    },
});
const log = options.log ? fs.openSync(options.log, 'a') : -1;
const text = Buffer.alloc(1 << 20, 'abcdefghijklmnopqrstuvwxyz');
const whole = text.subarray(0, text.length - text.length % 26);
const chunk = text.subarray(0, 1040);
const streams = new Set();
const sockets = new Set();
let isStopping = false;

function record(request, length) {
    if (log >= 0)
        fs.writeSync(log, `${request.method} ${request.url} ${length}\n`);
}

function headers(url, more) {
    const fields = { 'X-Id': url.searchParams.get('id') ?? '0', ...more };
    if (isStopping && options.stop === 'header')
        fields.Connection = 'close';
    return fields;
}

function answer(response, url, body) {
    response.writeHead(200, headers(url, { 'Content-Length': body.length }));
    response.end(body);
}

// Any number of bytes, no faster than the client reads them.
function large(response, url) {
    let left = Number(url.searchParams.get('bytes'));
    response.writeHead(200, headers(url, { 'Content-Length': left }));
    const step = () => {
        while (left > 0) {
            const part = whole.subarray(0, Math.min(left, whole.length));
            left -= part.length;
            if (!response.write(part))
                return response.once('drain', step);
        }
        response.end();
    };
    step();
}

// chunks of them, one every ms; without a number, until the server stops.
function stream(response, url) {
    let left = Number(url.searchParams.get('chunks') ?? Infinity);
    const step = () => {
        left -= 1;
        response.write(chunk);
        if (left <= 0)
            end();
    };
    const end = () => {
        clearInterval(timer);
        streams.delete(end);
        response.end();
    };
    response.writeHead(200, headers(url, {}));
    const timer = setInterval(step, Number(url.searchParams.get('ms') ?? 5));
    response.on('close', end);
    if (left === Infinity)
        streams.add(end);
    if (left === Infinity && isStopping && options.stop === 'drain')
        end(); // the drain waits for it
}

function parse(target) {
    try {
        return new URL(target, 'http://x');
    } catch {
        return new URL('http://x/');
    }
}

const limits = {
    headersTimeout: Number(options['header-timeout-ms']),
    requestTimeout: Number(options['request-timeout-ms']),
    keepAliveTimeout: Number(options['keep-alive-ms']),
    connectionsCheckingInterval: 100,
};

function serve(request, response) {
    const url = parse(request.url);
    const body = [];
    request.on('data', (data) => body.push(data));
    request.on('error', () => {});
    request.on('end', () => {
        const all = Buffer.concat(body);
        record(request, all.length);
        switch (url.pathname) {
        case '/large':
            return large(response, url);
        case '/stream':
        case '/events':
            return stream(response, url);
        case '/slow':
            return setTimeout(() => answer(response, url, all),
                              Number(url.searchParams.get('ms')));
        default:
            return answer(response, url,
                          request.method === 'POST' ? all : Buffer.from('OK\n'));
        }
    });
}

const handler = options.express ? require('../../npm/node_modules/express')().use(serve) : serve;
const server = http.createServer(limits, handler);

// A Close frame with code 1012, and the end.
const restart = (socket) => socket.end(Buffer.from([0x88, 2, 1012 >> 8, 1012 & 255]));

// Node has no WebSocket server: this one echoes whole, short frames.
server.on('upgrade', (request, socket, head) => {
    const accept = crypto.createHash('sha1')
        .update(request.headers['sec-websocket-key'] +
                '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
    let input = head;
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n' +
                 `Connection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    const take = () => {
        while (input.length >= 6 && !socket.writableEnded) {
            const short = input[1] & 127;
            const at = short === 126 ? 4 : 2;
            const size = short === 126 ? input.readUInt16BE(2) : short;
            if (input.length < at + 4 + size)
                return;
            const data = Buffer.from(input.subarray(at + 4, at + 4 + size));
            for (let i = 0; i < size; i++)
                data[i] ^= input[at + (i & 3)];
            const opcode = input[0] & 15;
            input = input.subarray(at + 4 + size);
            const length = size < 126 ? [size] : [126, size >> 8, size & 255];
            socket.write(Buffer.concat([Buffer.from([0x80 | opcode, ...length]),
                                        data]));
            if (opcode === 8)
                socket.end();
        }
    };
    socket.on('data', (data) => {
        input = Buffer.concat([input, data]);
        take();
    });
    if (isStopping && options.stop === 'drain')
        restart(socket); // the drain waits for it
});

process.on('SIGTERM', () => {
    isStopping = true;
    if (options.stop === 'drain') {
        server.drain({ deadline: Number(options['deadline-ms']) })
            .then(({ forced }) => process.exit(forced ? 1 : 0));
        for (const end of [...streams])
            end();
        sockets.forEach(restart);
        return;
    }
    server.close(() => process.exit(0));
    if (options.stop !== 'close')
        setInterval(() => server.closeIdleConnections(), 10);
    if (options.stop !== 'header')
        return;
    for (const end of [...streams])
        end();
    sockets.forEach(restart);
});

server.maxConnections = Number(options['max-connections']) || 0;
const where = process.env.LISTEN_FDS === undefined
    ? { host: '127.0.0.1', port: 0, backlog: 1024 }
    : { fd: 3 };
server.listen(where, () => console.log('port', server.address().port));
