// Connections that fail, and why.
'use strict';
const fs = require('fs');
const net = require('net');
const tls = require('tls');

const read = (name) => fs.readFileSync(`keys/${name}`);
const ca = read('ca.pem'), key = read('server.key'), cert = read('server.pem');
const server = tls.createServer({ key, cert, ALPNProtocols: ['a'], maxVersion: 'TLSv1.2' });
server.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    socket.resume();
});
let isQuiet = false;
server.on('tlsClientError', (error) =>
    isQuiet || console.log('tlsClientError', error.code, error.reason));
const steps = [
    ['unknown authority', { servername: 'localhost' }],
    ['wrong name', { ca, servername: 'wrong.test' }],
    ['wrong address', { ca, servername: '', host: '127.0.0.1' }, true],
    ['own check', { ca, servername: 'localhost', checkServerIdentity: (host, peer) =>
        Object.assign(new Error(`not ${host} ${peer.subject.CN}`), { code: 'OWN' }) }],
    ['not rejected', { servername: 'localhost', rejectUnauthorized: false }],
    ['protocol version', { ca, servername: 'localhost', minVersion: 'TLSv1.3' }],
    ['no common protocol', { ca, servername: 'localhost', ALPNProtocols: ['b'] }],
    ['no common cipher', { ca, servername: 'localhost', ciphers: 'AES128-SHA' }],
];

function next() {
    const step = steps.shift();
    if (step === undefined) {
        plainClient();
        return;
    }
    const [label, options] = step;
    const client = tls.connect({ port: server.address().port, host: '127.0.0.1', ...options });
    client.on('error', (error) => {
        isQuiet = true;
        console.log(label, error.code, error.reason ?? error.message, error.library);
    });
    client.on('secureConnect', () => {
        console.log(label, 'connected', client.authorized, client.authorizationError);
        client.end();
    });
    client.on('close', (hadError) => {
        console.log('close', hadError);
        isQuiet = false;
        setImmediate(next);
    });
    client.resume();
}

// A client that speaks no TLS, and one that leaves.
function plainClient() {
    server.once('tlsClientError', (error, socket) => {
        console.log(socket instanceof tls.TLSSocket);
        const leaver = net.connect(server.address().port, '127.0.0.1', () => leaver.end());
        server.once('tlsClientError', () => plainServer());
    });
    const client = net.connect(server.address().port, '127.0.0.1');
    client.end('GET / HTTP/1.0\r\n\r\n');
    client.on('error', () => {});
}

function plainServer() {
    server.close();
    const plain = net.createServer((socket) => {
        socket.end('not TLS\n');
        socket.on('error', () => {});
    });
    plain.listen(0, '127.0.0.1', () => {
        const client = tls.connect({ port: plain.address().port, host: '127.0.0.1' });
        client.on('error', (error) => {
            console.log(error.code, error.reason);
            plain.close();
            hangUp();
        });
    });
}

function hangUp() {
    const plain = net.createServer((socket) => {
        socket.on('error', () => {});
        socket.resume();
        socket.once('data', () => socket.end());
    });
    plain.listen(0, '127.0.0.1', () => {
        const client = tls.connect({ port: plain.address().port, host: '127.0.0.1' });
        client.on('error', (error) => {
            console.log(error.code, error.message, error.host, error.path,
                error.port === plain.address().port);
            plain.close();
        });
    });
}

for (const [label, fn] of [
    ['key', () => tls.createSecureContext({ key: 5 })],
    ['mismatch', () => tls.createSecureContext({ key: read('other.key'), cert })],
    ['version', () => tls.createSecureContext({ minVersion: 'x' })],
    ['conflict', () => tls.createSecureContext({ minVersion: 'TLSv1.2',
        secureProtocol: 'TLSv1_2_method' })],
    ['ciphers', () => tls.createSecureContext({ ciphers: 5 })],
    ['empty ciphers', () => tls.createSecureContext({ ciphers: '' })],
    ['pem', () => tls.createSecureContext({ cert: 'not PEM' })],
    ['ecdh', () => tls.createSecureContext({ ecdhCurve: 1 })],
    ['curve', () => tls.createSecureContext({ ecdhCurve: 'not a curve' })],
    ['crl', () => tls.createSecureContext({ crl: 'not PEM' })],
    ['dhparam', () => tls.createSecureContext({ dhparam: 'not PEM' })],
    ['session', () => {
        try {
            tls.createSecureContext({ sessionIdContext: 'x'.repeat(33) });
        } catch {
            throw new Error('too long'); // Node's text has an address
        }
    }],
    ['timeout', () => tls.createServer({ handshakeTimeout: 'x' })],
    ['sni', () => tls.createServer({ SNICallback: 'x' })],
    ['alpn', () => tls.createServer({ ALPNCallback() {}, ALPNProtocols: ['a'] })],
    ['options', () => tls.createServer('x')],
    ['context', () => server.addContext('')],
])
    try {
        fn();
        console.log(label, 'no error');
    } catch (error) {
        console.log(label, error.name, error.code, error.reason ?? error.message);
    }
server.listen(0, '127.0.0.1', next);
