'use strict';
const http = require('node:http');
const superagent = require('superagent');

const server = http.createServer((req, res) => {
    const parts = [];
    req.on('data', (data) => parts.push(data));
    req.on('end', () => {
        if (req.url === '/moved') {
            res.writeHead(302, { location: '/echo?from=moved' }).end();
        } else if (req.url === '/broken') {
            res.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"broken"}');
        } else if (req.url === '/slow') {
            // never answered
        } else {
            const type = req.headers['content-type'] ?? '';
            res.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'seen=yes' });
            res.end(JSON.stringify({ method: req.method, url: req.url,
                type: type.replace(/boundary=.*/, 'boundary'), cookie: req.headers.cookie,
                auth: req.headers.authorization,
                body: type.startsWith('multipart') ? /name="file"; filename="(.*)"/.exec(
                    Buffer.concat(parts).toString())[1] : Buffer.concat(parts).toString() }));
        }
    });
});

server.listen(0, '127.0.0.1', async () => {
    const at = `http://127.0.0.1:${server.address().port}`;
    const agent = superagent.agent();
    console.log((await agent.get(`${at}/echo`).query({ a: 1, b: ['x', 'y'] })).body);
    console.log((await agent.post(`${at}/echo`).send({ name: 'ann' }).auth('u', 'p')).body);
    console.log((await superagent.post(`${at}/echo`).type('form').send({ name: 'a b' })).body);
    console.log((await superagent.post(`${at}/echo`).field('title', 'A title')
        .attach('file', Buffer.from('text'), 'a.txt')).body);
    const moved = await superagent.get(`${at}/moved`);
    console.log(moved.redirects.length, moved.body.url, moved.type, moved.ok);
    await superagent.get(`${at}/broken`).catch((error) =>
        console.log(error.status, error.message, error.response.body));
    await superagent.get(`${at}/broken`).retry(2).catch((error) =>
        console.log('retries', error.retries));
    await superagent.get(`${at}/slow`).timeout({ response: 50 }).catch((error) =>
        console.log(error.code, error.timeout));
    superagent.get(`${at}/echo`).end((error, response) => {
        console.log(error, response.status);
        server.close(() => console.log('closed'));
        server.closeAllConnections();
    });
});
