// SNI: contexts by name, an asynchronous SNICallback, ALPNCallback, and
// checkServerIdentity.
'use strict';
const fs = require('fs');
const tls = require('tls');

const read = (name) => fs.readFileSync(`keys/${name}`);
const main = { key: read('server.key'), cert: read('server.pem') };
const other = { key: read('other.key'), cert: read('other.pem') };

function connect(server, options, done) {
    const client = tls.connect({ port: server.address().port, host: '127.0.0.1',
        rejectUnauthorized: false, ...options });
    client.on('secureConnect', () => {
        console.log(client.servername, client.getPeerCertificate().subject.CN,
            client.alpnProtocol, client.getPeerCertificate().asn1Curve,
            client.getPeerCertificate().nistCurve);
        client.end();
    });
    client.on('error', (error) => console.log('client', error.code));
    client.on('close', done);
    client.resume();
}

function withContexts() {
    const server = tls.createServer(main, (socket) => {
        socket.end();
        socket.resume();
    });
    server.addContext('*.other.test', other);
    server.listen(0, '127.0.0.1', () =>
        connect(server, { servername: 'a.other.test' }, () =>
            connect(server, { servername: 'a.b.other.test' }, () =>
                connect(server, { servername: 'localhost' }, () =>
                    connect(server, {}, () => server.close(withCallback))))));
}

function withCallback() {
    const server = tls.createServer({ ...main, SNICallback(name, done) {
        console.log('SNICallback', name);
        setImmediate(() => name === 'bad.test' ? done(new Error('bad')) : done(null,
            name === 'second.test' ? tls.createSecureContext(other) : undefined));
    } });
    server.on('secureConnection', (socket) => {
        console.log('server', socket.servername);
        socket.end();
        socket.resume();
    });
    server.on('tlsClientError', (error) => console.log('tlsClientError', error.message));
    server.listen(0, '127.0.0.1', () =>
        connect(server, { servername: 'second.test' }, () =>
            connect(server, { servername: 'first.test' }, () =>
                connect(server, { servername: 'bad.test' }, () =>
                    server.close(withProtocols)))));
}

function withProtocols() {
    const server = tls.createServer({ ...main, ALPNCallback({ servername, protocols }) {
        console.log('ALPNCallback', servername, protocols);
        return protocols.includes('x') ? 'x' : undefined;
    } });
    server.on('secureConnection', (socket) => {
        console.log('server', socket.alpnProtocol);
        socket.end();
        socket.resume();
    });
    server.on('tlsClientError', (error) => console.log('tlsClientError', error.code));
    server.listen(0, '127.0.0.1', () =>
        connect(server, { servername: 'localhost', ALPNProtocols: ['w', 'x'] }, () =>
            connect(server, { servername: 'localhost', ALPNProtocols: ['y'] }, () =>
                server.close())));
}

for (const [host, cert] of [
    ['a.com', { subjectaltname: 'DNS:a.com' }], ['A.COM.', { subjectaltname: 'DNS:a.com' }],
    ['b.com', { subjectaltname: 'DNS:a.com' }], ['x.a.com', { subjectaltname: 'DNS:*.a.com' }],
    ['x.y.a.com', { subjectaltname: 'DNS:*.a.com' }], ['a.com', { subjectaltname: 'DNS:*.com' }],
    ['foo.a.com', { subjectaltname: 'DNS:f*o.a.com' }],
    ['1.2.3.4', { subjectaltname: 'IP Address:1.2.3.4' }],
    ['1.2.3.5', { subjectaltname: 'IP Address:1.2.3.4' }],
    ['::1', { subjectaltname: 'IP Address:0:0:0:0:0:0:0:1' }],
    ['fe80::1%lo', { subjectaltname: 'IP Address:FE80:0:0:0:0:0:0:1' }],
    ['fe80::1%lo', { subjectaltname: 'IP Address:1.2.3.4' }],
    ['a.com', { subject: { CN: 'a.com' } }], ['a.com', { subject: { CN: ['b.com', 'a.com'] } }],
    ['b.com', { subject: { CN: 'a.com' } }], ['a.com', { subject: {} }],
    ['a, b', { subjectaltname: 'DNS:"a, b", DNS:c' }], ['c', { subjectaltname: 'DNS:"a, b", DNS:c' }],
]) {
    const error = tls.checkServerIdentity(host, cert);
    console.log(host, error?.code, error?.reason);
}
withContexts();
