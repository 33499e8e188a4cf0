// SPDX-License-Identifier: MIT
// nodehttp/server -- http.Server, on the C server of libweir-net.
'use strict';

const { Server: net } = require('net/server');
const process = require('program/process');
const binding = require('nodehttp/binding');
const { checkInteger, coded, invalidArgType, outOfRange } = require('core/errors');
const diagnostics = require('events/diagnostics');
const { kIsActive } = require('events/active');
const { IncomingMessage, arrive, receive, kExchange, kSocket, kJoins, kHasBody } =
    require('nodehttp/incoming');
const { ServerResponse, restrict, ended, writable, kServer, kLeft } =
    require('nodehttp/response');
const { parseUnique, kHeaders, kRejects, kUnique } = require('nodehttp/outgoing');
const { STATUS_CODES, kIsServed, refusalCode } = require('nodehttp/common');
const traced = require('http/traced');

const kServers = Symbol('servers'); // the C servers that listen or have connections
const kTimes = Symbol('times');
const kIncoming = Symbol('IncomingMessage');
const kResponse = Symbol('ServerResponse');
const kOptions = Symbol('options');
const kIsWatching = Symbol('isWatching');
const kHasSockets = Symbol('hasSockets');
const kDrain = Symbol('drain');
const kAcceptor = Symbol('acceptor'); // the C server for sockets of the program, or undefined

const MINOR = 1, BODY = 2, CLOSE = 4, UPGRADE = 16, EXPECT = 32, HEAD = 64;
const ETIMEDOUT = -110;
const LONGEST = 0x7fffffff; // milliseconds: no deadline

const startChannel = diagnostics.channel('http.server.request.start');
const createdChannel = diagnostics.channel('http.server.response.created');

// ---- options ----

function checkBoolean(value, name) {
    if (typeof value !== 'boolean')
        throw invalidArgType(name, 'of type boolean', value);
}

function integer(options, name, missing, least = 0) {
    const value = options[name];
    if (value === undefined)
        return missing;
    checkInteger(value, name, least);
    return value;
}

function boolean(options, name, missing) {
    const value = options[name];
    if (value === undefined)
        return missing;
    checkBoolean(value, `options.${name}`);
    return value;
}

function storeOptions(server, options) {
    const Incoming = options.IncomingMessage || IncomingMessage;
    const Response = options.ServerResponse || ServerResponse;
    server[kIncoming] = Incoming;
    server[kResponse] = Response;
    server[kOptions] = options;
    server.maxHeaderSize = integer(options, 'maxHeaderSize', undefined);
    server.insecureHTTPParser = boolean(options, 'insecureHTTPParser', undefined);
    const requestTimeout = integer(options, 'requestTimeout', 300000);
    const headersTimeout = integer(options, 'headersTimeout',
        Math.min(60000, requestTimeout || 60000));
    if (requestTimeout > 0 && headersTimeout > 0 && headersTimeout > requestTimeout)
        throw outOfRange('headersTimeout', '<= requestTimeout', options.headersTimeout);
    server[kTimes] = { headersTimeout, requestTimeout,
        keepAliveTimeout: integer(options, 'keepAliveTimeout', 5000) };
    server.connectionsCheckingInterval =
        integer(options, 'connectionsCheckingInterval', 30000);
    server.requireHostHeader = boolean(options, 'requireHostHeader', true);
    server.joinDuplicateHeaders = boolean(options, 'joinDuplicateHeaders', undefined);
    server.rejectNonStandardBodyWrites =
        boolean(options, 'rejectNonStandardBodyWrites', false);
    server[kUnique] = parseUnique(options.uniqueHeaders);
}

