'use strict';
// No broker is there: what can be shown is that it loads, and what it says of a
// connection that is refused, and of a server that is none.
const net = require('node:net');
const amqp = require('amqplib');
const callback = require('amqplib/callback_api');

console.log(amqp.credentials.plain('a', 'b').response().toString('hex'), Object.keys(amqp).sort());
const server = net.createServer((socket) => socket.once('data', (data) => {
    console.log('asked for', data.toString('hex'));
    socket.end();
}));
server.listen(0, '127.0.0.1', async () => {
    const { port } = server.address();
    await amqp.connect(`amqp://127.0.0.1:${port}`).catch((error) => console.log(error.message));
    server.close(() => {
        callback.connect({ hostname: '127.0.0.1', port }, (error, connection) => {
            console.log(error.code, error.syscall, error.port === port, connection);
        });
        amqp.connect('http://127.0.0.1').catch((error) => console.log(error.message));
    });
});
