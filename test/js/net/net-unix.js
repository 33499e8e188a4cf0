// Unix sockets: addresses, a path that is in use, and the file's removal.
'use strict';
const fs = require('fs');
const net = require('net');

const path = `/tmp/weir-net-unix-${process.pid}.sock`;
const hidden = (text) => String(text).replace(path, 'PATH');
const server = net.createServer((socket) => {
    console.log(socket.address(), socket.remoteAddress, socket.localAddress);
    socket.pipe(socket);
});
server.listen({ path, readableAll: true, writableAll: true }, () => {
    console.log(hidden(server.address()), (fs.statSync(path).mode & 0o777).toString(8));
    const second = net.createServer();
    second.on('error', (error) => {
        console.log(hidden(error.message), error.code, hidden(error.address), error.port);
        talk();
    });
    second.listen(path);
});

function talk() {
    const client = net.connect(path);
    client.setEncoding('utf8');
    client.on('connect', () => {
        console.log(client.address(), client.remoteFamily, client.readyState);
        try {
            client.resetAndDestroy();
        } catch (error) {
            console.log(error.code);
        }
        client.end('through a file');
    });
    client.on('data', (data) => console.log(data));
    client.on('close', () => server.close(() => console.log(fs.existsSync(path))));
}