function Server(options, listener) {
    if (!(this instanceof Server))
        return new Server(options, listener);
    if (typeof options === 'function') {
        listener = options;
        options = {};
    } else if (options === undefined || options === null) {
        options = {};
    } else if (typeof options !== 'object' || Array.isArray(options)) {
        throw invalidArgType('options', 'of type object', options);
    }
    storeOptions(this, options);
    net.call(this, { allowHalfOpen: true, noDelay: options.noDelay ?? true,
        keepAlive: options.keepAlive, keepAliveInitialDelay: options.keepAliveInitialDelay,
        highWaterMark: options.highWaterMark });
    this[kServers] = new Set();
    this[kIsWatching] = this[kHasSockets] = false;
    this.httpAllowHalfOpen = false;
    this.timeout = 0;
    this.maxHeadersCount = null;
    this.maxRequestsPerSocket = 0;
    if (listener)
        this.on('request', listener);
    this.on('connection', serveSocket);
    this.on('newListener', (name) => {
        if (name === 'connection' || name === 'secureConnection' || name === 'keylog')
            watch(this);
    });
}
Object.setPrototypeOf(Server.prototype, net.prototype);
Object.setPrototypeOf(Server, net);

for (const name of ['headersTimeout', 'requestTimeout', 'keepAliveTimeout'])
    Object.defineProperty(Server.prototype, name, {
        get() { return this[kTimes]?.[name]; },
        set(value) {
            this[kTimes][name] = +value || 0;
            for (const each of this[kServers])
                setTimes(this, each);
        },
        configurable: true, enumerable: true,
    });

function setTimes(server, each) {
    setTemplates(server, each);
    const { headersTimeout, requestTimeout, keepAliveTimeout } = server[kTimes];
    // The time for a request counts for its head, too.
    const head = headersTimeout > 0 && requestTimeout > 0
        ? Math.min(headersTimeout, requestTimeout) : headersTimeout || requestTimeout;
    // A second of slack against the race of a request with the end.
    binding.setTimes(each, head, requestTimeout,
        keepAliveTimeout > 0 ? keepAliveTimeout + 1000 : 0);
}

// Make a socket for each connection, because the program wants to see them.
function watch(server) {
    if (server[kIsWatching])
        return;
    server[kIsWatching] = server[kHasSockets] = true;
    for (const each of server[kServers])
        binding.watch(each);
}

// ---- listening ----

function openServer(owner) {
    return binding.open(owner, { ...owner[kTimes],
        maxHeaderSize: owner.maxHeaderSize || 16384,
        maxHeadersCount: 8192, // more do not fit into a head
        noHost: owner.requireHostHeader ? 0 : 1, ...owner._tlsOptions?.() });
}

function addServer(owner, server) {
    owner[kServers].add(server);
    setTimes(owner, server);
    if (owner[kIsWatching] || owner.timeout > 0 || owner._asksAtHello?.()) {
        owner[kHasSockets] = true;
        binding.watch(server);
    }
}

// What net.Server calls to listen.  A handle, or -errno.
Server.prototype._openHandle = function({ address, port, path, fd, backlog, isIpv6Only, mode }) {
    const server = openServer(this);
    const where = path !== undefined ? absolute(path)
        : `${address?.includes(':') ? `[${address}]` : address}:${port}`;
    const status = binding.listen(server, where, { backlog, fd: fd ?? -1, mode: mode ?? 0,
        ipv6Only: isIpv6Only ? 1 : 0 });
    if (status !== 0) {
        binding.drain(server, 0);
        return status;
    }
    addServer(this, server);
    return new Handle(server);
};

// What net.Server calls to get connections that another process accepts.
Server.prototype._openAcceptor = function() {
    const server = openServer(this);
    addServer(this, server);
    return {
        take(descriptor) {
            if (binding.adopt(server, descriptor) !== 0)
                descriptor.close();
        },
        close() { binding.close(server); },
    };
};

// Serve a stream that the program passes by emit('connection', stream).  Its bytes go
// through a pair of sockets, because it may have read some, and may be any Duplex.
function serveSocket(raw) {
    if (raw[kIsServed] || typeof raw?.pipe !== 'function')
        return;
    if (this[kAcceptor] === undefined || binding.isClosed(this[kAcceptor])) {
        this[kAcceptor] = openServer(this);
        addServer(this, this[kAcceptor]);
        binding.watch(this[kAcceptor]);
        this[kHasSockets] = true;
    }
    const [handle] = require('net/tlssocket').bridge(raw);
    const before = adopting;
    adopting = raw;
    try {
        if (binding.adoptHandle(this[kAcceptor], handle) !== 0)
            raw.destroy();
    } finally {
        adopting = before;
    }
}

let adopting; // the stream that is being passed

