// TLS on a socket that was in use before (STARTTLS), and on any Duplex.
'use strict';
const fs = require('fs');
const net = require('net');
const { Duplex } = require('stream');
const tls = require('tls');

const read = (name) => fs.readFileSync(`keys/${name}`);
const ca = read('ca.pem');
const secureContext = tls.createSecureContext({ key: read('server.key'),
    cert: read('server.pem') });
const server = net.createServer((raw) => {
    raw.once('data', (data) => {
        console.log('server:', String(data));
        raw.write('go ahead', () => {
            const secure = new tls.TLSSocket(raw, { isServer: true, secureContext });
            secure.on('secure', () => console.log('server: secure', secure.getProtocol()));
            secure.on('data', (data) => {
                console.log('server:', String(data));
                secure.end('encrypted answer');
            });
            secure.on('close', () => console.log('server: secure close'));
            raw.on('close', () => console.log('server: close', raw.destroyed));
        });
    });
});
server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    const raw = net.connect(port, '127.0.0.1', () => raw.write('STARTTLS'));
    raw.once('data', (data) => {
        console.log('client:', String(data));
        const secure = tls.connect({ socket: raw, ca, servername: 'localhost' }, () => {
            console.log('client: secure', secure.authorized, secure.remotePort === port);
        });
        secure.write('encrypted question'); // waits for the handshake
        secure.on('data', (data) => console.log('client:', String(data)));
        secure.on('end', () => console.log('client: end'));
        secure.on('close', () => {
            console.log('client: secure close', raw.destroyed);
            server.close(duplex);
        });
    });
});

// Two streams of JavaScript that are joined.
function joined() {
    const make = () => new Duplex({
        read() {},
        write(chunk, encoding, callback) {
            setImmediate(() => {
                this.other.push(chunk);
                callback();
            });
        },
        final(callback) {
            this.other.push(null);
            callback();
        },
    });
    const ends = [make(), make()];
    [ends[0].other, ends[1].other] = [ends[1], ends[0]];
    return ends;
}

function duplex() {
    const [one, two] = joined();
    const far = new tls.TLSSocket(one, { isServer: true, secureContext });
    far.on('data', (data) => far.end(`echo ${data}`));
    const near = tls.connect({ socket: two, ca, servername: 'localhost' }, () => {
        console.log('duplex', near.authorized, near.getProtocol());
        near.write('through a Duplex');
    });
    near.on('data', (data) => console.log(String(data)));
    near.on('end', () => console.log('end'));
    near.on('close', () => console.log('close'));
}
