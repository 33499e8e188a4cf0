// SPDX-License-Identifier: MIT
// net/server -- net.Server: an EventEmitter on a listening socket
// (js/net/server.c).
'use strict';

const EventEmitter = require('events/events');
const { adopt, Socket, normalize, toNumber, isPipeName, kOptions } = require('net/socket');
const check = require('net/check');
const { isDescriptor } = require('net/descriptor');
const { addressError, listenError } = require('net/errors');
const sharing = require('net/sharing');
const { coded, invalidArgType, invalidArgValue } = require('core/errors');
const process = require('program/process');
const { listenIp, listenPath, listenFd } = native;

const EADDRINUSE = -98;
const BACKLOG = 511; // as in Node, which lets the kernel round it up

const defaultHighWaterMark = () =>
    require('stream/stream').getDefaultHighWaterMark?.(false) ?? 16384;

function checkOptions(options) {
    const { keepAliveInitialDelay, highWaterMark } = options;
    if (keepAliveInitialDelay !== undefined) {
        check.number(keepAliveInitialDelay, 'options.keepAliveInitialDelay');
        options.keepAliveInitialDelay = Math.max(0, keepAliveInitialDelay);
    }
    if (highWaterMark !== undefined) {
        check.number(highWaterMark, 'options.highWaterMark');
        if (highWaterMark < 0)
            options.highWaterMark = undefined;
    }
    return options;
}

function Server(given, listener) {
    if (!(this instanceof Server))
        return new Server(given, listener);
    EventEmitter.call(this);
    if (given != null && typeof given !== 'object' && typeof given !== 'function')
        throw invalidArgType('options', 'of type object', given);
    const options = checkOptions(typeof given === 'function' ? {} : { ...given });
    const onConnection = typeof given === 'function' ? given : listener;
    if (typeof onConnection === 'function')
        this.on('connection', onConnection);
    this._connections = 0;
    this._handle = null;
    this._usingWorkers = false;
    this._workers = [];
    this._unref = false;
    this._listeningId = 1;
    this.allowHalfOpen = options.allowHalfOpen || false;
    this.pauseOnConnect = Boolean(options.pauseOnConnect);
    this.noDelay = Boolean(options.noDelay);
    this.keepAlive = Boolean(options.keepAlive);
    this.keepAliveInitialDelay = ~~(options.keepAliveInitialDelay / 1000);
    this.highWaterMark = options.highWaterMark ?? defaultHighWaterMark();
}
Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Server, EventEmitter);

// ---- listening ----

// A handle, or -errno.  A server of another protocol opens its own.
function open(server, place) {
    if (place.descriptor)
        return openDescriptor(server, place);
    if (server._openHandle)
        return server._openHandle(place);
    const { address, port, path, fd, backlog, isIpv6Only, mode } = place;
    if (fd !== undefined)
        return listenFd(server, fd, backlog);
    if (path !== undefined)
        return listenPath(server, path, backlog, mode);
    return listenIp(server, address, port, backlog, isIpv6Only);
}

function openDescriptor(server, { descriptor, backlog }) {
    const err = descriptor.listen(backlog);
    const handle = err < 0 ? err : open(server, { fd: descriptor.fd, backlog });
    if (typeof handle !== 'number')
        descriptor.forget();
    return handle;
}

// What is not permitted is reported like every other failure.
function start(server, place) {
    if (sharing.ask !== undefined && !place.isExclusive) {
        startAtPrimary(server, place);
        return;
    }
    try {
        startAt(server, place);
    } catch (error) {
        if (error?.code !== 'ERR_ACCESS_DENIED')
            throw error;
        process.nextTick(() => server.emit('error', error));
    }
}

// Without an address, all addresses of IPv6 and IPv4, or those of IPv4 alone.
function startAt(server, place) {
    const wanted = { backlog: BACKLOG, ...place };
    let handle;
    if (wanted.address === undefined && wanted.path === undefined &&
        wanted.fd === undefined) {
        wanted.address = '::';
        handle = open(server, wanted);
        if (typeof handle === 'number' && handle !== EADDRINUSE) {
            wanted.address = '0.0.0.0';
            handle = open(server, wanted);
        }
    } else {
        handle = open(server, wanted);
    }
    if (typeof handle === 'number') {
        const { address, path, port } = wanted;
        const error = listenError(handle, path ?? address ?? null,
            path === undefined ? port : -1);
        process.nextTick(() => server.emit('error', error));
        return;
    }
    begin(server, handle, wanted);
}

function begin(server, handle, { address, port, path }) {
    server._handle = handle;
    server._connectionKey = path === undefined
        ? `${address?.includes(':') ? 6 : 4}:${address}:${port}` : `-1:${path}:-1`;
    if (server._unref)
        handle.unref();
    process.nextTick(() => {
        if (server._handle)
            server.emit('listening');
    });
}

