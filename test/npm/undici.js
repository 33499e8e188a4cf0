'use strict';
const http = require('node:http');
const { Agent, Client, FormData, Pool, fetch, pipeline, request, stream } = require('undici');

const server = http.createServer((req, res) => {
    let body = '';
    req.on('data', (data) => { body += data; });
    req.on('end', () => {
        res.setHeader('content-type', 'application/json');
        res.statusCode = req.url === '/none' ? 404 : 200;
        res.end(JSON.stringify({ method: req.method, url: req.url, body }));
    });
});
server.listen(0, '127.0.0.1', async () => {
    const at = `http://127.0.0.1:${server.address().port}`;
    const { statusCode, headers, body } = await request(`${at}/a?b=1`);
    console.log(statusCode, headers['content-type'], await body.json());
    const posted = await request(`${at}/post`, { method: 'POST', body: 'text' });
    console.log(await posted.body.json());
    const response = await fetch(`${at}/none`);
    console.log(response.status, await response.json());
    const pool = new Pool(at, { connections: 2, pipelining: 2 });
    const all = await Promise.all([1, 2, 3, 4].map(async (n) =>
        (await (await pool.request({ path: `/${n}`, method: 'GET' })).body.json()).url));
    console.log(all);
    await pool.close();
    const client = new Client(at);
    await client.request({ path: '/', method: 'GET', signal: AbortSignal.abort() }).catch((error) =>
        console.log(error.name, error.code));
    await client.close();
    server.close(() => console.log('closed'));
    server.closeAllConnections();
});
