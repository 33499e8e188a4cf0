// SPDX-License-Identifier: MIT
// dgram -- Node's module for UDP, on js/net/datagram.c.
//
// A socket has a handle once it is bound, which a send or connect does, too.
'use strict';

const EventEmitter = require('events/events');
const { Buffer } = require('bytes/buffer');
const check = require('net/check');
const sharing = require('net/sharing');
const { isDescriptor } = require('net/descriptor');
const { errnoError, addressError } = require('net/errors');
const { coded, invalidArgType, systemError } = require('core/errors');
const process = require('program/process');
const { context, callWith } = require('core/context');

const EBADF = -9;
const UNBOUND = 0, BINDING = 1, BOUND = 2;
const DISCONNECTED = 0, CONNECTING = 1, CONNECTED = 2;
const kState = Symbol('state symbol');

const notRunning = () => coded(Error, 'ERR_SOCKET_DGRAM_NOT_RUNNING', 'Not running');
const notConnected = () => coded(Error, 'ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected');
const isConnected = () => coded(Error, 'ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected');

// ---- the constructor ----

function readOptions(given) {
    const { type, lookup, reuseAddr, ipv6Only, recvBufferSize, sendBufferSize, signal } =
        given;
    if (recvBufferSize)
        check.uint32(recvBufferSize, 'options.recvBufferSize');
    if (sendBufferSize)
        check.uint32(sendBufferSize, 'options.sendBufferSize');
    return { type, lookup, reuseAddr, ipv6Only, recvBufferSize, sendBufferSize, signal };
}

function checkType(type, lookup) {
    if (lookup !== undefined)
        check.func(lookup, 'lookup');
    if (type !== 'udp4' && type !== 'udp6')
        throw coded(TypeError, 'ERR_SOCKET_BAD_TYPE',
            'Bad socket type specified. Valid types are: udp4, udp6');
}

function Socket(given, listener) {
    if (!(this instanceof Socket))
        return new Socket(given, listener);
    EventEmitter.call(this);
    const options = given !== null && typeof given === 'object' ? readOptions(given)
        : { type: given };
    checkType(options.type, options.lookup);
    this.type = options.type;
    if (typeof listener === 'function')
        this.on('message', listener);
    this[kState] = { ...options, handle: null, isClosed: false, isUnref: false,
        bindState: UNBOUND, connectState: DISCONNECTED, queue: undefined,
        context: context() };
    if (options.signal !== undefined)
        watchSignal(this, options.signal);
}
Object.setPrototypeOf(Socket.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Socket, EventEmitter);

