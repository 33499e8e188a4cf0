// AsyncLocalStorage in requests, and the channels of diagnostics_channel.
'use strict';
const http = require('http');
const { AsyncLocalStorage } = require('async_hooks');
const diagnostics = require('diagnostics_channel');

const storage = new AsyncLocalStorage();
for (const name of ['http.server.request.start', 'http.server.response.finish',
    'http.client.request.start', 'http.client.response.finish'])
    diagnostics.subscribe(name, (message) =>
        console.log(name, Object.keys(message).sort().join()));

storage.run('server', () => {
    const server = http.createServer((req, res) => {
        console.log('request', storage.getStore());
        storage.run(req.url, async () => {
            let size = 0;
            for await (const piece of req)
                size += piece.length;
            await new Promise((resolve) => setImmediate(resolve));
            console.log('answer', storage.getStore(), size);
            res.on('finish', () => console.log('finish', storage.getStore() !== undefined));
            res.end('x');
        });
    });
    server.listen(0, '127.0.0.1', () => storage.exit(async () => {
        const agent = new http.Agent({ keepAlive: true });
        for (const name of ['one', 'two'])
            await storage.run(name, () => new Promise((resolve) => {
                const req = http.request({ port: server.address().port, host: '127.0.0.1',
                    path: `/${name}`, method: 'POST', agent }, (res) => {
                    console.log('response', storage.getStore());
                    res.on('data', () => console.log('data', storage.getStore()));
                    res.on('end', () => setImmediate(resolve));
                });
                req.end('body');
            }));
        agent.destroy();
        server.close();
    }));
});
