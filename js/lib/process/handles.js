// SPDX-License-Identifier: MIT
// process/handles -- what can be sent with a message: servers, sockets, and the
// handles behind them.  The names of the kinds are Node's.
//
//     descriptorOf(target, message, handle, options)   before it is sent
//     receive(target, message, descriptor, deliver)    when it has arrived
'use strict';

const { Socket, adopt } = require('net/socket');
const { Server } = require('net/server');
const { isDescriptor } = require('net/descriptor');
const { listFor } = require('process/socketlist');
const { coded } = require('core/errors');

const dgram = () => require('net/dgram');
const isHandle = (value) => isDescriptor(value) || (typeof value === 'object' &&
    typeof value.fd === 'number' && typeof value.close === 'function');
// Not one of TLS, whose state cannot be sent, nor of our HTTP server, which reads it.
const isOwnSocket = (socket) => !socket.encrypted &&
    (!socket._handle || typeof socket._handle.readStop === 'function');

function kindOf(handle) {
    if (handle instanceof Socket && isOwnSocket(handle))
        return 'net.Socket';
    if (handle instanceof Server)
        return 'net.Server';
    if (handle instanceof dgram().Socket)
        return 'dgram.Socket';
    if (!(handle instanceof Socket) && isHandle(handle))
        return typeof handle.recvStart === 'function' ? 'dgram.Native' : 'net.Native';
    throw coded(TypeError, 'ERR_INVALID_HANDLE_TYPE', 'This handle type cannot be sent');
}

// ---- sending ----

// The socket is the other process's now.  Its handle is closed when that has got it.
function leaveSocket(socket) {
    const handle = socket._handle;
    handle.reading = false;
    handle.readStop();
    handle.setOwner(undefined);
    socket._handle = null;
    socket.setTimeout(0);
}

function openSocket(target, message, socket, { keepOpen }) {
    const handle = socket._handle;
    if (!handle)
        return undefined;
    if (socket.server) { // which waits for all its connections
        message.key = socket.server._connectionKey;
        const { list, isNew } = listFor('send', target, message.key);
        if (isNew)
            socket.server._setupWorker(list);
        if (!keepOpen)
            socket.server._connections--;
    }
    if (!keepOpen)
        leaveSocket(socket);
    return handle;
}

// The handle to send with the message: undefined if the socket was closed or sent
// before.
function handleOf(target, message, given, options) {
    switch (message.type) {
    case 'net.Socket':
        return openSocket(target, message, given, options);
    case 'net.Server':
        return given._handle;
    case 'dgram.Socket':
        message.dgramType = given.type;
        return dgram().handleOf(given);
    default:
        return given;
    }
}

// ---- receiving ----

// Deliver what another process has sent.  A descriptor that is not what it should
// be is closed, and the message comes alone.
function receive(target, { type, key, dgramType, msg }, descriptor, deliver) {
    if (type === 'net.Socket') {
        receiveSocket(target, key, descriptor, deliver);
    } else if (type === 'net.Server') {
        const server = new Server();
        const onError = () => {
            descriptor.close();
            deliver(undefined);
        };
        server.once('error', onError);
        server.listen(descriptor, () => {
            server.removeListener('error', onError);
            deliver(server);
        });
    } else if (type === 'dgram.Socket') {
        receiveDatagrams(dgramType, descriptor, deliver);
    } else {
        receiveNative(type, msg, descriptor, deliver);
    }
}

function receiveSocket(target, key, descriptor, deliver) {
    const handle = adopt(descriptor);
    if (typeof handle === 'number') {
        descriptor.close();
        deliver(undefined);
        return;
    }
    const socket = new Socket({ handle, readable: true, writable: true });
    if (key)
        listFor('got', target, key).list.add(socket);
    deliver(socket);
}

function receiveDatagrams(type, descriptor, deliver) {
    try {
        const socket = new (dgram().Socket)(type);
        socket.bind(descriptor, () => deliver(socket));
    } catch {
        descriptor.close();
        deliver(undefined);
    }
}

// A program gets the handle of a connection.  It can give a descriptor to
// server.listen() or to bind().
function receiveNative(type, msg, descriptor, deliver) {
    if (type !== 'net.Native' || msg?.cmd === 'NODE_CLUSTER' || !descriptor.isConnection()) {
        deliver(descriptor);
        return;
    }
    const handle = adopt(descriptor);
    deliver(typeof handle === 'number' ? descriptor : handle);
}

module.exports = { kindOf, handleOf, receive };