const absolute = (path) => path[0] === '\0' ? `@${path.slice(1)}`
    : require('fs/path').resolve(path);

// What net.Server keeps in `_handle`.
class Handle {
    constructor(server) { this.server = server; }
    get fd() { return binding.fd(this.server); }
    close() { binding.close(this.server); }
    ref() { binding.setRef(this.server, true); }
    unref() { binding.setRef(this.server, false); }
    getsockname() {
        const found = binding.address(this.server);
        return typeof found === 'object'
            ? { address: found[0], family: found[2], port: found[1] } : {};
    }
}

function countPeers(server) {
    let count = 0;
    for (const each of server[kServers] ?? [])
        count += binding.countPeers(each);
    return count;
}

Object.defineProperty(Server.prototype, '_connections', {
    get() { return countPeers(this); },
    set() {}, // net.Server counts its own
    configurable: true,
});

Server.prototype.setTimeout = function setTimeout(msecs, callback) {
    this.timeout = msecs;
    if (msecs > 0)
        watch(this);
    if (callback)
        this.on('timeout', callback);
    return this;
};

// ---- the end ----

Server.prototype.close = function close(callback) {
    if (this[kAcceptor] !== undefined)
        binding.close(this[kAcceptor]);
    this[kAcceptor] = undefined;
    net.prototype.close.call(this, callback);
    this.closeIdleConnections();
    return this;
};

// The worker of a cluster leaves (process/clusterchild): close, but let each
// response that is still sent tell its client, so that none sends a request to a
// connection that is being closed.
Server.prototype._leave = function(callback) {
    this.once('close', callback);
    this._listeningId++;
    this._handle?.close();
    this.drain({ deadline: LONGEST });
};

Server.prototype._emitCloseIfDrained = function() {
    if (!this._handle && this[kServers].size === 0)
        process.nextTick(emitClose, this);
};

function emitClose(server) {
    server.emit('close');
    if (server[kDrain])
        finishDrain(server);
}

Server.prototype.closeAllConnections = function closeAllConnections() {
    for (const server of this[kServers])
        binding.closePeers(server, false);
};
Server.prototype.closeIdleConnections = function closeIdleConnections() {
    for (const server of this[kServers])
        binding.closePeers(server, true);
};

// captureRejections: a listener's promise was rejected.
Server.prototype[Symbol.for('nodejs.rejection')] = function(error, event, ...args) {
    if (event !== 'request') {
        net.prototype[Symbol.for('nodejs.rejection')].call(this, error, event, ...args);
        return;
    }
    const [, res] = args;
    if (res.headersSent || res.writableEnded) {
        res.destroy();
        return;
    }
    for (const name of res.getHeaderNames())
        res.removeHeader(name);
    res.statusCode = 500;
    res.end(STATUS_CODES[500]);
};

// Answer everything that clients have sent, then end.  Resolves to a report.
Server.prototype.drain = function drain({ deadline } = {}) {
    if (deadline !== undefined)
        checkInteger(deadline, 'options.deadline', 0);
    this._handle = null;
    this._isDraining = true;
    const servers = [...this[kServers]];
    for (const each of servers)
        binding.drain(each, deadline ?? -1);
    if (this[kDrain])
        return this[kDrain].promise;
    const drain = this[kDrain] = { servers, wasCut: false };
    drain.promise = new Promise((resolve) => drain.resolve = resolve);
    this._emitCloseIfDrained();
    return drain.promise;
};

function finishDrain(server) {
    const { servers, wasCut, resolve } = server[kDrain];
    server[kDrain] = undefined;
    server._isDraining = false;
    const report = { forced: wasCut, connections: 0, requests: 0, responses: 0, refused: 0,
        cut: 0, crossed: 0 };
    for (const each of servers) {
        const counts = binding.counts(each);
        for (const name of Object.keys(counts))
            report[name] += counts[name];
    }
    resolve(report);
}

// ---- what C calls ----

