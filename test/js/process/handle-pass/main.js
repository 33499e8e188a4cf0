'use strict';
// Servers, sockets and UDP sockets that travel with messages: between programs of
// the same kind, to a child that is Node, and from a parent that is Node.
const { execFileSync, fork } = require('child_process');
const dgram = require('dgram');
const { once } = require('events');
const fs = require('fs');
const net = require('net');
const path = require('path');

const openFiles = () => fs.readdirSync('/proc/self/fd').length;
const turn = () => new Promise(setImmediate);

async function listen(server, host = '127.0.0.1') {
    server.listen(0, host);
    await once(server, 'listening');
    return server.address().port;
}

function talk(port, text) {
    return new Promise((resolve) => {
        let all = '';
        const socket = net.connect(port, '127.0.0.1', () => text && socket.write(text));
        socket.setEncoding('utf8').on('data', (part) => { all += part; }).on('close', () => resolve(all))
            .on('error', (error) => { all += error.code; });
    });
}

async function servers(child, answer) {
    const server = net.createServer();
    const port = await listen(server);
    child.send('server', server);
    console.log(await answer());
    server.close(); // here only
    console.log(await talk(port), '|', await talk(port));
    child.send('back');
    const [message, got] = await once(child, 'message');
    got.on('connection', (socket) => socket.end('served by the parent'));
    console.log(got.constructor.name, message.port === got.address().port, await talk(message.port));
    got.close();
}

async function sockets(child, answer) {
    const server = net.createServer({ pauseOnConnect: true }, (socket) => child.send('socket', socket, (error) => console.log('sent', error, socket._handle)));
    const port = await listen(server);
    for (const text of ['one', 'two', 'three'])
        console.log(await Promise.all([talk(port, text), answer()]));
    // Several at once, and messages behind them
    let ordered = [];
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
        ordered.push('connection', 'after');
        child.send('connection', socket);
        child.send('after');
    });
    const answers = [];
    const all = new Promise((resolve) => child.on('message', function collect(message) {
        answers.push(message[0] === 'Socket' ? 'connection' : message[0]);
        if (answers.length === 20) {
            child.removeListener('message', collect);
            resolve();
        }
    }));
    await Promise.all([...Array.from({ length: 10 }, () => talk(port)), all]);
    console.log('in order', answers.join() === ordered.join());
    await new Promise((resolve) => server.close(resolve)); // when the child has closed all of them
    console.log('closed');
}

async function counts(child) {
    const server = net.createServer({ pauseOnConnect: true });
    // The messages name a server by the address that it was given.
    const client = net.connect(await listen(server, '127.0.0.2'), '127.0.0.2').resume();
    const [socket] = await once(server, 'connection');
    child.send('hold', socket);
    const count = () => new Promise((resolve) => server.getConnections((error, number) => resolve(number)));
    console.log('connections', await count());
    const closed = once(server, 'close');
    server.close();
    child.send('release');
    await Promise.all([once(client, 'close'), closed]);
    console.log('connections', await count());
}

async function kept(child, answer) {
    const server = net.createServer({ pauseOnConnect: true });
    const client = net.connect(await listen(server), '127.0.0.1');
    const [socket] = await once(server, 'connection');
    child.send('write', socket, { keepOpen: true });
    client.setEncoding('utf8');
    console.log((await Promise.all([answer(), once(client, 'data')])).join(), socket._handle !== null);
    socket.write('and by the parent');
    console.log((await once(client, 'data')).join());
    socket.destroy();
    client.destroy();
    server.close();
    await once(server, 'close');
}

async function datagrams(child, answer) {
    const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    child.send('datagrams', socket);
    console.log(await answer());
    socket.close();
    const client = dgram.createSocket('udp4');
    client.send('hello', port, '127.0.0.1');
    console.log(String((await once(client, 'message'))[0]));
    client.close();
}

async function refusals(child, answer) {
    for (const handle of [{}, 5, 'text', new Map(), Buffer.from('x')])
        try {
            child.send('refused', handle);
            console.log('accepted');
        } catch (error) {
            console.log(error.name, error.code, error.message);
        }
    // A closed one, and one that was sent before: the message comes alone
    const server = net.createServer();
    child.send('closed server', server);
    console.log(await answer());
    const other = net.createServer({ pauseOnConnect: true });
    const client = net.connect(await listen(other), '127.0.0.1').on('error', () => {});
    const [socket] = await once(other, 'connection');
    child.send('connection', socket);
    console.log(await answer());
    child.send('twice', socket);
    console.log(await answer());
    client.destroy();
    other.close();
}

async function run(execPath, serialization) {
    const child = fork(path.join(__dirname, 'child.js'), { execPath, execArgv: [], serialization });
    const answer = async () => (await once(child, 'message'))[0];
    const childBefore = await answer(), before = openFiles();
    for (const each of [servers, sockets, counts, kept, datagrams, refusals])
        await each(child, answer);
    child.send('close');
    const childAfter = await answer();
    await turn();
    console.log('left open', openFiles() - before, childAfter - childBefore);
    child.send('end');
    console.log((await once(child, 'exit')).join());
}

(async () => {
    const [, , execPath, serialization] = process.argv;
    if (execPath !== undefined) {
        await run(execPath, serialization);
        return;
    }
    await run(process.execPath);
    await run('node', 'advanced');
    console.log(execFileSync('node', [__filename, process.execPath, 'json'], { encoding: 'utf8' }));
})();
