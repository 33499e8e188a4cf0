// Texts in other encodings, and parts of surrogate pairs.
'use strict';
const http = require('http');

const texts = [['plain'], ['äöü €😀'], ['äöü', 'latin1'], ['€', 'latin1'], ['a\ud800b\udc00'],
    ['68690a', 'hex'], ['aGk=', 'base64'], ['hi', 'utf16le'], ['', 'utf8'], ['ü', 'utf-8'],
    ['é', 'ascii'], ['x', 'ucs2'], ['é', 'binary'], ['a😀ÿ', 'latin1'], ['\ud83d', 'latin1']];

const server = http.createServer((req, res) => {
    const [text, encoding] = texts[+req.url.slice(2)];
    if (req.url[1] === 'w')
        res.write(text, encoding);
    if (req.url[1] === 'w')
        res.end();
    else
        res.end(text, encoding);
});

const get = (path) => new Promise((resolve) => http.get({ port: server.address().port,
    host: '127.0.0.1', path, agent: false }, (res) => {
    const pieces = [];
    res.on('data', (piece) => pieces.push(piece));
    res.on('end', () => resolve([res.headers['content-length'],
        Buffer.concat(pieces).toString('hex')]));
}));

server.listen(0, '127.0.0.1', async () => {
    for (let i = 0; i < texts.length; i++)
        console.log(texts[i], await get(`/e${i}`), await get(`/w${i}`));
    server.close();
});