// Make the messages of a server with classes of the program.
function makeMessages(server, exchange, method, url, flags) {
    arrive(exchange);
    const req = new server[kIncoming]();
    req.method = method;
    req.url = url;
    req[kServer] = server;
    if (!(flags & MINOR)) {
        req.httpVersionMinor = 0;
        req.httpVersion = '1.0';
    }
    const res = new server[kResponse](req, server.rejectNonStandardBodyWrites
        ? { rejectNonStandardBodyWrites: true } : undefined);
    res[kExchange] = exchange;
    res[kServer] = server;
    if (server[kTimes].keepAliveTimeout !== 5000)
        res._keepAliveTimeout = server[kTimes].keepAliveTimeout;
    return request(server, req, res, flags);
}

// C makes the messages of other servers like these.  It replaces the values of the
// first properties.
function template(Class, properties) {
    const made = Object.create(Class.prototype);
    for (const [name, value] of properties)
        Object.defineProperty(made, name,
            { value, writable: true, enumerable: true, configurable: true });
    return made;
}

function setTemplates(server, each) {
    if (server[kIncoming] !== IncomingMessage || server[kResponse] !== ServerResponse)
        return;
    binding.setTemplates(each, template(IncomingMessage, [
        [kExchange, undefined], ['method', ''], ['url', ''],
        [kServer, server], ['complete', false], ['_events', undefined], ['_eventsCount', 0],
    ]), template(ServerResponse, [
        [kExchange, undefined], ['req', undefined], ['outputData', undefined],
        [kServer, server], ['_events', undefined], ['_eventsCount', 0],
        ['statusCode', 200], ['statusMessage', undefined], ['_header', null],
        ['_headerSent', false], ['finished', false], ['destroyed', false], ['_closed', false],
        ['_contentLength', null], ['chunkedEncoding', false], ['shouldKeepAlive', true],
        ['sendDate', true], ['_keepAliveTimeout', server[kTimes].keepAliveTimeout],
        ['_last', false], ['_hasBody', true], [kHeaders, null], [kLeft, false],
    ]));
}

// What is not as in most requests.
function mark(req, res, flags) {
    if (!(flags & MINOR)) {
        req.httpVersionMinor = 0;
        req.httpVersion = '1.0';
        restrict(res, req);
    }
    res.shouldKeepAlive = !(flags & CLOSE);
    if (flags & BODY)
        req[kHasBody] = true;
    if (flags & HEAD)
        res._hasBody = false;
}

function request(server, req, res, flags) {
    if (flags !== MINOR)
        mark(req, res, flags);
    if (server.joinDuplicateHeaders)
        req[kJoins] = true;
    if (server.maxHeadersCount > 0)
        req._maxHeadersCount = server.maxHeadersCount;
    if (server.rejectNonStandardBodyWrites)
        res[kRejects] = true;
    if (server[kUnique] !== null)
        res[kUnique] = server[kUnique];
    if (server[kHasSockets]) {
        const { socket } = req;
        if (socket) {
            socket._httpMessage = res;
            socket._touch();
        }
    }
    if (server.maxRequestsPerSocket > 0 && countRequest(server, res))
        return res;
    if (startChannel[kIsActive])
        startChannel.publish({ request: req, response: res, socket: req.socket, server });
    if (createdChannel[kIsActive])
        createdChannel.publish({ request: req, response: res });
    if (flags & UPGRADE && takeOver(server, req))
        return res;
    const isExpected = flags & EXPECT && flags & MINOR;
    if (traced !== null)
        traced.serveNode(server, req, res, isExpected ? expect : emitRequest);
    else if (isExpected)
        expect(server, req, res);
    else
        server.emit('request', req, res);
    if (!(flags & BODY))
        req.complete = true;
    return res;
}

function emitRequest(server, req, res) {
    server.emit('request', req, res);
}

function expect(server, req, res) {
    if (/(?:^|\W)100-continue(?:$|\W)/i.test(req.headers.expect)) {
        res._expect_continue = true;
        if (server.listenerCount('checkContinue') > 0) {
            server.emit('checkContinue', req, res);
        } else {
            res.writeContinue();
            server.emit('request', req, res);
        }
    } else if (server.listenerCount('checkExpectation') > 0) {
        server.emit('checkExpectation', req, res);
    } else {
        res.writeHead(417);
        res.end();
    }
}

