// Both ends of a TLS connection: what they agree on, certificates, and the end.
'use strict';
const fs = require('fs');
const tls = require('tls');

const read = (name) => fs.readFileSync(`keys/${name}`);
const ca = read('ca.pem');
const server = tls.createServer({ key: read('server.key'), cert: read('server.pem'),
    ALPNProtocols: ['one', 'two'] }, (socket) => {
    console.log('server:', socket.encrypted, socket.authorized, socket.getProtocol(),
        socket.getCipher(), socket.alpnProtocol, socket.servername, socket.server === server);
    console.log(socket.getPeerCertificate(), socket.getCertificate().subject,
        socket.isSessionReused(), socket instanceof tls.TLSSocket);
    socket.on('data', (data) => {
        console.log('server: data', String(data));
        socket.write('pong');
    });
    socket.on('end', () => console.log('server: end'));
    socket.on('close', (hadError) => console.log('server: close', hadError));
});
server.on('keylog', (line, socket) => {
    if (/^CLIENT_TRAFFIC_SECRET_0/.test(line))
        console.log('keylog', String(line).split(' ').length, socket.encrypted);
});
server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    const client = tls.connect({ port, host: '127.0.0.1', ca, servername: 'localhost',
        ALPNProtocols: ['two'] }, () => {
        console.log('client:', client.authorized, client.authorizationError,
            client.getProtocol(), client.alpnProtocol, client.servername,
            client.isSessionReused());
        show(client.getPeerCertificate());
        const chain = client.getPeerCertificate(true);
        console.log(chain.issuerCertificate.subject.CN,
            chain.issuerCertificate.issuerCertificate === chain.issuerCertificate);
        console.log(client.getEphemeralKeyInfo(), client.getFinished().length,
            client.getPeerFinished().length, client.exportKeyingMaterial(16, 'label').length,
            client.getCertificate());
        client.write('ping');
    });
    console.log(client.secureConnecting, client.connecting, client.encrypted);
    client.on('data', (data) => {
        console.log('client: data', String(data), client.bytesRead > 0);
        client.end();
    });
    client.on('end', () => console.log('client: end'));
    client.on('close', (hadError) => {
        console.log('client: close', hadError, client.getPeerCertificate(),
            client.getProtocol());
        server.close();
    });
});

function show(certificate) {
    const { subject, issuer, subjectaltname, bits, exponent, ca, ext_key_usage: usage, raw,
        modulus, valid_from: from, serialNumber, fingerprint, fingerprint256 } = certificate;
    console.log(subject, issuer, subjectaltname, bits, exponent, ca, usage, raw.length,
        modulus.length, from, serialNumber, fingerprint, fingerprint256);
    console.log(Object.keys(certificate).join());
}