// ---- in a cluster's worker ----

// The question as Node asks it.
function queryOf({ address = null, addressType = 4, port, path, fd, backlog, isIpv6Only,
    readableAll, writableAll }) {
    if (path !== undefined)
        return { address: path, port: -1, addressType: -1, backlog, readableAll, writableAll };
    if (fd !== undefined)
        return { address: null, port: null, addressType: null, fd, backlog };
    return { address, port, addressType, flags: isIpv6Only ? 1 : 0, backlog };
}

// The primary's socket as a handle, or -errno.
function openShared(server, { descriptor, track }, { port, backlog }) {
    const handle = open(server, { descriptor, backlog });
    if (typeof handle === 'number') {
        descriptor.close();
        track(undefined);
        return handle;
    }
    track(handle);
    const found = handle.getsockname()?.port;
    // The primary could not bind it: the kernel has chosen another port.
    if (port > 0 && found !== undefined && found !== port) {
        handle.close();
        return EADDRINUSE;
    }
    return handle;
}

function startAtPrimary(server, place) {
    const id = server._listeningId, query = queryOf(place);
    sharing.ask(server, query, (err, share) => {
        let handle = share?.handle;
        if (id !== server._listeningId) {
            handle?.close();
            share?.descriptor?.close();
            share?.track?.(undefined);
            return;
        }
        if (err === 0 && handle === undefined)
            handle = openShared(server, share, { backlog: BACKLOG, ...place });
        else if (err === 0)
            handle.acceptor = acceptorOf(server);
        const status = typeof handle === 'number' ? handle : err;
        if (status !== 0)
            server.emit('error', addressError(status, 'bind', query.address, query.port));
        else
            begin(server, handle, { ...place, address: place.address ?? '::' });
    });
}

// What serves connections that another process has accepted.
function acceptorOf(server) {
    return server._openAcceptor?.() ?? { close() {}, take(descriptor) {
        const handle = adopt(descriptor);
        if (typeof handle === 'number')
            descriptor.close();
        else
            welcome.call(server, handle);
    } };
}

