'use strict';
// weir only: in Node a connection on its way to a worker that ends is never served.
//
// A worker that stops answering, with a connection on its way to it, and dies.
const cluster = require('cluster');
const { once } = require('events');
const fs = require('fs');
const net = require('net');

const openFiles = () => fs.readdirSync('/proc/self/fd').length;

const read = (port) => new Promise((resolve) => {
    let text = '';
    net.connect(port, '127.0.0.1').setEncoding('utf8').on('data', (part) => { text += part; }).on('close', () => resolve(text)).on('error', ({ code }) => { text += code; });
});

async function start() {
    const worker = cluster.fork();
    const [{ port }] = await once(worker, 'listening');
    return { worker, port };
}

(async () => {
    if (cluster.isWorker) {
        net.createServer((socket) => socket.end('served')).listen(0);
        return;
    }
    const first = await start(); // what the program opens once
    first.worker.process.kill('SIGKILL');
    await once(first.worker, 'exit');
    const before = openFiles();
    const one = await start(), two = await start();
    console.log(await read(one.port), await read(one.port));
    one.worker.process.kill('SIGSTOP');
    const answers = Promise.all([read(one.port), read(one.port), read(one.port), read(one.port)]);
    await read(one.port); // by the other one
    one.worker.process.kill('SIGKILL');
    console.log(await answers);
    // The last one: the port stays open for a new worker that comes at once
    const three = await start();
    two.worker.process.kill('SIGKILL');
    await once(two.worker, 'exit');
    console.log(three.port === one.port, await read(one.port));
    three.worker.process.kill('SIGSTOP');
    const lost = read(one.port);
    three.worker.process.kill('SIGKILL');
    await once(three.worker, 'disconnect');
    console.log(['', 'ECONNRESET'].includes(await lost), await read(one.port));
    await new Promise((resolve) => setTimeout(resolve, 20));
    console.log('left open', openFiles() - before);
})();
