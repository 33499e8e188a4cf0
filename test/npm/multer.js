'use strict';
const express = require('express');
const multer = require('multer');
const { ask } = require('./support/ask.cjs');

const upload = multer({ storage: multer.memoryStorage(), limits: { fileSize: 1000 } });
const app = express();
app.post('/upload', upload.single('file'), (req, res) => res.json({
    fields: { ...req.body }, name: req.file.originalname, type: req.file.mimetype,
    size: req.file.size, text: req.file.buffer.toString() }));
app.use((error, req, res, next) => res.status(400).send(`${error.code}: ${error.message}`));

const form = (text) => ['--b', 'Content-Disposition: form-data; name="title"', '', 'A title',
    '--b', 'Content-Disposition: form-data; name="file"; filename="a.txt"',
    'Content-Type: text/plain', '', text, '--b--', ''].join('\r\n');
const server = app.listen(0, '127.0.0.1', async () => {
    const at = `http://127.0.0.1:${server.address().port}/upload`;
    const type = 'multipart/form-data; boundary=b';
    await ask(at, { method: 'POST', type, body: form('the content') });
    await ask(at, { method: 'POST', type, body: form('x'.repeat(2000)) });
    server.close(() => console.log('closed'));
});