function watchSignal(socket, signal) {
    check.signal(signal, 'options.signal');
    const onAbort = () => {
        if (!socket[kState].isClosed)
            socket.close();
    };
    if (signal.aborted) {
        onAbort();
        return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', onAbort));
}

function checkRunning(socket) {
    if (socket[kState].isClosed)
        throw notRunning();
    return socket[kState];
}

// ---- binding ----

// Returns 0 or an error.
function openHandle(socket, fd) {
    const state = socket[kState];
    const handle = callWith(state.context, native.newSocket, undefined, [socket,
        state.type === 'udp6', Boolean(state.reuseAddr), Boolean(state.ipv6Only), fd]);
    if (typeof handle === 'number')
        return handle;
    state.handle = handle;
    if (state.isUnref)
        handle.unref();
    return 0;
}

function startReceiving(socket) {
    const state = socket[kState];
    state.handle.recvStart();
    state.bindState = BOUND;
    if (state.recvBufferSize)
        bufferSize(socket, state.recvBufferSize, true);
    if (state.sendBufferSize)
        bufferSize(socket, state.sendBufferSize, false);
    socket.emit('listening');
}

// As in Node, an empty address is this host.
function lookUp(socket, address, done) {
    const { type, lookup } = socket[kState];
    const family = type === 'udp4' ? 4 : 6;
    (lookup ?? require('net/dns').lookup)(address || (family === 4 ? '127.0.0.1' : '::1'),
        family, done);
}

function onceBound(socket, callback) {
    const onListening = () => {
        socket.removeListener('error', onError);
        callback.call(socket);
    };
    const onError = () => {
        socket.removeListener('error', onError);
        socket.removeListener('listening', onListening);
    };
    socket.on('error', onError);
    socket.once('listening', onListening);
}

// ---- in a cluster's worker ----

const REUSE_ADDRESS = 4, IPV6_ONLY = 1; // flags of Node

function openShared(socket, { descriptor, track }) {
    const err = openHandle(socket, descriptor.fd);
    if (err === 0)
        descriptor.forget();
    else
        descriptor.close();
    track(socket[kState].handle ?? undefined);
    return err;
}

function bindAtPrimary(socket, query, toError) {
    const state = socket[kState];
    sharing.ask(socket, { ...query, addressType: socket.type }, (err, share) => {
        if (state.isClosed) {
            share?.descriptor?.close();
            share?.track?.(undefined);
            return;
        }
        const status = err === 0 ? openShared(socket, share) : err;
        if (status === 0) {
            startReceiving(socket);
            return;
        }
        state.bindState = UNBOUND;
        socket.emit('error', toError(status));
    });
}

function bindTo(socket, ip, port, isExclusive) {
    const state = socket[kState];
    if (sharing.ask !== undefined && !isExclusive) {
        const flags = (state.reuseAddr ? REUSE_ADDRESS : 0) | (state.ipv6Only ? IPV6_ONLY : 0);
        bindAtPrimary(socket, { address: ip, port, fd: -1, flags },
            (status) => addressError(status, 'bind', ip, port));
        return;
    }
    let err;
    try {
        err = state.handle === null ? openHandle(socket) : 0;
    } catch (error) { // it is not permitted
        state.bindState = UNBOUND;
        socket.emit('error', error);
        return;
    }
    if (err === 0)
        err = state.handle.bind(ip, port || 0);
    if (err === 0) {
        startReceiving(socket);
        return;
    }
    state.bindState = UNBOUND;
    state.handle?.close();
    state.handle = null;
    socket.emit('error', addressError(err, 'bind', ip, port));
}

function bindToFd(socket, fd) {
    const err = openHandle(socket, fd);
    if (err === -88 || err === -91 || err === EBADF) // ENOTSOCK, EPROTOTYPE
        throw coded(TypeError, 'ERR_INVALID_FD_TYPE', `Unsupported fd type: ${
            err === EBADF ? 'UNKNOWN' : err === -91 ? 'TCP' : 'FILE'}`);
    if (err !== 0)
        throw errnoError(err, 'open');
    startReceiving(socket);
}

// ---- what waits for the socket to be bound ----

function enqueue(socket, step) {
    const state = socket[kState];
    if (state.queue !== undefined) {
        state.queue.push(step);
        return;
    }
    state.queue = [step];
    const onListening = () => {
        socket.removeListener(EventEmitter.errorMonitor, onError);
        const steps = state.queue;
        state.queue = undefined;
        for (const one of steps)
            one();
    };
    const onError = () => {
        socket.removeListener('listening', onListening);
        state.queue = undefined;
    };
    socket.once(EventEmitter.errorMonitor, onError);
    socket.once('listening', onListening);
}

// ---- sending ----

const kinds = 'of type string or an instance of Buffer, TypedArray, or DataView';

function outOfBounds(name) {
    return coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS',
        `"${name}" is outside of buffer bounds`);
}

function toBytes(chunk) {
    return typeof chunk === 'string' ? Buffer.from(chunk)
        : ArrayBuffer.isView(chunk)
            ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : undefined;
}

function slice(buffer, offset, length) {
    const bytes = toBytes(buffer);
    if (bytes === undefined)
        throw invalidArgType('buffer', kinds, buffer);
    const start = offset >>> 0, size = length >>> 0;
    if (start > bytes.length)
        throw outOfBounds('offset');
    if (start + size > bytes.length)
        throw outOfBounds('length');
    return bytes.subarray(start, start + size);
}

