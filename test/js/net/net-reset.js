// resetAndDestroy sends a reset, destroySoon writes everything first, and a
// socket that is destroyed while it connects emits "close" only.
'use strict';
const net = require('net');

const server = net.createServer((socket) => {
    socket.on('error', (error) => console.log('server', error.message, error.code, error.errno,
        error.syscall));
    socket.on('close', (hadError) => {
        console.log('server close', hadError);
        steps.shift()();
    });
    let size = 0;
    socket.on('data', (data) => { size += data.length; });
    socket.on('end', () => console.log('server end', size));
});
const connect = (fn) => {
    const client = net.connect(server.address().port, '127.0.0.1');
    client.on('error', (error) => console.log('client', error.code));
    client.on('close', (hadError) => console.log('client close', hadError));
    client.on('connect', () => fn(client));
    return client;
};
const steps = [
    () => connect((client) => {
        client.write('x'.repeat(100000));
        client.destroySoon();
        console.log('soon', client.destroyed);
    }),
    () => {
        const client = connect(() => console.log('never'));
        client.write('never', (error) => console.log('write', error?.code));
        client.destroy();
        console.log(client.connecting, client.readyState, client.destroyed);
        client.on('close', () => steps.shift()());
    },
    () => {
        const client = new net.Socket();
        client.on('error', (error) => console.log('unconnected', error.code));
        client.on('close', (hadError) => {
            console.log('close', hadError);
            steps.shift()();
        });
        console.log(client.resetAndDestroy() === client);
    },
    () => server.close(() => console.log('closed')),
];
server.listen(0, '127.0.0.1', () => connect((client) => {
    console.log(client.resetAndDestroy() === client, client.destroyed);
}));
