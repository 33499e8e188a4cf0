// close(), closeIdleConnections(), closeAllConnections(), listen() again, options.
'use strict';
const http = require('http');
const net = require('net');

const attempt = (name, fn) => {
    try {
        console.log(name, fn());
    } catch (error) {
        console.log(name, error.name, error.code, error.message);
    }
};

for (const options of [{ headersTimeout: 10, requestTimeout: 5 }, { keepAliveTimeout: 'x' },
    { maxHeaderSize: 1.5 }, { insecureHTTPParser: 1 }, { requireHostHeader: 1 },
    { joinDuplicateHeaders: 'x' }, 5])
    attempt('options', () => http.createServer(options) instanceof net.Server);
const plain = new http.Server();
console.log(plain.timeout, plain.headersTimeout, plain.requestTimeout, plain.keepAliveTimeout,
    plain.maxHeadersCount, plain.maxRequestsPerSocket, plain.listening, plain.address());
plain.close((error) => console.log(error.code, error.message));

const agent = new http.Agent({ keepAlive: true });
const server = http.createServer((req, res) => {
    if (req.url === '/slow')
        server.emit('slow', res);
    else
        res.end(req.url);
});

const get = (path) => new Promise((resolve) => {
    http.get({ port: server.address().port, host: '127.0.0.1', path, agent }, (res) => {
        res.resume();
        res.on('end', () => setImmediate(resolve, res.headers.connection));
    }).on('error', (error) => resolve(error.message));
});

const listen = () => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const closed = () => new Promise((resolve) => server.close(resolve));

(async () => {
    await listen();
    attempt('twice', () => server.listen(0));
    const other = http.createServer().listen(server.address().port, '127.0.0.1');
    other.on('error', (error) => console.log(error.code, error.syscall, error.address,
        error.message.replace(/\d+$/, 'port')));
    console.log(await get('/1'), Object.keys(agent.freeSockets).length);
    await closed(); // closes the idle connection, too
    console.log('closed');
    await listen();
    const slow = get('/slow');
    const res = await new Promise((resolve) => server.once('slow', resolve));
    let isClosed = false;
    server.close(() => { isClosed = true; console.log('closed after the response'); });
    console.log(server.listening, isClosed);
    res.end('done');
    console.log(await slow);
    server.closeIdleConnections();
    await new Promise((resolve) => server.once('close', resolve));
    await listen();
    const cut = get('/slow');
    await new Promise((resolve) => server.once('slow', resolve));
    const forced = closed();
    server.closeAllConnections();
    console.log(await cut, await forced);
    agent.destroy();
})();
