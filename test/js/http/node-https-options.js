// A server of node:https that chooses certificates by name (addContext, SNICallback),
// asks clients for theirs, replaces its own, limits versions and protocols, and what
// request.socket tells of all this.
'use strict';
const fs = require('fs');
const https = require('https');
const tls = require('tls');

const read = (name) => fs.readFileSync(`../net/keys/${name}`);
const ca = read('ca.pem');
const main = { key: read('server.key'), cert: read('server.pem') };
const other = { key: read('other.key'), cert: read('other.pem') };

function ask(server, options = {}) {
    return new Promise((resolve) => {
        const request = https.get({ port: server.address().port, host: '127.0.0.1',
            servername: 'localhost', agent: false, rejectUnauthorized: false,
            ...options }, (response) => {
            const { alpnProtocol } = response.socket;
            const { CN } = response.socket.getPeerCertificate().subject;
            let body = '';
            response.setEncoding('utf8').on('data', (piece) => { body += piece; });
            response.on('end', () => {
                console.log('client', CN, alpnProtocol, body);
                resolve();
            });
        });
        request.on('error', (error) => {
            console.log('client fails', error instanceof Error);
            resolve();
        });
    });
}

async function withServer(options, handler, use) {
    const server = https.createServer(options, handler);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    await use(server);
    await new Promise((resolve) => server.close(resolve));
}

const tellName = (request, response) => response.end(`name ${request.socket.servername}`);

async function names() {
    await withServer(main, tellName, async (server) => {
        await ask(server);
        server.addContext('*.other.test', other);
        await ask(server, { servername: 'a.other.test' });
        await ask(server, { servername: 'a.b.other.test' });
        await ask(server, { servername: '' });
        try {
            server.addContext('');
        } catch (error) {
            console.log(error.code);
        }
    });
    const options = { ...main, SNICallback(name, done) {
        console.log('SNICallback', name);
        setImmediate(() => name === 'bad.test' ? done(new Error('bad')) : done(null,
            name === 'second.test' ? tls.createSecureContext(other) : undefined));
    } };
    await withServer(options, tellName, async (server) => {
        await ask(server, { servername: 'second.test' });
        await ask(server, { servername: 'first.test' });
        await ask(server, { servername: 'bad.test' });
        await ask(server, { servername: '' });
        const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
        await ask(server, { servername: 'second.test', agent });
        await ask(server, { servername: 'second.test', agent });
        agent.destroy();
    });
}

async function clients() {
    const tell = ({ socket }, response) => response.end(`${socket.authorized} ${
        socket.authorizationError} ${socket.getPeerCertificate().subject?.CN} ${
        socket.encrypted} ${socket instanceof tls.TLSSocket}`);
    await withServer({ ...main, ca }, tell, (server) => ask(server, main));
    await withServer({ ...main, ca, requestCert: true, rejectUnauthorized: false }, tell,
        async (server) => {
            await ask(server, main);
            await ask(server);
            await ask(server, other);
        });
    await withServer({ ...main, ca, requestCert: true }, tell, async (server) => {
        await ask(server, main);
        await ask(server);
    });
    // Clients without a certificate are asked for one under the other name, too.
    await withServer({ ...main, ca, requestCert: true }, tell, async (server) => {
        server.addContext('other.test', { ...other, ca });
        await ask(server, { ...main, servername: 'other.test' });
        await ask(server, { servername: 'other.test' });
    });
}

async function agreements() {
    const tell = ({ socket }, response) => response.end(`${socket.getProtocol()} ${
        socket.getCipher().name} ${socket.alpnProtocol} ${socket.isSessionReused()} ${
        socket.getCertificate().subject.CN} ${socket.secureConnecting} ${
        socket.exportKeyingMaterial(8, 'label').length}`);
    await withServer({ ...main, maxVersion: 'TLSv1.2',
        ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256' }, tell, (server) =>
        ask(server));
    await withServer({ ...main, minVersion: 'TLSv1.3' }, tell, async (server) => {
        await ask(server, { ALPNProtocols: ['h2', 'http/1.1'] });
        await ask(server, { ALPNProtocols: ['h2'] });
        await ask(server, { maxVersion: 'TLSv1.2' });
    });
    await withServer({ ...main, ALPNProtocols: ['x', 'http/1.1'] }, tell, (server) =>
        ask(server, { ALPNProtocols: ['http/1.1', 'x'] }));
    await withServer({ ...main, ALPNCallback({ servername, protocols }) {
        console.log('ALPNCallback', servername, protocols);
        return protocols.at(-1);
    } }, tell, (server) => ask(server, { ALPNProtocols: ['http/1.1', 'y'] }));
}

async function replacement() {
    await withServer(main, tellName, async (server) => {
        const agent = new https.Agent({ keepAlive: true, maxCachedSessions: 0 });
        await ask(server, { agent });
        server.setSecureContext(other);
        await ask(server, { agent }); // the same connection
        await ask(server);
        server.setSecureContext(main);
        await ask(server);
        agent.destroy();
        console.log(server.getTicketKeys().length);
    });
}

async function upgrades() {
    await withServer({ ...main, ca, requestCert: true }, null, async (server) => {
        server.on('upgrade', (request, socket) => {
            console.log(request.socket === socket, socket instanceof tls.TLSSocket,
                socket.encrypted, socket.authorized, socket.servername,
                socket.getPeerCertificate().subject.CN, socket.getProtocol());
            socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n' +
                'Upgrade: echo\r\n\r\n');
            socket.pipe(socket);
        });
        const request = https.get({ port: server.address().port, host: '127.0.0.1', ...main,
            servername: 'localhost', agent: false, rejectUnauthorized: false,
            headers: { Connection: 'Upgrade', Upgrade: 'echo' } });
        await new Promise((resolve) => request.on('upgrade', (response, socket) => {
            let text = '';
            socket.on('data', (piece) => {
                text += piece;
                if (text.length === 100_000)
                    socket.end();
            });
            socket.on('close', () => {
                console.log('closed', text.length);
                resolve();
            });
            socket.write('x'.repeat(100_000));
        }));
    });
}

async function events() {
    await withServer(main, tellName, async (server) => {
        const seen = [];
        let keys = 0;
        server.on('secureConnection', (socket) => seen.push(socket));
        server.on('keylog', (line) => { keys += Buffer.isBuffer(line); });
        server.once('request', (request) => console.log(request.socket === seen[0],
            seen[0].servername, seen[0].getProtocol()));
        await ask(server);
        console.log(seen.length, keys);
    });
    const end = (request, response) => response.end();
    await withServer(main, end, async (server) => {
        server.on('secureConnection', (socket) => socket.destroy());
        await ask(server);
    });
    await withServer(main, end, async (server) => {
        server.on('secureConnection', () => server.closeAllConnections());
        await ask(server);
    });
}

function errors() {
    for (const options of [{ key: 'x', cert: 'y' }, { ...main, key: other.key },
        { ...main, SNICallback: 'x' }, { ...main, minVersion: 'x' }, { key: 1 },
        { ...main, ALPNProtocols: ['x'], ALPNCallback() {} }, { ...main, handshakeTimeout: 'x' }])
        try {
            https.createServer(options);
            console.log('no error');
        } catch (error) {
            console.log(error.name, error.code);
        }
}

async function run() {
    errors();
    await names();
    await clients();
    await agreements();
    await replacement();
    await upgrades();
    await events();
}
run();
