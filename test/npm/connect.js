'use strict';
const connect = require('connect');
const bodyParser = require('body-parser');
const { ask } = require('./support/ask.cjs');

const app = connect();
app.use(bodyParser.urlencoded({ extended: false }));
app.use(bodyParser.json());
app.use('/form', (req, res) => res.end(JSON.stringify(req.body)));
app.use('/fail', () => { throw new Error('no'); });
app.use((req, res) => res.end('Hello from Connect!\n'));
app.use((error, req, res, next) => {
    res.statusCode = error.status || 500;
    res.end(`error: ${error.type ?? error.message}`);
});
const server = require('http').createServer(app).listen(0, '127.0.0.1', async () => {
    const at = `http://127.0.0.1:${server.address().port}`;
    await ask(`${at}/`);
    await ask(`${at}/form`, { method: 'POST', body: 'a=1&b=two+words',
        type: 'application/x-www-form-urlencoded' });
    await ask(`${at}/form`, { method: 'POST', body: '[1,2,3]', type: 'application/json' });
    await ask(`${at}/form`, { method: 'POST', body: '[1', type: 'application/json' });
    await ask(`${at}/fail`);
    server.close(() => console.log('closed'));
});