function toList(buffer) {
    const list = (Array.isArray(buffer) ? buffer : [buffer]).map(toBytes);
    if (list.includes(undefined))
        throw invalidArgType(Array.isArray(buffer) ? 'buffer list arguments' : 'buffer',
            kinds, buffer);
    return list.length > 0 ? list : [Buffer.alloc(0)];
}

// The overloads of send: {list, port, address, callback}
function readSend(isConnectedNow, args) {
    let [buffer, offset, length, port, address, callback] = args;
    if (!isConnectedNow) {
        if (address || (port && typeof port !== 'function'))
            buffer = slice(buffer, offset, length);
        else
            [callback, port, address] = [port, offset, length];
    } else {
        if (typeof length === 'number') {
            buffer = slice(buffer, offset, length);
            if (typeof port === 'function')
                [callback, port] = [port, null];
        } else {
            callback = offset;
        }
        if (port || address)
            throw isConnected();
    }
    const list = toList(buffer);
    if (!isConnectedNow)
        port = check.port(port, 'Port', false);
    if (typeof callback !== 'function')
        callback = undefined;
    if (typeof address === 'function')
        [callback, address] = [address, undefined];
    else if (address != null)
        check.string(address, 'address');
    return { list, port, address, callback };
}

function fail(socket, error, callback) {
    process.nextTick(() => {
        if (callback)
            callback(error);
        else
            socket.emit('error', error);
    });
}

function sendTo(socket, ip, { list, port, address, callback }) {
    const { handle } = socket[kState];
    if (handle === null)
        return;
    const err = handle.send(list, port ? ip : undefined, port,
        callback && { callback, address, port });
    if (err > 0 && callback)
        process.nextTick(callback, null, err - 1);
    else if (err < 0 && callback)
        process.nextTick(callback, addressError(err, 'send', address, port));
}

// ---- settings ----

// Call a function of the handle; as in Node, a socket that is not bound is bad.
function set(socket, name, syscall, ...args) {
    const { handle, isClosed } = socket[kState];
    if (isClosed)
        throw notRunning();
    const err = handle === null ? EBADF : handle[name](...args);
    if (err < 0)
        throw errnoError(err, syscall);
    return err;
}

function bufferSize(socket, size, isReceive) {
    if (size >>> 0 !== size)
        throw coded(TypeError, 'ERR_SOCKET_BAD_BUFFER_SIZE',
            'Buffer size must be a positive integer');
    const { handle } = socket[kState];
    const err = size > 2147483647 ? -22 : handle?.bufferSize(size, isReceive) ?? EBADF;
    if (err >= 0)
        return err;
    const { code } = errnoError(err, ''), syscall =
        `uv_${isReceive ? 'recv' : 'send'}_buffer_size`;
    throw systemError('ERR_SOCKET_BUFFER_SIZE', 'Could not get or set buffer size', { errno: err,
        code, message: code === 'EBADF' ? 'bad file descriptor' : 'invalid argument', syscall });
}

function checkGroup(address) {
    if (!address)
        throw coded(TypeError, 'ERR_MISSING_ARGS',
            'The "multicastAddress" argument must be specified');
}

