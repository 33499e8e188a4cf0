'use strict';
// Handles that do not arrive, or are not accepted.
const { spawn } = require('child_process');
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

// A child that answers each message with what `reply` is, and tells how many came.
const peer = (reply) => `
import os, socket, sys, json
channel = socket.socket(fileno=int(os.environ['NODE_CHANNEL_FD']))
count, rest = 0, b''
while True:
    data, fds, flags, address = socket.recv_fds(channel, 65536, 8)
    for fd in fds: os.close(fd)
    if not data: break
    *lines, rest = (rest + data).split(b'\\n')
    for line in lines:
        message = json.loads(line)
        if message.get('cmd') == 'NODE_HANDLE':
            count += 1
            channel.sendall(b'{"cmd":"${reply}"}\\n')
        else:
            channel.sendall(json.dumps({'count': count, 'message': message}).encode() + b'\\n')
`;

async function refused(server, reply) {
    const child = spawn('python3', ['-c', peer(reply)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const before = openFiles();
    const { client, socket } = await connection(server);
    const closed = once(client, 'close');
    child.send('take it', socket);
    child.send({ text: 'behind it' });
    console.log(reply, (await once(child, 'message'))[0]);
    await closed; // nobody has it
    console.log('left open', openFiles() - before);
    child.disconnect();
    console.log((await once(child, 'exit')).join());
}

// A message that should have a handle, and has none
async function without() {
    const raw = spawn(process.execPath, [path.join(__dirname, 'child.js')], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'], env: { ...process.env, NODE_CHANNEL_FD: '3' } });
    const exited = once(raw, 'exit'), closed = once(raw.stdio[3], 'close');
    let all = '';
    raw.stdio[3].setEncoding('utf8').on('data', (part) => {
        all += part;
        if (all.split('\n').length > 2)
            raw.stdio[3].end();
    });
    raw.stdio[3].write('{"cmd":"NODE_HANDLE","type":"net.Socket","msg":"alone"}\n"text"\n');
    await closed;
    console.log(all);
    console.log((await exited).join());
}

(async () => {
    process.on('warning', ({ name, message }) => console.log(name, message));
    const server = net.createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await refused(server, 'NODE_HANDLE_ACK');
    await refused(server, 'NODE_HANDLE_NACK');
    await without();
    process.exit(0); // the server waits for sockets that were sent
})();
