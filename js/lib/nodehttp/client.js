// SPDX-License-Identifier: MIT
// nodehttp/client -- ClientRequest: a request that a program makes, on a
// net.Socket.
'use strict';

const process = require('program/process');
const context = require('core/context');
const { coded, invalidArgType } = require('core/errors');
const diagnostics = require('events/diagnostics');
const { duration, findAgent, readArguments, readOptions, setFields, withoutBody } =
    require('nodehttp/options');
const { OutgoingMessage, parseUnique, kHeaders, kNeedDrain, kUnique, kErrored } =
    require('nodehttp/outgoing');
const { IncomingMessage, kJoins } = require('nodehttp/incoming');
const { ResponseReader } = require('nodehttp/reader');
const { hangUp } = require('nodehttp/common');
const traced = require('http/traced');

const kError = Symbol('error');
const kContext = Symbol('context');

const startChannel = diagnostics.channel('http.client.request.start');
const finishChannel = diagnostics.channel('http.client.response.finish');
const errorChannel = diagnostics.channel('http.client.request.error');

// ---- the constructor ----

function ClientRequest(input, given, callback) {
    OutgoingMessage.call(this);
    const [read, listener] = readArguments(input, given, callback);
    const options = { ...read };
    const [agent, defaultAgent] = findAgent(options);
    this.agent = agent;
    const defaultPort = readOptions(this, options, agent, defaultAgent);
    if (listener)
        this.once('response', listener);
    this.useChunkedEncodingByDefault = !withoutBody.includes(this.method);
    this._ended = false;
    this.res = null;
    this.aborted = false;
    this.timeoutCb = null;
    this.upgradeOrConnect = false;
    this.parser = null;
    this.maxHeadersCount = null;
    this.reusedSocket = false;
    this[kContext] = context.context();
    if (agent)
        this._last = !(this.shouldKeepAlive = agent.keepAlive ||
            Number.isFinite(agent.maxSockets));
    this[kUnique] = parseUnique(options.uniqueHeaders);
    if (traced !== null)
        traced.beginNode(this, options);
    setFields(this, options, defaultPort);
    if (options.signal)
        watchSignal(this, options.signal);
    delete options.signal;
    connect(this, options);
}
Object.setPrototypeOf(ClientRequest.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ClientRequest, OutgoingMessage);
ClientRequest.prototype[kError] = null;

function watchSignal(req, signal) {
    if (typeof signal !== 'object' || signal === null || !('aborted' in signal))
        throw invalidArgType('options.signal', 'an instance of AbortSignal', signal);
    const abort = () => req.destroy(require('core/errors').abortError(signal));
    if (signal.aborted) {
        abort();
        return;
    }
    signal.addEventListener('abort', abort, { once: true });
    req.once('close', () => signal.removeEventListener('abort', abort));
}

function connect(req, options) {
    if (req.agent) {
        req.agent.addRequest(req, options);
    } else {
        req._last = true;
        req.shouldKeepAlive = false;
        let isDone = false;
        const done = (error, socket) => {
            if (isDone)
                return;
            isDone = true;
            if (error)
                process.nextTick(() => req.emit('error', error));
            else
                req.onSocket(socket);
        };
        if (options.socketPath)
            options.path = options.socketPath;
        const socket = options.createConnection ? options.createConnection(options, done)
            : require('net/net').createConnection(options);
        if (socket)
            done(null, socket);
    }
    req._deferToConnect(null, null, () => req._flush());
}

ClientRequest.prototype._finish = function _finish() {
    OutgoingMessage.prototype._finish.call(this);
    if (startChannel.hasSubscribers)
        startChannel.publish({ request: this });
};

ClientRequest.prototype._implicitHeader = function _implicitHeader() {
    if (this._header)
        throw coded(Error, 'ERR_HTTP_HEADERS_SENT',
            'Cannot render headers after they are sent to the client');
    this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, this[kHeaders]);
};

// ---- the end ----

ClientRequest.prototype.abort = function abort() {
    if (this.aborted)
        return;
    this.aborted = true;
    process.nextTick(() => this.emit('abort'));
    this.destroy();
};

ClientRequest.prototype.destroy = function destroy(error) {
    if (this.destroyed)
        return this;
    this.destroyed = true;
    this.res?._dump();
    this[kError] = this[kErrored] = error ?? null;
    this.socket?.destroy(error);
    return this;
};

function emitError(req, error) {
    if (traced !== null)
        traced.failNode(req, error);
    if (errorChannel.hasSubscribers)
        errorChannel.publish({ request: req, error });
    req.emit('error', error);
}

// A request that was destroyed before it had a socket.
function fail(req, error) {
    if (!req.aborted && !error)
        error = hangUp('socket hang up');
    if (error)
        emitError(req, error);
    else if (traced !== null)
        traced.failNode(req);
    req._closed = true;
    req.emit('close');
}

// ---- its socket ----

ClientRequest.prototype.onSocket = function onSocket(socket, error) {
    process.nextTick(takeSocket, this, socket, error);
};

