// weir only
// The certificates of the system are read once and shared.  What one context adds,
// here a revocation list of somebody else, does not concern the others.
'use strict';
const fs = require('fs');
const tls = require('tls');
const { spawnSync } = require('child_process');

if (process.env.SSL_CERT_FILE !== 'keys/ca.pem') {
    const { stdout, stderr } = spawnSync(process.execPath, [__filename],
        { env: { ...process.env, SSL_CERT_FILE: 'keys/ca.pem', SSL_CERT_DIR: '/nonexistent' } });
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    return;
}

// Of keys/other.pem.
const crl = `-----BEGIN X509 CRL-----
MIGtMFYCAQEwCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKb3RoZXIudGVzdBcNMjYx
MTE5MTU0NzM5WhgPMjEyNjEwMjYxNTQ3MzlaoA4wDDAKBgNVHRQEAwIBATAKBggq
hkjOPQQDAgNHADBEAiBvmHRz8eUfIkaXssvkvbXFZszrvOuXHiSxOXo6GY+nlQIg
WZ8BkAdSea8U+L9HhwRhkDA+lpFjap0/siNdId+/4FI=
-----END X509 CRL-----
`;
const read = (name) => fs.readFileSync(`keys/${name}`);
const server = tls.createServer({ key: read('server.key'), cert: read('server.pem') },
    (socket) => socket.end());

const connect = (name, options) => new Promise((resolve) => {
    const client = tls.connect({ port: server.address().port, host: '127.0.0.1',
        servername: 'localhost', ...options }, () => {
        console.log(name, client.authorized);
        client.end();
    });
    client.resume().on('error', ({ code }) => console.log(name,
        code === 'UNABLE_TO_GET_CRL' ? code : 'refused')).on('close', resolve);
});

server.listen(0, '127.0.0.1', async () => {
    await connect('roots');
    await connect('other roots', { ca: read('other.pem') });
    await connect('revocation list', { secureContext: tls.createSecureContext({ crl }) });
    await connect('roots again');
    await connect('two roots', { ca: [read('other.pem'), read('ca.pem')] });
    server.close();
});
