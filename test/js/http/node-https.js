// A server and clients of node:https: a certificate that is trusted, one that is
// not, another name, what the server sees, a body in both directions, an agent
// that keeps its connection.
'use strict';
const fs = require('fs');
const https = require('https');

const read = (name) => fs.readFileSync(`../net/keys/${name}`);
const ca = read('ca.pem');
const server = https.createServer({ key: read('server.key'), cert: read('server.pem') },
    (request, response) => {
        console.log('request', request.method, request.url, request.socket.encrypted,
            request.headers.host.replace(/\d+$/, 'N'));
        response.setHeader('X-Test', 'yes');
        request.pipe(response);
    });

const ask = (options, body = '') => new Promise((resolve) => {
    const request = https.request({ port: server.address().port, host: '127.0.0.1',
        servername: 'localhost', method: 'POST', ...options }, (response) => {
        const pieces = [], { authorized } = response.socket;
        response.on('data', (piece) => pieces.push(piece));
        response.on('end', () => {
            console.log(response.statusCode, response.headers['x-test'],
                Buffer.concat(pieces).length, request.reusedSocket,
                authorized);
            resolve();
        });
    });
    request.on('error', (error) => {
        console.log(error.code, error.message.split('\n')[0]);
        resolve();
    });
    request.end(body);
});

server.listen(0, '127.0.0.1', async () => {
    console.log(server instanceof require('net').Server, https.globalAgent.defaultPort);
    await ask({ ca, path: '/trusted', agent: false }, 'a body');
    await ask({ path: '/untrusted', agent: false });
    await ask({ ca, servername: 'other.example', path: '/name', agent: false });
    await ask({ path: '/unchecked', rejectUnauthorized: false, agent: false }, 'x'.repeat(100000));
    const agent = new https.Agent({ keepAlive: true, ca });
    await ask({ path: '/first', agent }, '1');
    await ask({ path: '/second', agent }, '22');
    agent.destroy();
    server.close(() => console.log('closed'));
});