function takeSocket(req, socket, error) {
    if (!req.destroyed && !error) {
        attach(req, socket);
        return;
    }
    req.destroyed = true;
    const reason = error ?? req[kError];
    if (!socket) {
        fail(req, reason);
    } else if (req.agent && !error && !socket.destroyed) {
        socket.emit('free');
        fail(req, reason);
    } else {
        const { finished } = require('stream/stream');
        finished(socket.destroy(reason), (ended) => fail(req,
            ended && ended.code !== 'ERR_STREAM_PREMATURE_CLOSE' ? ended : reason));
    }
}

function attach(req, socket) {
    const reader = new ResponseReader(req.method, req.maxHeaderSize);
    req.socket = socket;
    req.parser = socket.parser = reader;
    socket._httpMessage = req;
    reader.req = req;
    socket.on('error', onError);
    socket.on('data', onData);
    socket.on('end', onEnd);
    socket.on('close', onClose);
    socket.on('drain', onDrain);
    socket.on('timeout', onResponseTimeout);
    if (req.timeout !== undefined || (req.agent?.options?.timeout && !req.timeoutCb))
        listenForTimeout(req);
    socket.resume();
    req.emit('socket', socket);
}

function detach(socket) {
    socket.removeListener('error', onError);
    socket.removeListener('data', onData);
    socket.removeListener('end', onEnd);
    socket.removeListener('close', onClose);
    socket.removeListener('drain', onDrain);
    socket.removeListener('timeout', onResponseTimeout);
    socket.parser = null;
}

// Run a listener of the socket in the context of the request.
function within(fn) {
    return function (...args) {
        const req = this._httpMessage;
        if (!req)
            return;
        context.callWith(req[kContext], fn, this, [req, ...args]);
    };
}

const onDrain = within(function (req) {
    if (!req.finished && req[kNeedDrain]) {
        req[kNeedDrain] = false;
        req.emit('drain');
    }
});

const onError = within(function (req, error) {
    this._hadError = true;
    emitError(req, error);
    this.removeListener('data', onData);
    this.removeListener('end', onEnd);
    this.destroy();
});

const onEnd = within(function (req) {
    if (req.parser)
        finishInput(req);
    if (!req.res && !this._hadError) {
        this._hadError = true;
        emitError(req, hangUp('socket hang up'));
    }
    this.end();
});

const onClose = within(function (req) {
    finishInput(req);
    const { res } = req;
    req.destroyed = true;
    if (res) {
        if (!res.complete)
            res.destroy(hangUp('aborted'));
        req._closed = true;
        req.emit('close');
        if (!res.aborted && res.readable)
            res.push(null);
    } else {
        if (!this._hadError) {
            this._hadError = true;
            emitError(req, req[kError] ?? hangUp('socket hang up'));
        }
        req._closed = true;
        req.emit('close');
    }
    req.outputData.length = 0;
    detach(this);
});

// The connection has ended: perhaps the body has, too.
function finishInput(req) {
    const reader = req.parser;
    req.parser = null;
    if (reader?.finish() && req.res && !req.res.complete) {
        req.res.complete = true;
        req.res.push(null);
    }
}

const onData = within(function (req, chunk) {
    const reader = req.parser;
    if (!reader)
        return;
    if (reader.isOver) // and this is more than the response
        req.shouldKeepAlive = false;
    const failure = reader.run(chunk, this, handlers);
    if (failure) {
        this.removeListener('data', onData);
        this.removeListener('end', onEnd);
        this._hadError = true;
        req.parser = null;
        this.destroy();
        emitError(req, failure);
    }
});

// ---- what the reader finds ----

function makeResponse(req, socket, head) {
    const [status, reason, version, , isUpgrade, raw] = head;
    const res = new IncomingMessage(socket);
    res.httpVersionMajor = 1;
    res.httpVersionMinor = version - 10;
    res.httpVersion = version === 11 ? '1.1' : '1.0';
    res.statusCode = status;
    res.statusMessage = reason;
    res.upgrade = isUpgrade;
    res.rawHeaders = req.maxHeadersCount > 0 ? raw.slice(0, 2 * req.maxHeadersCount) : raw;
    if (req.joinDuplicateHeaders)
        res[kJoins] = true;
    res.req = req;
    return res;
}

function inform(req, res) {
    if (res.statusCode === 100)
        req.emit('continue');
    req.emit('information', {
        statusCode: res.statusCode, statusMessage: res.statusMessage,
        httpVersion: res.httpVersion, httpVersionMajor: res.httpVersionMajor,
        httpVersionMinor: res.httpVersionMinor, headers: res.headers,
        rawHeaders: res.rawHeaders,
    });
}

