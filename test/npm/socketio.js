'use strict';
const http = require('http');
const { Server } = require('socket.io');
const { io } = require('socket.io-client');

const web = http.createServer();
const server = new Server(web);
server.on('connection', (socket) => {
    socket.on('hello', (name, answer) => answer(`hello ${name}`));
    socket.on('binary', (data) => socket.emit('size', data.length));
    socket.join('room');
    server.to('room').emit('joined', 'somebody');
});
function run(transports, port) {
    return new Promise((resolve) => {
        const client = io(`http://127.0.0.1:${port}`, { transports, reconnection: false });
        client.on('joined', (who) => console.log(transports[0], 'joined', who));
        client.on('connect', () => client.emit('hello', 'weir', (answer) => {
            console.log(transports[0], answer);
            client.emit('binary', Buffer.alloc(70000));
        }));
        client.on('size', (size) => {
            console.log(transports[0], size);
            client.disconnect();
        });
        client.on('disconnect', (reason) => resolve(console.log(transports[0], reason)));
        client.on('connect_error', (error) => resolve(console.log('error', error.message)));
    });
}
web.listen(0, '127.0.0.1', async () => {
    await run(['websocket'], web.address().port);
    await run(['polling'], web.address().port);
    server.close(() => console.log('closed'));
});
