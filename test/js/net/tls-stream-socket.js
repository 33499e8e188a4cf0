// The class of Node's own sockets over streams, as http2-wrapper (of got) finds it.
'use strict';
const net = require('net');
const tls = require('tls');
const { Duplex, PassThrough } = require('stream');

const { constructor: StreamSocket } = new tls.TLSSocket(new PassThrough())._handle._parentWrap;

// Two streams, each of which reads what the other writes.
function pair() {
    const ends = [0, 1].map((i) => new Duplex({
        read() {},
        write(chunk, encoding, callback) {
            ends[1 - i].push(chunk);
            callback();
        },
        final(callback) {
            ends[1 - i].push(null);
            callback();
        },
    }));
    return ends;
}

const [near, far] = pair();
const socket = new StreamSocket(near);
console.log(StreamSocket.name, socket instanceof net.Socket, socket.stream === near);
let sent = '', received = '';
far.setEncoding('utf8').on('data', (text) => { sent += text; })
    .on('end', () => { far.end(`heard ${sent.length}`); });
socket.setEncoding('utf8').on('data', (text) => { received += text; })
    .on('end', () => console.log(received)).on('close', (failed) => console.log('closed', failed));
socket.write('a'.repeat(100_000));
socket.end('b');
