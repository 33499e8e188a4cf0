'use strict';
const { WebSocket, WebSocketServer } = require('ws');

const ends = []; // in either order
function over(who, code, reason) {
    ends.push(`${who} closed ${code} ${reason}`);
    if (ends.length === 2) {
        console.log(ends.sort().join(', '));
        server.close(() => console.log('server closed'));
    }
}

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => {
    const client = new WebSocket(`ws://127.0.0.1:${server.address().port}/path?x=1`);
    client.on('open', () => {
        console.log('open', client.protocol, client.extensions);
        client.send('text');
        client.send(Buffer.from([1, 2, 3]));
        client.send('x'.repeat(100000));
        client.ping('p');
    });
    client.on('pong', (data) => console.log('pong', String(data)));
    let count = 0;
    client.on('message', (data, isBinary) => {
        console.log('client', isBinary, data.length);
        if (++count === 3)
            client.close(1000, 'bye');
    });
    client.on('close', (code, reason) => over('client', code, reason));
});
server.on('connection', (socket, request) => {
    console.log('connection', request.url, request.headers.upgrade);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.on('close', (code, reason) => over('peer', code, reason));
});
