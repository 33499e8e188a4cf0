// Client certificates, sessions that are resumed, and a client that is gone.
'use strict';
const fs = require('fs');
const tls = require('tls');

const read = (name) => fs.readFileSync(`keys/${name}`);
const ca = read('ca.pem'), key = read('server.key'), cert = read('server.pem');

function connect(server, options, done) {
    const client = tls.connect({ port: server.address().port, host: '127.0.0.1', ca,
        servername: 'localhost', ...options });
    let session;
    client.on('session', (given) => { session ??= given; });
    client.on('data', (data) => console.log('client', String(data), client.isSessionReused()));
    client.on('error', (error) => console.log('client', error.code));
    client.on('close', () => done(session));
}

function run(rejectUnauthorized, done) {
    const server = tls.createServer({ key, cert, ca, requestCert: true, rejectUnauthorized },
        (socket) => {
            console.log('server', socket.authorized, socket.authorizationError,
                socket.getPeerCertificate().subject?.CN);
            socket.end('hello');
            socket.resume();
        });
    let errors = 0;
    server.on('tlsClientError', () => errors++);
    server.listen(0, '127.0.0.1', () => connect(server, { key, cert }, () =>
        rejectUnauthorized ? connect(server, {}, () => server.close(done))
            : connect(server, {}, () => connect(server, { key: read('other.key'),
                cert: read('other.pem') }, () => {
                console.log(errors);
                server.close(done);
            }))));
}

function resume(version, done) {
    const server = tls.createServer({ key, cert, maxVersion: version }, (socket) => {
        console.log('server', socket.getProtocol(), socket.isSessionReused());
        socket.end('hello');
        socket.resume();
    });
    server.listen(0, '127.0.0.1', () => connect(server, {}, (session) => {
        console.log(Buffer.isBuffer(session));
        connect(server, { session }, () => {
            console.log(server.getTicketKeys().length);
            server.setTicketKeys(Buffer.alloc(48, 1));
            connect(server, { session }, () => server.close(done));
        });
    }));
}

// A server that keeps its side open writes to nobody.
function leave(done) {
    const server = tls.createServer({ key, cert, allowHalfOpen: true }, (socket) => {
        socket.on('error', (error) => console.log('server', error.code, error.syscall));
        socket.on('end', () => socket.write('one', () => setTimeout(() =>
            socket.write('two', (error) => console.log('two', error?.code)), 20)));
        socket.on('close', (hadError) => {
            console.log('close', hadError);
            server.close(done);
        });
        socket.write('hello');
        socket.resume();
    });
    server.listen(0, '127.0.0.1', () => {
        const client = tls.connect({ port: server.address().port, host: '127.0.0.1', ca,
            servername: 'localhost' });
        client.on('data', () => client.destroy());
    });
}

run(true, () => run(false, () => resume('TLSv1.3', () => resume('TLSv1.2', () => leave(() => {
    console.log('done');
})))));
