// UDP: bind, send in all its forms, connect, settings, errors.
'use strict';
const dgram = require('dgram');

const fails = (label, fn) => {
    try {
        console.log(label, 'returned', fn());
    } catch (error) {
        console.log(label, error.name, error.code, error.message, error.syscall);
    }
};
const server = dgram.createSocket('udp4');
for (const [label, fn] of [
    ['ttl', () => server.setTTL(3)], ['broadcast', () => server.setBroadcast(true)],
    ['address', () => server.address()], ['loopback', () => server.setMulticastLoopback(true)],
    ['receive buffer', () => server.getRecvBufferSize()],
    ['remote', () => server.remoteAddress()], ['disconnect', () => server.disconnect()],
    ['type', () => dgram.createSocket('udp5')], ['no type', () => dgram.createSocket()],
    ['lookup', () => dgram.createSocket({ type: 'udp4', lookup: 1 })],
    ['size', () => dgram.createSocket({ type: 'udp4', recvBufferSize: 'x' })],
    ['send type', () => server.send(5, 1)], ['send list', () => server.send([5], 1)],
    ['send port', () => server.send('x', 0)], ['send address', () => server.send('x', 1, 5)],
    ['offset', () => server.send('x', 5, 1, 1)], ['length', () => server.send('x', 0, 5, 1)],
    ['connect', () => server.connect(0)], ['group', () => server.addMembership()],
    ['leave', () => server.dropMembership('256.256.256.256')],
    ['interface', () => server.setMulticastInterface(5)], ['sendto', () => server.sendto('x')],
])
    fails(label, fn);

const texts = [];
server.on('message', (message, { address, family, size, port }) => {
    texts.push(String(message));
    console.log(`${message}`, address, family, size, port === client.address().port);
    if (texts.length === 7)
        finish();
});
const client = dgram.createSocket({ type: 'udp4', reuseAddr: true });
server.on('listening', () => console.log('listening'));
server.bind({ port: 0, address: '127.0.0.1' }, function () {
    const { port } = server.address();
    console.log(this === server, server.address().address, server.address().family);
    fails('again', () => server.bind(0));
    for (const [label, fn] of [
        ['ttl', () => server.setTTL(3)], ['bad ttl', () => server.setTTL(0)],
        ['ttl type', () => server.setTTL('x')], ['broadcast', () => server.setBroadcast(true)],
        ['multicast ttl', () => server.setMulticastTTL(16)],
        ['bad multicast ttl', () => server.setMulticastTTL(1000)],
        ['loopback', () => server.setMulticastLoopback(16)],
        ['member', () => server.addMembership('224.0.0.114', '127.0.0.1')],
        ['leave', () => server.dropMembership('224.0.0.114', '127.0.0.1')],
        ['leave again', () => server.dropMembership('224.0.0.114', '127.0.0.1')],
        ['bad group', () => server.addMembership('256.256.256.256')],
        ['buffer', () => server.setRecvBufferSize(9000)],
        ['get', () => server.getRecvBufferSize()],
        ['queue', () => server.getSendQueueSize()],
        ['bad buffer', () => server.setSendBufferSize(-1)]])
        fails(label, fn);
    client.send('a', port, '127.0.0.1', (error, size) => {
        console.log('sent', error, size);
        client.send(Buffer.from('xbx'), 1, 1, port, '127.0.0.1');
        client.send(new Uint8Array([99]), port);
        client.send(['d', Buffer.from('e')], port, 'localhost');
        client.send([], port, (error, size) => {
            console.log('sent', error, size);
            client.connect(port, '127.0.0.1', () => {
                console.log('connected', client.remoteAddress().port === port);
                fails('connected', () => client.send('x', port));
                fails('connect again', () => client.connect(port));
                client.send('f', (error, size) => {
                    console.log('sent', error, size);
                    client.send('xgx', 1, 1);
                });
            });
        });
    });
});

function finish() {
    client.disconnect();
    fails('disconnected', () => client.remoteAddress());
    client.close(() => console.log('client closed'));
    fails('closed', () => client.send('x', 1));
    fails('close', () => client.close());
    server.on('close', () => console.log('server closed'));
    console.log(server.close() === server, server.ref() === server, server.unref() === server);
    const abort = new AbortController();
    dgram.createSocket({ type: 'udp6', signal: abort.signal })
        .on('close', () => console.log('aborted'));
    abort.abort();
    dgram.createSocket('udp4').bind(0, '192.0.2.1').on('error', ({ message, code, address }) =>
        console.log(message, code, address)).unref();
}
