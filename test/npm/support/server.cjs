// A server that clients are tried with.
'use strict';
const http = require('http');

const answers = {
    '/json': (req, res) => {
        res.setHeader('content-type', 'application/json');
        res.end(JSON.stringify({ method: req.method, url: req.url, accept: req.headers.accept }));
    },
    '/echo': (req, res) => {
        res.setHeader('content-type', req.headers['content-type'] ?? 'text/plain');
        req.pipe(res);
    },
    '/redirect': (req, res) => res.writeHead(302, { location: '/json' }).end(),
    '/slow': () => {},
};

exports.start = (run) => {
    const server = http.createServer((req, res) => {
        const answer = answers[req.url.split('?')[0]];
        if (answer === undefined)
            res.writeHead(404).end('not found');
        else
            answer(req, res);
    });
    server.listen(0, '127.0.0.1', () => run(`http://127.0.0.1:${server.address().port}`, () => {
        server.close(() => console.log('closed'));
        server.closeAllConnections();
    }));
};
