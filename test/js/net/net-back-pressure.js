// A peer that does not read: write() returns false, "drain" comes, and all bytes
// arrive in order.
'use strict';
const net = require('net');

const SIZE = 8 * 1024 * 1024;
const server = net.createServer({ pauseOnConnect: true }, (socket) => {
    console.log(socket.isPaused());
    let at = 0, isRight = true;
    socket.on('data', (data) => {
        for (let i = 0; i < data.length; i += 997)
            isRight &&= data[i] === (at + i) % 251;
        at += data.length;
    });
    socket.on('end', () => {
        console.log('received', at, isRight);
        socket.end();
    });
    setImmediate(() => socket.resume());
});
server.listen(0, '127.0.0.1', () => {
    const client = net.connect(server.address().port, '127.0.0.1');
    const bytes = Buffer.alloc(SIZE);
    for (let i = 0; i < SIZE; i++)
        bytes[i] = i % 251;
    client.on('connect', () => {
        console.log('write', client.write(bytes, () => console.log('callback')));
        console.log(client.writableLength === SIZE, client.writableNeedDrain);
    });
    client.once('drain', () => {
        console.log('drain', client.writableLength, client.bytesWritten);
        client.end();
    });
    client.on('close', () => {
        console.log('close', client.bytesWritten);
        server.close();
    });
    client.resume();
});
