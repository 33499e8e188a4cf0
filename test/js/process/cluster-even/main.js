'use strict';
// 100 connections, spread over 4 workers that all listen on one port.
const cluster = require('cluster');
const { once } = require('events');
const http = require('http');
const net = require('net');

function read(port) {
    return new Promise((resolve) => {
        let text = '';
        net.connect(port, '127.0.0.1').setEncoding('utf8').on('data', (part) => { text += part; }).on('close', () => resolve(text));
    });
}

const get = (port) => new Promise((resolve, reject) => http.get({ port, host: '127.0.0.1', agent: false }, (res) => {
    res.resume().on('end', () => resolve(res.headers['x-worker']));
}).on('error', reject));

function count(all) {
    const counts = {};
    for (const each of all)
        counts[each] = (counts[each] ?? 0) + 1;
    return Object.values(counts);
}

async function start(kind) {
    const workers = [], ports = new Set();
    for (let i = 0; i < 4; i++) {
        const worker = cluster.fork({ KIND: kind });
        const [{ port }] = await once(worker, 'listening');
        ports.add(port);
        workers.push(worker);
    }
    console.log(kind, workers.length, ports.size);
    return [...ports][0];
}

(async () => {
    if (cluster.isWorker) {
        const id = String(cluster.worker.id);
        const server = process.env.KIND === 'http' ? http.createServer((req, res) => res.setHeader('X-Worker', id).end(id))
            : net.createServer((socket) => socket.end(id));
        server.listen(0);
        return;
    }
    for (const [kind, ask] of [['net', read], ['http', get]]) {
        const port = await start(kind), all = [];
        for (let i = 0; i < 100; i++)
            all.push(await ask(port));
        console.log(count(all));
        const many = await Promise.all(Array.from({ length: 100 }, () => ask(port)));
        console.log(count(many).reduce((sum, each) => sum + each), Math.min(...count(many)) > 0);
        await new Promise((resolve) => cluster.disconnect(resolve));
        await new Promise((resolve) => net.connect(port, '127.0.0.1').on('error', ({ code }) => resolve(console.log(code))));
    }
})();
