// maxHeadersCount, maxRequestsPerSocket, captureRejections, Unix sockets with
// relative paths, and text that is not ASCII.
'use strict';
const http = require('http');
const events = require('events');
const fs = require('fs');
const os = require('os');
const path = require('path');

const ask = (options, body) => new Promise((resolve) => {
    const req = http.request({ host: '127.0.0.1', agent: false, ...options }, (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (piece) => text += piece);
        res.on('end', () => resolve([res.statusCode, res.headers.connection,
            res.headers['keep-alive'], Object.keys(res.headers).length, text]));
    });
    if (options.most)
        req.maxHeadersCount = options.most;
    req.end(body);
});

const listen = (server, ...args) => new Promise((resolve) =>
    server.listen(...args, () => resolve(server.address())));

(async () => {
    const server = http.createServer((req, res) => {
        let text = '';
        req.setEncoding('utf8');
        req.on('data', (piece) => text += piece);
        req.on('end', () => {
            for (let i = 0; i < 30; i++)
                res.setHeader(`x-${i}`, 'y');
            res.end(`${Object.keys(req.headers).length} ${text}`);
        });
    });
    server.maxHeadersCount = 5;
    const { port } = await listen(server, 0, '127.0.0.1');
    const headers = { Host: 'x' };
    for (let i = 0; i < 10; i++)
        headers[`h${i}`] = 'v';
    console.log(await ask({ port, headers, most: 7 }));
    console.log(await ask({ port, method: 'POST' }, 'äöü €😀'));
    server.maxRequestsPerSocket = 2;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 3; i++)
        console.log((await ask({ port, agent })).slice(0, 3));
    agent.destroy();
    server.close();

    events.captureRejections = true;
    const failing = http.createServer(async (req, res) => {
        res.setHeader('x-gone', '1');
        throw new Error('rejected');
    });
    events.captureRejections = false;
    console.log(await ask({ port: (await listen(failing, 0, '127.0.0.1')).port }));
    failing.close();

    process.chdir(fs.mkdtempSync(path.join(os.tmpdir(), 'weir-http-')));
    const local = http.createServer((req, res) => res.end(`${req.socket.remoteAddress}`));
    console.log(await listen(local, './socket'));
    console.log(await ask({ socketPath: './socket', host: undefined }));
    local.close(() => {
        console.log(fs.existsSync('socket'));
        fs.rmdirSync(process.cwd());
    });
})();
