'use strict';
const httpProxy = require('http-proxy');
const { ask } = require('./support/ask.cjs');
const { start } = require('./support/server.cjs');

start((at, stop) => {
    const proxy = httpProxy.createProxyServer({ target: at });
    proxy.on('proxyReq', (request) => request.setHeader('accept', 'text/proxied'));
    proxy.on('proxyRes', (response) => { response.headers['x-proxied'] = 'yes'; });
    const server = require('http').createServer((req, res) => proxy.web(req, res));
    server.listen(0, '127.0.0.1', async () => {
        const front = `http://127.0.0.1:${server.address().port}`;
        await ask(`${front}/json`);
        await ask(`${front}/echo`, { method: 'POST', body: 'x'.repeat(50), type: 'text/plain' });
        await ask(`${front}/none`);
        server.close(() => stop());
    });
});
