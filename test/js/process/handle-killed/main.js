'use strict';
// weir only: in Node the first of several sockets stays open.
//
// A child that ends with sockets on their way to it.
const { fork } = require('child_process');
const { once } = require('events');
const fs = require('fs');
const net = require('net');
const path = require('path');

const openFiles = () => fs.readdirSync('/proc/self/fd').length;

async function connection(server) {
    const client = net.connect(server.address().port, '127.0.0.1').on('error', () => {}).resume();
    const [socket] = await once(server, 'connection');
    return { client, socket };
}

async function killed(server, count) {
    const before = openFiles();
    const child = fork(path.join(__dirname, 'child.js'));
    await once(child, 'message');
    const all = [];
    for (let i = 0; i < count; i++)
        all.push(await connection(server));
    child.kill('SIGSTOP');
    const closed = all.map(({ client }) => once(client, 'close'));
    for (const { socket } of all)
        child.send('take it', socket);
    child.kill('SIGKILL');
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
    console.log('sent', all.filter(({ socket }) => socket._handle === null).length);
    for (const { socket } of all)
        socket.destroy(); // those that were not sent yet are still ours
    await Promise.all(closed);
    await new Promise(setImmediate);
    console.log('left open', openFiles() - before);
}

(async () => {
    const server = net.createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    for (const count of [1, 10])
        await killed(server, count);
    process.exit(0); // the server waits for sockets that were sent
})();
