// With allowHalfOpen a socket can answer after the other side has ended; without
// it, its own side ends, too.
'use strict';
const net = require('net');

function run(allowHalfOpen, next) {
    let left = 2;
    const oneClosed = () => --left === 0 && server.close(next);
    const server = net.createServer({ allowHalfOpen }, (socket) => {
        let text = '';
        socket.setEncoding('utf8');
        socket.on('data', (data) => { text += data; });
        socket.on('end', () => {
            console.log('server: end', text, socket.writable, socket.allowHalfOpen);
            socket.on('error', (error) => console.log('server:', error.code, error.message));
            if (allowHalfOpen)
                socket.end('answer');
            else
                setImmediate(() => console.log(socket.write('late', (error) =>
                    console.log('callback', error.code))));
        });
        socket.on('close', () => {
            console.log('server: close');
            setImmediate(oneClosed);
        });
    });
    server.listen(0, '127.0.0.1', () => {
        const client = net.connect({ port: server.address().port, host: '127.0.0.1',
            allowHalfOpen: true });
        client.end('question', () => console.log('client: finish', client.writableFinished));
        client.setEncoding('utf8');
        client.on('data', (data) => console.log('client:', data));
        client.on('error', (error) => console.log('client:', error.code));
        client.on('end', () => console.log('client: end', client.readyState));
        client.on('close', () => setImmediate(oneClosed));
    });
}

run(true, () => run(false, () => console.log('done')));