// The option maxRequestsPerSocket.  Returns true if the request is dropped.
function countRequest(server, res) {
    const { socket } = res.req, max = server.maxRequestsPerSocket;
    const count = socket._requestCount = (socket._requestCount ?? 0) + 1;
    res._maxRequestsPerSocket = max;
    res.maxRequestsOnConnectionReached = max <= count;
    if (max >= count)
        return false;
    server.emit('dropRequest', res.req, socket);
    res.writeHead(503);
    res.end();
    return true;
}

// Give the connection to a program that listens for 'upgrade' or 'connect'.
// Returns true if the request is not to be answered.
function takeOver(server, req) {
    const name = req.method === 'CONNECT' ? 'connect' : 'upgrade';
    if (server.listenerCount(name) === 0) {
        if (name === 'upgrade')
            return false;
        req.socket?.destroy();
        return true;
    }
    req.upgrade = true;
    req.complete = true;
    const handle = binding.takeOver(req[kExchange]);
    if (handle === undefined)
        return true; // the client has left
    const { Socket } = require('net/net');
    const socket = new Socket({ handle, allowHalfOpen: true });
    socket.server = server;
    if (server._isSecure)
        require('nodehttp/securesocket').secure(socket, server);
    req[kSocket] = socket;
    server.emit(name, req, socket, require('bytes/buffer').Buffer.alloc(0));
    return true;
}

IncomingMessage.prototype._findSocket = function() {
    this[kServer][kHasSockets] = true;
    return binding.socketOf(this[kExchange]) ?? makeSocket(this[kServer], undefined);
};

function makeSocket(server, peer) {
    const Socket = server._isSecure ? require('nodehttp/securesocket').SecureServerSocket
        : require('nodehttp/socket').ServerSocket;
    const socket = new Socket(server, peer);
    if (adopting !== undefined)
        socket._standFor(adopting);
    socket.on('timeout', onTimeout);
    socket.on('error', () => {});
    if (server.timeout > 0)
        socket.setTimeout(server.timeout);
    return socket;
}

function onTimeout() {
    const { server, _httpMessage: res } = this;
    const wasTaken = [
        res && !res.req.complete && res.req.emit('timeout', this),
        res && res.emit('timeout', this),
        server.emit('timeout', this),
    ];
    if (!wasTaken.some(Boolean))
        this.destroy();
}

function connected(server, socket) {
    if (server._isSecure)
        socket._adopt();
    if (adopting === undefined)
        server.emit('connection', socket);
}

const refusalCodes = { 431: 'HPE_HEADER_OVERFLOW', 414: 'HPE_HEADER_OVERFLOW',
    413: 'HPE_CHUNK_EXTENSIONS_OVERFLOW' };

function refusalError(error, status, text) {
    if (error === ETIMEDOUT)
        return coded(Error, 'ERR_HTTP_REQUEST_TIMEOUT', 'Request timeout');
    const reason = status === 431 || status === 414 ? 'Header overflow' : text;
    const result = new Error(`Parse Error: ${reason}`);
    result.code = refusalCodes[status] ?? refusalCode(text);
    result.reason = reason;
    return result;
}

// A request was refused.  Returns true if the program has taken care of it.
function refused(server, socket, error, status, text, hasHead) {
    if (server.listenerCount('clientError') > 0) {
        server.emit('clientError', refusalError(error, status, text), socket);
        return true;
    }
    const shown = error === ETIMEDOUT ? 408 : status === 414 ? 431 : status;
    if (socket.writable && !hasHead)
        socket.write(`HTTP/1.1 ${shown} ${STATUS_CODES[shown]}\r\nConnection: close\r\n\r\n`,
            'latin1');
    socket.end();
    return true;
}

// A C server has ended.
function closed(server, status) {
    for (const each of server[kServers])
        if (binding.isClosed(each))
            server[kServers].delete(each);
    if (server[kDrain] && status !== 0)
        server[kDrain].wasCut = true;
    server._emitCloseIfDrained();
}

binding.setHooks([makeMessages, request, makeSocket, receive, ended, writable, connected,
    (socket) => require('nodehttp/socket').disconnected(socket), refused, closed]);

function createServer(options, listener) {
    return new Server(options, listener);
}

module.exports = { Server, createServer, watch, kServers, kTimes };
