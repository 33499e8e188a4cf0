// The first program of Express 5's guide, with a router, a parameter, JSON, an
// error handler and static files.
'use strict';
const express = require('express');
const path = require('path');
const { ask } = require('./support/ask.cjs');

const app = express();
app.use(express.json());
app.get('/', (req, res) => res.send('Hello World!'));
app.get('/users/:id', (req, res) => res.json({ id: req.params.id, query: req.query }));
app.post('/echo', (req, res) => res.status(201).set('X-Test', 'yes').json(req.body));
app.get('/fail', () => { throw new Error('no'); });
app.use('/files', express.static(path.join(__dirname, 'support')));
app.use((req, res) => res.status(404).type('text').send(`no ${req.path}`));
app.use((error, req, res, next) => res.status(error.status ?? 500).send(`error: ${error.type ?? error.message}`));

const server = app.listen(0, '127.0.0.1', async () => {
    const at = `http://127.0.0.1:${server.address().port}`;
    await ask(`${at}/`);
    await ask(`${at}/users/7?a=1&b[]=2`);
    await ask(`${at}/echo`, { method: 'POST', body: '{"a":[1,2]}', type: 'application/json' });
    await ask(`${at}/echo`, { method: 'POST', body: '{', type: 'application/json' });
    await ask(`${at}/fail`);
    await ask(`${at}/files/hello.txt`);
    await ask(`${at}/nothing`);
    server.close(() => console.log('closed'));
});