const methods = {
    bind(...args) {
        const state = checkRunning(this), [first, second] = args;
        if (state.bindState !== UNBOUND)
            throw coded(Error, 'ERR_SOCKET_ALREADY_BOUND', 'Socket is already bound');
        state.bindState = BINDING;
        const callback = args[args.length - 1];
        if (typeof callback === 'function')
            onceBound(this, callback);
        const isObject = first !== null && typeof first === 'object';
        const isExclusive = isObject && Boolean(first.exclusive);
        if (isObject && isDescriptor(first)) {
            bindToFd(this, first.fd);
            first.forget();
            return this;
        }
        if (isObject && Number.isInteger(first.fd) && first.fd > 0) {
            if (sharing.ask !== undefined && !isExclusive)
                bindAtPrimary(this, { address: null, port: null, fd: first.fd, flags: null },
                    (status) => errnoError(status, 'open'));
            else
                bindToFd(this, first.fd);
            return this;
        }
        const port = isObject ? first.port : first;
        const address = (isObject ? first.address : typeof second === 'function' ? '' : second) ||
            (this.type === 'udp4' ? '0.0.0.0' : '::');
        lookUp(this, address, (error, ip) => {
            if (state.isClosed)
                return;
            if (error) {
                state.bindState = UNBOUND;
                this.emit('error', error);
            } else {
                bindTo(this, ip, typeof port === 'function' ? 0 : port, isExclusive);
            }
        });
        return this;
    },

    connect(port, address, callback) {
        const number = check.port(port, 'Port', false);
        const done = typeof address === 'function' ? address : callback;
        const host = typeof address === 'function' || address === undefined ? '' : address;
        check.string(host, 'address');
        const state = this[kState];
        if (state.connectState !== DISCONNECTED)
            throw isConnected();
        state.connectState = CONNECTING;
        if (state.bindState === UNBOUND)
            this.bind({ port: 0, exclusive: true }, null);
        const step = () => connectTo(this, number, host, done);
        if (state.bindState === BOUND)
            step();
        else
            enqueue(this, step);
    },

    disconnect() {
        const state = this[kState];
        if (state.connectState !== CONNECTED)
            throw notConnected();
        set(this, 'disconnect', 'connect');
        state.connectState = DISCONNECTED;
    },

    sendto(buffer, offset, length, port, address, callback) {
        check.number(offset, 'offset');
        check.number(length, 'length');
        check.number(port, 'port');
        check.string(address, 'address');
        this.send(buffer, offset, length, port, address, callback);
    },

    send(...args) {
        const state = this[kState];
        const message = readSend(state.connectState === CONNECTED, args);
        checkRunning(this);
        if (state.bindState === UNBOUND)
            this.bind({ port: 0, exclusive: true }, null);
        const step = () => {
            if (state.connectState === CONNECTED)
                sendTo(this, undefined, { ...message, port: undefined });
            else
                lookUp(this, message.address, (error, ip) => {
                    if (error)
                        fail(this, error, message.callback);
                    else
                        sendTo(this, ip, message);
                });
        };
        if (state.bindState === BOUND)
            step();
        else
            enqueue(this, step);
    },

    close(callback) {
        const state = this[kState];
        if (typeof callback === 'function')
            this.on('close', callback);
        if (state.queue !== undefined) {
            state.queue.push(() => this.close());
            return this;
        }
        checkRunning(this);
        state.isClosed = true;
        state.handle?.close();
        state.handle = null;
        process.nextTick(() => this.emit('close'));
        return this;
    },

    address() {
        checkRunning(this);
        const address = this[kState].handle?.getsockname() ?? EBADF;
        if (typeof address === 'number')
            throw errnoError(address, 'getsockname');
        return address;
    },

    remoteAddress() {
        const state = checkRunning(this);
        if (state.connectState !== CONNECTED)
            throw notConnected();
        const address = state.handle.getpeername();
        if (typeof address === 'number')
            throw errnoError(address, 'getpeername');
        return address;
    },

    setBroadcast(value) {
        set(this, 'setBroadcast', 'setBroadcast', value ? 1 : 0);
    },

    setTTL(ttl) {
        check.number(ttl, 'ttl');
        set(this, 'setTTL', 'setTTL', ttl);
        return ttl;
    },

    setMulticastTTL(ttl) {
        check.number(ttl, 'ttl');
        set(this, 'setMulticastTTL', 'setMulticastTTL', ttl);
        return ttl;
    },

    setMulticastLoopback(value) {
        set(this, 'setMulticastLoopback', 'setMulticastLoopback', value ? 1 : 0);
        return value;
    },

    setMulticastInterface(address) {
        checkRunning(this);
        check.string(address, 'interfaceAddress');
        set(this, 'setMulticastInterface', 'setMulticastInterface', address);
    },

    addMembership(group, address) {
        checkRunning(this);
        checkGroup(group);
        // As in Node, joining binds the socket.
        if (this[kState].handle === null && openHandle(this) === 0)
            bindForGroup(this);
        set(this, 'join', 'addMembership', group, address);
    },

    dropMembership(group, address) {
        checkRunning(this);
        checkGroup(group);
        if (this[kState].handle === null)
            openHandle(this);
        set(this, 'leave', 'dropMembership', group, address);
    },

    addSourceSpecificMembership(source, group, address) {
        checkRunning(this);
        check.string(source, 'sourceAddress');
        check.string(group, 'groupAddress');
        set(this, 'join', 'addSourceSpecificMembership', group, address, source);
    },

    dropSourceSpecificMembership(source, group, address) {
        checkRunning(this);
        check.string(source, 'sourceAddress');
        check.string(group, 'groupAddress');
        set(this, 'leave', 'dropSourceSpecificMembership', group, address, source);
    },

    ref() {
        this[kState].isUnref = false;
        this[kState].handle?.ref();
        return this;
    },

    unref() {
        this[kState].isUnref = true;
        this[kState].handle?.unref();
        return this;
    },

    setRecvBufferSize(size) { bufferSize(this, size, true); },
    setSendBufferSize(size) { bufferSize(this, size, false); },
    getRecvBufferSize() { return bufferSize(this, 0, true); },
    getSendBufferSize() { return bufferSize(this, 0, false); },
    getSendQueueSize() { return this[kState].handle?.getSendQueueSize() ?? 0; },
    getSendQueueCount() { return this.getSendQueueSize() > 0 ? 1 : 0; },
};
for (const name of Object.keys(methods))
    Object.defineProperty(Socket.prototype, name, { value: methods[name], writable: true,
        enumerable: true, configurable: true });
