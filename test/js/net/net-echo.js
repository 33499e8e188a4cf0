// Both ends of a connection: strings in several encodings, the order of events,
// counters and properties.
'use strict';
const net = require('net');

const server = net.createServer((socket) => {
    console.log('server:', socket.remoteFamily, socket.localAddress,
        socket.localPort === server.address().port, socket.server === server);
    socket.on('data', (data) => {
        console.log('server: data', Buffer.isBuffer(data), data);
        socket.write(data);
    });
    socket.on('end', () => console.log('server: end', socket.readyState));
    socket.on('close', (hadError) => console.log('server: close', hadError));
});
server.on('close', () => console.log('server closed'));
server.listen(0, '127.0.0.1', () => {
    const { address, family, port } = server.address();
    console.log(address, family, port > 0, server.listening);
    const client = net.connect(port, '127.0.0.1', () => {
        console.log('connected', client.readyState, client.remoteAddress,
            client.remotePort === port, client.connecting, client.pending);
        client.write('hello');
        client.write('w\u00f6rld', 'latin1');
        client.write('\u20ac\ud800');
        client.write('6869', 'hex');
        client.write(Buffer.from('x'), () => console.log('written', client.bytesWritten));
    });
    console.log(client.readyState, client.connecting, client.pending, client.bytesWritten);
    let size = 0;
    client.on('data', (data) => {
        size += data.length;
        if (size === 19)
            client.end('bye', () => console.log('finished'));
    });
    client.on('ready', () => console.log('ready'));
    client.on('end', () => console.log('client: end', size));
    client.on('close', (hadError) => {
        console.log('client: close', hadError, client.bytesRead, client.bytesWritten,
            client.readyState, client.destroyed, client.address());
        server.close();
    });
});