function watchSignal(server, signal) {
    if (signal === undefined)
        return;
    check.signal(signal, 'options.signal');
    const onAbort = () => server.close();
    if (signal.aborted) {
        process.nextTick(onAbort);
        return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    server.once('close', () => signal.removeEventListener('abort', onAbort));
}

function listenOnHost(server, host, place) {
    const id = server._listeningId;
    require('net/dns').lookup(host, (error, ip, family) => {
        if (id !== server._listeningId)
            return;
        if (error)
            server.emit('error', error);
        else
            start(server, { ...place, address: ip ?? '0.0.0.0', addressType: family || 4 });
    });
}

function listenOnPath(server, options, backlog) {
    const { path, readableAll, writableAll } = options;
    if (path[0] === '\0' && (readableAll || writableAll))
        throw invalidArgValue('options', options,
            'can not set readableAll or writableAllt to true when path is abstract unix socket');
    let mode = 0;
    if (readableAll === true)
        mode |= 0o444;
    if (writableAll === true)
        mode |= 0o222;
    server._pipeName = path;
    start(server, { path, backlog, mode: mode || undefined, readableAll, writableAll,
        isExclusive: options.exclusive });
}

// A handle that is listening already changes its owner.
function listenOnHandle(server, handle, backlog) {
    if (isDescriptor(handle)) {
        start(server, { descriptor: handle, backlog, isExclusive: true });
        return;
    }
    if (typeof handle.setOwner !== 'function')
        throw invalidArgValue('options', handle);
    handle.setOwner(server);
    server._handle = handle;
    process.nextTick(() => {
        if (server._handle)
            server.emit('listening');
    });
}

const hasNoPort = (args, options) => args.length === 0 || typeof args[0] === 'function' ||
    (options.port === undefined && 'port' in options) || options.port === null;

const methods = {
    listen(...args) {
        const [given, callback] = normalize(args);
        if (this._handle)
            throw coded(Error, 'ERR_SERVER_ALREADY_LISTEN',
                'Listen method has been called more than once without closing.');
        if (callback !== null)
            this.once('listening', callback);
        const counted = toNumber(args.length > 1 && args[1]) ||
            toNumber(args.length > 2 && args[2]);
        const options = given._handle || given.handle || given;
        this._listeningId++;
        if (isDescriptor(options) ||
            (options !== given && typeof options.getsockname === 'function')) {
            listenOnHandle(this, options, counted || BACKLOG);
            return this;
        }
        watchSignal(this, options.signal);
        if (typeof options.fd === 'number' && options.fd >= 0) {
            start(this, { fd: options.fd, backlog: counted || BACKLOG });
            return this;
        }
        if (hasNoPort(args, options))
            options.port = 0;
        const backlog = options.backlog || counted || BACKLOG;
        if (typeof options.port === 'number' || typeof options.port === 'string') {
            const port = check.port(options.port, 'options.port');
            const place = { port, backlog, isIpv6Only: Boolean(options.ipv6Only),
                isExclusive: options.exclusive };
            if (options.host)
                listenOnHost(this, options.host, place);
            else
                start(this, { port, backlog, isExclusive: options.exclusive });
            return this;
        }
        if (options.path && isPipeName(options.path)) {
            listenOnPath(this, options, backlog);
            return this;
        }
        throw 'port' in options || 'path' in options ? invalidArgValue('options', options)
            : invalidArgValue('options', options, 'must have the property "port" or "path"');
    },

    address() {
        if (!this._handle)
            return null;
        const address = this._handle.getsockname();
        return address?.address === undefined ? this._pipeName ?? null : address;
    },

    getConnections(callback) {
        let left = this._workers.length, total = this._connections;
        if (left === 0)
            process.nextTick(callback, null, total);
        for (const worker of this._workers)
            worker.getConnections((error, count) => {
                if (left <= 0)
                    return; // it has failed
                left = error ? 0 : left - 1;
                total += count;
                if (left === 0)
                    process.nextTick(callback, error, error ? undefined : total);
            });
        return this;
    },

    // A process has got a connection of this server (process/socketlist).
    _setupWorker(list) {
        this._usingWorkers = true;
        this._workers.push(list);
        list.once('exit', () => {
            this._workers.splice(this._workers.indexOf(list), 1);
        });
    },

    close(callback) {
        this._listeningId++;
        if (typeof callback === 'function') {
            if (this._handle)
                this.once('close', callback);
            else
                this.once('close', () => callback(coded(Error, 'ERR_SERVER_NOT_RUNNING',
                    'Server is not running.')));
        }
        this._handle?.close();
        this._handle = null;
        if (this._workers.length > 0)
            closeAtWorkers(this);
        else
            this._emitCloseIfDrained();
        return this;
    },

    _emitCloseIfDrained() {
        if (!this._handle && this._connections === 0)
            process.nextTick(() => this.emit('close'));
    },

    ref() {
        this._unref = false;
        this._handle?.ref();
        return this;
    },

    unref() {
        this._unref = true;
        this._handle?.unref();
        return this;
    },
};
for (const name of Object.keys(methods))
    Object.defineProperty(Server.prototype, name, { value: methods[name], writable: true,
        enumerable: true, configurable: true });
Object.defineProperty(Server.prototype, 'listening', {
    get() { return Boolean(this._handle); }, enumerable: true, configurable: true,
});
Object.defineProperty(Server.prototype, Symbol.asyncDispose ??
    Symbol.for('nodejs.asyncDispose'), {
    value() {
        return this._handle ? new Promise((resolve, reject) => this.close((error) =>
            error ? reject(error) : resolve())) : Promise.resolve();
    },
    writable: true, enumerable: true, configurable: true,
});
Object.defineProperty(Server.prototype, Symbol.for('nodejs.rejection'), {
    value(error, event, socket) {
        if (event === 'connection')
            socket.destroy(error);
        else
            this.emit('error', error);
    },
    writable: true, enumerable: true, configurable: true,
});

// The event 'close' comes when the other processes have closed what they got, too.
function closeAtWorkers(server) {
    let left = server._workers.length;
    server._connections++; // stands for them
    for (const worker of server._workers)
        worker.close(() => {
            if (--left > 0)
                return;
            server._connections--;
            server._emitCloseIfDrained();
        });
}

// ---- connections ----

function drop(server, handle) {
    const local = handle.getsockname() ?? {}, remote = handle.getpeername() ?? {};
    if (local.address === undefined)
        server.emit('drop');
    else
        server.emit('drop', { __proto__: null,
            localAddress: local.address, localPort: local.port, localFamily: local.family,
            remoteAddress: remote.address, remotePort: remote.port,
            remoteFamily: remote.family });
    handle.close();
}

function welcome(handle) {
    if (this._onHandle) { // it hands connections to other processes
        this._onHandle(handle);
        return;
    }
    if (this.maxConnections && this._connections >= this.maxConnections) {
        drop(this, handle);
        return;
    }
    const socket = new Socket({ handle, allowHalfOpen: this.allowHalfOpen,
        pauseOnCreate: this.pauseOnConnect, readable: true, writable: true,
        readableHighWaterMark: this.highWaterMark,
        writableHighWaterMark: this.highWaterMark });
    if (this.noDelay)
        socket.setNoDelay(true);
    if (this.keepAlive) {
        socket[kOptions].delay = this.keepAliveInitialDelay;
        socket.setKeepAlive(true, this.keepAliveInitialDelay * 1000);
    }
    this._connections++;
    socket.server = this;
    socket._server = this;
    this.emit('connection', socket);
}
native.onConnection(welcome);

module.exports = { Server };
