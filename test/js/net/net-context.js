// AsyncLocalStorage: each callback has the context of the code that asked for it.
'use strict';
const { AsyncLocalStorage } = require('async_hooks');
const dgram = require('dgram');
const dns = require('dns');
const net = require('net');

const storage = new AsyncLocalStorage();
const show = (label) => console.log(label, storage.getStore());
let server;
storage.run('listen', () => {
    server = net.createServer((socket) => {
        show('connection');
        socket.on('data', () => {
            show('server data');
            storage.run('answer', () => socket.write('y', () => show('server written')));
        });
        socket.on('end', () => show('server end'));
        socket.on('close', () => show('server close'));
    });
    server.listen(0, '127.0.0.1', () => {
        show('listening');
        storage.run('connect', connect);
    });
});

function connect() {
    const client = net.connect(server.address().port, '127.0.0.1', () => show('connected'));
    storage.run('write', () => client.write('x', () => show('written')));
    client.on('data', () => {
        show('data');
        storage.run('end', () => client.end(() => show('ended')));
    });
    client.on('end', () => show('client end'));
    client.on('close', () => {
        show('close');
        storage.run('server.close', () => server.close(() => {
            show('server closed');
            lookups();
        }));
    });
}

function lookups() {
    storage.run('lookup', () => dns.lookup('localhost', () => {
        show('lookup');
        storage.run('service', () => dns.lookupService('127.0.0.1', 22, () => {
            show('service');
            datagrams();
        }));
    }));
}

function datagrams() {
    const socket = storage.run('socket', () => dgram.createSocket('udp4'));
    socket.on('message', () => {
        show('message');
        socket.close();
    });
    storage.run('bind', () => socket.bind(0, '127.0.0.1', () => {
        show('bound');
        storage.run('send', () => socket.send('x', socket.address().port, '127.0.0.1',
            () => show('sent')));
    }));
}
