// weir only
// A signal that has aborted before tls.connect: nothing connects.  Node 20 does, and
// may crash.
'use strict';
const net = require('net');
const tls = require('tls');

const server = net.createServer(() => console.log('never'));
server.listen(0, '127.0.0.1', () => {
    const socket = tls.connect({ port: server.address().port, host: '127.0.0.1',
        signal: AbortSignal.abort() });
    socket.on('error', ({ name }) => console.log(name));
    socket.on('close', (hadError) => {
        console.log('close', hadError);
        setImmediate(() => server.close(() => console.log('end')));
    });
});
