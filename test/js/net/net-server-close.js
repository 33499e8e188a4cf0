// A server that closes: its connections go on, and "close" comes after the last.
'use strict';
const net = require('net');

const server = net.createServer();
const log = (...words) => console.log(...words);
let accepted = 0;
server.on('connection', (socket) => {
    accepted++;
    socket.resume();
    server.getConnections((error, count) => log('connections', error, count));
});
server.maxConnections = 2;
server.on('drop', (data) => {
    log('drop', data.localAddress, data.localFamily, data.remoteAddress,
        data.localPort === server.address()?.port, Object.keys(data).join());
    log('listening', server.listening);
    try {
        server.listen(0);
    } catch (error) {
        log(error.code);
    }
    server.close((error) => log('close callback', error));
    log('listening', server.listening, server.address());
    server.close((error) => log('second close', error.code));
    clients[0].end();
    clients[1].destroy();
});
server.on('close', () => log('close', accepted));
const clients = [];
server.listen({ port: 0, host: '127.0.0.1', backlog: 5 });
server.once('listening', () => {
    const next = () => {
        if (clients.length === 3)
            return;
        const client = net.connect(server.address().port, '127.0.0.1');
        const number = clients.push(client);
        client.on('error', (error) => log('client', number, error.code));
        client.on('close', (hadError) => log('client', number, 'close', hadError));
        client.resume();
        client.on('connect', () => setImmediate(next));
    };
    next();
});
