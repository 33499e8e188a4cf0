// Timeouts: an idle socket emits "timeout" and stays open; traffic and 0 postpone it.
'use strict';
const net = require('net');

const server = net.createServer((socket) => socket.pipe(socket));
server.listen(0, '127.0.0.1', () => {
    const client = net.connect({ port: server.address().port, host: '127.0.0.1',
        timeout: 20 });
    console.log(client.timeout);
    const never = () => console.log('never');
    client.setTimeout(20, never);
    client.setTimeout(0, never);
    console.log(client.timeout, client.listenerCount('timeout'));
    console.log(client.setTimeout(10, () => {
        console.log('once', client.destroyed);
        client.on('timeout', () => console.log('never again'));
        client.setTimeout(0);
        client.write('x');
    }) === client);
    client.on('data', (data) => {
        console.log(String(data));
        client.removeAllListeners('timeout');
        client.setTimeout(5);
        client.on('timeout', () => {
            console.log('timeout');
            client.destroy();
        });
    });
    client.on('close', (hadError) => {
        console.log('close', hadError, client.setTimeout(5) === client);
        server.close();
    });
});