const handlers = {
    // A head.  Returns the message, or null for an interim response.
    head(reader, socket, head) {
        const { req } = reader;
        const res = makeResponse(req, socket, head);
        if (req.res) { // nobody has asked for it
            socket.destroy();
            return null;
        }
        if (traced !== null && (res.upgrade || res.statusCode >= 200))
            traced.answerNode(req, res.statusCode);
        if (res.upgrade) {
            req.res = res;
            return res;
        }
        if (res.statusCode < 200) {
            inform(req, res);
            return null;
        }
        if (req.shouldKeepAlive && !head[3])
            req.shouldKeepAlive = false;
        if (finishChannel.hasSubscribers)
            finishChannel.publish({ request: req, response: res });
        req.res = res;
        res.on('end', onResponseEnd);
        req.on('finish', onRequestFinish);
        if (req.aborted || !req.emit('response', res))
            res._dump();
        return res;
    },
    data(reader, socket, res, bytes) {
        if (!res._dumped && !res.push(bytes))
            socket.pause();
    },
    // If there is more, nobody has asked for it: it must not become the response to
    // the next request.
    complete(reader, socket, res, hasMore) {
        if (hasMore)
            reader.req.shouldKeepAlive = false;
        res.complete = true;
        res.push(null);
    },
    // What follows is another protocol.
    upgrade(reader, socket, res, rest) {
        const { req } = reader;
        const name = req.method === 'CONNECT' ? 'connect' : 'upgrade';
        req.parser = null;
        res.complete = true;
        detach(socket);
        if (req.listenerCount(name) === 0) {
            socket._httpMessage = req;
            socket.on('close', onClose);
            socket.destroy();
            return;
        }
        req.upgradeOrConnect = true;
        socket.emit('agentRemove');
        socket._httpMessage = null;
        if (req.timeoutCb)
            socket.removeListener('timeout', req.timeoutCb);
        socket.pause();
        socket.readableFlowing = null;
        req.emit(name, res, socket, rest);
        req.destroyed = true;
        req._closed = true;
        req.emit('close');
    },
};

function onResponseEnd() {
    const { req } = this;
    const { socket } = req;
    req._ended = true;
    if (!socket)
        return;
    if (req.timeoutCb)
        socket.removeListener('timeout', emitTimeout);
    if (!req.shouldKeepAlive) {
        if (socket.writable)
            socket.destroySoon();
    } else if (req.writableFinished && !this.aborted) {
        keepAlive(req);
    }
}

function onRequestFinish() {
    if (this.shouldKeepAlive && this._ended)
        keepAlive(this);
}

// Give the socket back.
function keepAlive(req) {
    const { socket } = req;
    if (req.timeoutCb) {
        socket.setTimeout(0, req.timeoutCb);
        req.timeoutCb = null;
    }
    req.parser = null;
    req.destroyed = true;
    detach(socket);
    socket.resume();
    process.nextTick(free, req);
}

function free(req) {
    req._closed = req.destroyed = true;
    req.emit('close');
    req.socket?.emit('free');
    if (req.res)
        req.res.socket = null; // it must not destroy a socket that was freed
}

// ---- timeouts and socket options ----

function onResponseTimeout() {
    this._httpMessage?.res?.emit('timeout');
}

function emitTimeout() {
    this._httpMessage?.emit('timeout');
}

function listenForTimeout(req) {
    if (req.timeoutCb)
        return;
    req.timeoutCb = emitTimeout;
    if (req.socket)
        req.socket.once('timeout', emitTimeout);
    else
        req.once('socket', (socket) => socket.once('timeout', emitTimeout));
}

function setSocketTimeout(socket, msecs) {
    if (socket.connecting)
        socket.once('connect', () => socket.setTimeout(msecs));
    else
        socket.setTimeout(msecs);
}

ClientRequest.prototype.setTimeout = function setTimeout(msecs, callback) {
    if (this._ended)
        return this;
    listenForTimeout(this);
    msecs = duration(msecs, 'msecs');
    if (callback)
        this.once('timeout', callback);
    if (this.socket)
        setSocketTimeout(this.socket, msecs);
    else
        this.once('socket', (socket) => setSocketTimeout(socket, msecs));
    return this;
};

ClientRequest.prototype.clearTimeout = function clearTimeout(callback) {
    this.setTimeout(0, callback);
};

// Call a method of the socket, and then fn, when it is connected.
ClientRequest.prototype._deferToConnect = function _deferToConnect(method, args, fn) {
    const call = () => {
        if (method)
            this.socket[method](...args);
        fn?.();
    };
    const onSocket = () => {
        if (this.socket.writable && !this.socket.connecting)
            call();
        else
            this.socket.once('connect', call);
    };
    if (this.socket)
        onSocket();
    else
        this.once('socket', onSocket);
};

ClientRequest.prototype.setNoDelay = function setNoDelay(noDelay) {
    this._deferToConnect('setNoDelay', [noDelay]);
};
ClientRequest.prototype.setSocketKeepAlive = function setSocketKeepAlive(enable, delay) {
    this._deferToConnect('setKeepAlive', [enable, delay]);
};

function request(url, options, callback) {
    return new ClientRequest(url, options, callback);
}

function get(url, options, callback) {
    const req = request(url, options, callback);
    req.end();
    return req;
}

module.exports = { ClientRequest, request, get, readArguments };