Object.defineProperty(Socket.prototype, Symbol.asyncDispose ??
    Symbol.for('nodejs.asyncDispose'), {
    value() {
        return this[kState].isClosed ? Promise.resolve()
            : new Promise((resolve) => this.close(resolve));
    },
    writable: true, enumerable: true, configurable: true,
});

// A socket that joins a group before bind() gets an address, but does not
// receive yet.
function bindForGroup(socket) {
    socket[kState].handle.bind(socket.type === 'udp4' ? '0.0.0.0' : '::', 0);
}

function connectTo(socket, port, address, callback) {
    const state = socket[kState];
    if (callback)
        socket.once('connect', callback);
    lookUp(socket, address, (failure, ip) => {
        if (state.handle === null)
            return;
        const err = failure ? 0 : state.handle.connect(ip, port);
        const error = err === 0 ? failure : addressError(err, 'connect', address, port);
        state.connectState = error ? DISCONNECTED : CONNECTED;
        if (!error) {
            process.nextTick(() => socket.emit('connect'));
            return;
        }
        if (callback)
            socket.removeListener('connect', callback);
        fail(socket, error, callback);
    });
}

// ---- the hooks ----

native.setHooks(function onMessage(bytes, sender, status) {
    if (this[kState].isClosed)
        return;
    if (status < 0) {
        this.emit('error', errnoError(status, 'recvmsg'));
        return;
    }
    sender.size = bytes.length;
    this.emit('message', bytes, sender);
}, function onSent(status, size, request) {
    if (request === undefined)
        return;
    const { callback, address, port } = request;
    if (status < 0)
        callback(addressError(status, 'send', address, port));
    else
        callback(null, size);
});

module.exports = { createSocket: (type, listener) => new Socket(type, listener), Socket };
Object.defineProperty(module.exports, 'handleOf', { // of a socket, for process/handles
    value: (socket) => socket[kState].handle,
});
