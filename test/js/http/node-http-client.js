// Requests of a client: what they send, their events, and how sockets are used again.
'use strict';
const http = require('http');

const server = http.createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8');
    req.on('data', (text) => body += text);
    req.on('end', () => {
        const { host, ...headers } = req.headers;
        if (req.url === '/early') {
            res.writeProcessing();
            res.writeEarlyHints({ link: '</x>; rel=preload' });
        }
        if (req.url === '/long')
            res.write('x'.repeat(200000));
        if (req.url === '/trailers') {
            res.writeHead(200, { Trailer: 'X-End' });
            res.write('t');
            res.addTrailers({ 'X-End': 'yes' });
        }
        res.end(`${req.method} ${req.url} ${body} ${JSON.stringify(headers)}`);
    });
});

let port;
function ask(options, body) {
    return new Promise((resolve) => {
        const req = http.request({ port, host: '127.0.0.1', ...options }, (res) => {
            let text = '', size = 0;
            res.setEncoding('utf8');
            res.on('data', (piece) => { size += piece.length; text = piece; });
            res.on('end', () => console.log(res.statusCode, res.statusMessage, size,
                text.slice(-160), res.complete, res.trailers, req.reusedSocket));
        });
        req.on('information', (info) => console.log('information', info.statusCode,
            info.headers));
        req.on('continue', () => { console.log('continue'); req.end('late'); });
        req.on('finish', () => console.log('finish'));
        req.on('error', (error) => console.log('error', error.code, error.message));
        req.on('close', () => { console.log('close', req.destroyed); resolve(); });
        if (!options.headers?.Expect)
            req.end(body);
        else
            req.flushHeaders();
    });
}

server.listen(0, '127.0.0.1', async () => {
    ({ port } = server.address());
    await ask({ path: '/a' });
    await ask({ path: '/b', method: 'POST' }, 'body');
    await ask({ path: '/c', method: 'put', headers: { 'X-List': ['1', '2'] } }, Buffer.from('x'));
    await ask({ path: '/d', method: 'DELETE' });
    await ask({ path: '/e', agent: false });
    await ask({ path: '/early' });
    await ask({ path: '/long' });
    await ask({ path: '/trailers' });
    await ask({ path: '/f', method: 'POST', headers: { Expect: '100-continue' } });
    await ask({ path: '/g', auth: 'user:pass', setHost: false, headers: { host: 'h' } });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    await Promise.all(['/1', '/2', '/3'].map((path) => ask({ path, agent })));
    console.log(Object.keys(agent.sockets).length, Object.keys(agent.freeSockets).length,
        Object.keys(agent.requests).length, agent.totalSocketCount);
    agent.destroy();
    for (const bad of [{ path: '/a b' }, { method: 'A B' }, { protocol: 'ftp:' },
        { method: 5 }, { host: 5 }, { agent: {} }, { timeout: 'x' },
        { headers: { 'a b': 1 } }, { headers: { a: undefined } }, { headers: { a: '\n' } }])
        try {
            http.request({ port, ...bad });
        } catch (error) {
            console.log(error.name, error.code, error.message);
        }
    http.get(`http://127.0.0.1:${port}/get?x=1`, (res) => {
        res.resume();
        res.on('end', () => {
            http.globalAgent.destroy();
            server.close(() => console.log('closed'));
        });
    });
});
