// SPDX-License-Identifier: MIT
// nodehttp/response -- ServerResponse: the response to a request.
//
// A response of our server is sent by C, with its exchange.  A program can also
// make one and give it a socket (assignSocket); then it is written to that.
'use strict';

const { Buffer } = require('bytes/buffer');
const process = require('program/process');
const binding = require('nodehttp/binding');
const { coded, invalidArgType } = require('core/errors');
const { kIsActive } = require('events/active');
const { OutgoingMessage, headersSent, HIGH_WATER_MARK, kHeaders, kNeedDrain, kErrored } =
    require('nodehttp/outgoing');
const { STATUS_CODES, dateLine, hangUp, hasInvalidChar, validateHeaderName, validateHeaderValue } =
    require('nodehttp/common');
const { kExchange, kSocket, kHasBody } = require('nodehttp/incoming');
const traced = require('http/traced');

const kWaiting = Symbol('waiting'); // callbacks of writes that wait for room
const kLeft = Symbol('left'); // the response has left
const kServer = Symbol('server');

const finishChannel =
    require('events/diagnostics').channel('http.server.response.finish');

// js/nodehttp/exchange.c has the same.
const INTERIM = 1, END = 2, CLOSE = 4, LATIN1 = 8, CHUNK = 16, LAST = 32;

// To a client with HTTP/1.0.
function restrict(self, req) {
    self.useChunkedEncodingByDefault = /(?:^|\W)chunked(?:$|\W)/i.test(req.headers.te);
    self.shouldKeepAlive = false;
}

function ServerResponse(req, options) {
    OutgoingMessage.call(this, options);
    if (req[kExchange] === undefined)
        this._keepAliveTimeout = 0;
    if (req.method === 'HEAD')
        this._hasBody = false;
    this.req = req;
    if (req.httpVersionMajor < 1 || req.httpVersionMinor < 1)
        restrict(this, req);
}
Object.setPrototypeOf(ServerResponse.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);

Object.assign(ServerResponse.prototype, {
    statusCode: 200, statusMessage: undefined, sendDate: true, _sent100: false,
    _expect_continue: false, _keepAliveTimeout: 5000, _maxRequestsPerSocket: 0,
    [kExchange]: undefined, [kLeft]: false, [kServer]: undefined, [kWaiting]: undefined,
});

// The socket of our server's connection, until the response has left.
Object.defineProperty(ServerResponse.prototype, 'socket', {
    get() {
        if (this === ServerResponse.prototype)
            return null;
        if (this[kExchange] === undefined)
            return this[kSocket] ?? null;
        return this[kLeft] ? null : this.req.socket;
    },
    set(value) { this[kSocket] = value; },
    configurable: true,
});

ServerResponse.prototype.assignSocket = function assignSocket(socket) {
    if (socket._httpMessage)
        throw coded(Error, 'ERR_HTTP_SOCKET_ASSIGNED',
            'Socket already assigned');
    socket._httpMessage = this;
    socket.on('close', onSocketClose);
    this.socket = socket;
    this.emit('socket', socket);
    this._flush();
};

function onSocketClose() {
    if (this._httpMessage)
        close(this._httpMessage);
}

function close(response) {
    if (response._closed)
        return;
    response.destroyed = true;
    response._closed = true;
    response.emit('close');
}

ServerResponse.prototype.detachSocket = function detachSocket(socket) {
    socket.removeListener('close', onSocketClose);
    socket._httpMessage = null;
    this.socket = null;
};

// ---- heads ----

ServerResponse.prototype._implicitHeader = function _implicitHeader() {
    this.writeHead(this.statusCode);
};

function checkStatus(given) {
    const status = given | 0;
    if (status < 100 || status > 999)
        throw coded(RangeError, 'ERR_HTTP_INVALID_STATUS_CODE',
            `Invalid status code: ${require('util/format').format('%s', given)}`);
    return status;
}

// Merge the fields of writeHead into those that were set.
function mergeFields(self, given) {
    if (!Array.isArray(given)) {
        for (const name in given)
            if (name)
                self.setHeader(name, given[name]);
        return;
    }
    if (given.length % 2 !== 0)
        throw require('core/errors').invalidArgValue('headers', given);
    for (let i = 0; i < given.length; i += 2)
        self.removeHeader(given[i]);
    for (let i = 0; i < given.length; i += 2)
        if (given[i])
            self.appendHeader(given[i], given[i + 1]);
}

// C calls this, and end() below, for responses that are not simple.
function writeHead(given, reason, fields) {
    if (this._header)
        throw headersSent('write');
    const status = checkStatus(given);
    if (typeof reason === 'string') {
        this.statusMessage = reason;
    } else {
        this.statusMessage ||= STATUS_CODES[status] || 'unknown';
        fields ??= reason;
    }
    if (this.statusCode !== status)
        this.statusCode = status;
    let headers = fields;
    if (this[kHeaders] !== null) {
        if (fields)
            mergeFields(this, fields);
        headers = this[kHeaders];
    }
    if (this.statusMessage !== STATUS_CODES[status] && hasInvalidChar(this.statusMessage))
        throw coded(TypeError, 'ERR_INVALID_CHAR', 'Invalid character in statusMessage');
    if (status === 204 || status === 304 || status < 200)
        this._hasBody = false;
    if (this._expect_continue && !this._sent100)
        this.shouldKeepAlive = false;
    if (this[kServer]?._isDraining && this.shouldKeepAlive)
        this.shouldKeepAlive = !binding.closes(this[kExchange]);
    this._storeHeader(`HTTP/1.1 ${status} ${this.statusMessage}\r\n`, headers);
    return this;
}
ServerResponse.prototype.writeHead = ServerResponse.prototype.writeHeader = binding.writeHead;

// ---- interim responses ----

ServerResponse.prototype.writeContinue = function writeContinue(callback) {
    writeInterim(this, 'HTTP/1.1 100 Continue\r\n\r\n', callback);
    this._sent100 = true;
};

ServerResponse.prototype.writeProcessing = function writeProcessing(callback) {
    writeInterim(this, 'HTTP/1.1 102 Processing\r\n\r\n', callback);
};

const linkValue = /^(?:<[^>]*>)(?:\s*;\s*[^;"\s]+(?:=(")?[^;"\s]*\1)?)*$/;

function linkOf(given) {
    const links = Array.isArray(given) ? given : [given];
    for (const link of links)
        if (typeof link !== 'string' || !linkValue.test(link))
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'hints' must be an ` +
                `array or string of format "</styles.css>; rel=preload; as=style". Received ` +
                require('util/inspect').inspect(link));
    return links.join(', ');
}

ServerResponse.prototype.writeEarlyHints = function writeEarlyHints(hints, callback) {
    if (hints === null || typeof hints !== 'object')
        throw invalidArgType('hints', 'of type object', hints);
    if (hints.link === null || hints.link === undefined)
        return;
    const link = linkOf(hints.link);
    if (link.length === 0)
        return;
    let head = `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\n`;
    for (const key of Object.keys(hints))
        if (key.toLowerCase() !== 'link') {
            validateHeaderName(key);
            validateHeaderValue(key, hints[key]);
            head += `${key}: ${hints[key]}\r\n`;
        }
    writeInterim(this, `${head}\r\n`, callback);
};

function writeInterim(self, head, callback) {
    if (self[kExchange] === undefined) {
        self._writeRaw(head, 'latin1', callback);
        return;
    }
    binding.send(self[kExchange], head, undefined, undefined, INTERIM);
    if (callback)
        process.nextTick(callback);
}

// ---- output ----

// Convert what C does not: it knows UTF-8 and bytes.
function sendable(chunk, encoding) {
    if (typeof chunk !== 'string' || !encoding || encoding === 'utf8' || encoding === 'latin1')
        return chunk;
    return encoding === 'utf-8' ? chunk : Buffer.from(chunk, encoding);
}

ServerResponse.prototype._transmit = function(chunk, encoding, callback, isLast) {
    const exchange = this[kExchange];
    if (exchange === undefined)
        return OutgoingMessage.prototype._transmit.call(this, chunk, encoding, callback, isLast);
    let flags = encoding === 'latin1' ? LATIN1 : 0, head, tail;
    if (!this._headerSent) {
        head = this._header;
        this._headerSent = true;
    }
    if (this.chunkedEncoding && this._hasBody) {
        flags |= CHUNK;
        if (isLast) {
            flags |= LAST;
            tail = `0\r\n${this._trailer}\r\n`;
        }
    }
    if (isLast)
        flags |= this._last ? END | CLOSE : END;
    const result = binding.send(exchange, head, sendable(chunk, encoding), tail, flags);
    if (isLast)
        leaveBody(this.req);
    this.req[kSocket]?._touch?.();
    return settle(this, result, callback);
};

function end(chunk, encoding, callback) {
    return OutgoingMessage.prototype.end.call(this, chunk, encoding, callback);
}
ServerResponse.prototype.end = binding.end;

// A program can read the body after its response.  If it does not begin to, the
// next request has to come through.
function leaveBody(req) {
    if (req[kHasBody] && !req._consumed)
        require('timers/timers').setImmediate(discardBody, req);
}

binding.setReply(kExchange, kHeaders, kIsActive, writeHead, end, leaveBody, dateLine,
    STATUS_CODES, finishChannel);

function discardBody(req) {
    if (!req._consumed && !req.destroyed)
        binding.discard(req[kExchange]);
}

// Call the callback of a write when there is room.  Returns whether there is.
function settle(self, result, callback) {
    if (result === 1) {
        if (callback) {
            (self[kWaiting] ??= []).push(callback);
            self._events ??= { __proto__: null }; // so that C calls ended()
        }
        return false;
    }
    if (callback)
        process.nextTick(callback, result === 0 ? null : hangUp('aborted'));
    return result === 0;
}

ServerResponse.prototype._writeRaw = function _writeRaw(data, encoding, callback) {
    const exchange = this[kExchange];
    if (exchange === undefined)
        return OutgoingMessage.prototype._writeRaw.call(this, data, encoding, callback);
    if (typeof encoding === 'function') {
        callback = encoding;
        encoding = null;
    }
    return settle(this, binding.send(exchange, undefined, sendable(data, encoding), undefined,
        encoding === 'latin1' ? LATIN1 : 0), callback);
};

ServerResponse.prototype._queueFirst = function(header) {
    if (this[kExchange] === undefined)
        OutgoingMessage.prototype._queueFirst.call(this, header);
    else
        this._writeRaw(header, 'latin1');
};

// Call each one, even if another one throws.  As in Node, the end of the
// connection is not an error for them.
function callWaiting(self) {
    const waiting = self[kWaiting] ?? [];
    self[kWaiting] = undefined;
    for (const callback of waiting)
        try {
            callback(null);
        } catch (error) {
            process.nextTick(() => { throw error; });
        }
}

// C has room again.
function writable(self) {
    callWaiting(self);
    self.req[kSocket]?._touch?.();
    if (self[kNeedDrain] && !self.finished) {
        self[kNeedDrain] = false;
        self.emit('drain');
    }
}

ServerResponse.prototype._finish = function _finish() {
    OutgoingMessage.prototype._finish.call(this);
};

ServerResponse.prototype._afterEnd = function() {
    if (this[kExchange] === undefined)
        OutgoingMessage.prototype._afterEnd.call(this);
    else if (this._events !== undefined)
        this._finish();
};

ServerResponse.prototype.destroy = function destroy(error) {
    if (this.destroyed || this[kExchange] === undefined)
        return OutgoingMessage.prototype.destroy.call(this, error);
    this.destroyed = true;
    this[kErrored] = error;
    if (!this[kLeft])
        this.req.socket?.destroy(error);
    return this;
};

Object.defineProperties(ServerResponse.prototype, {
    writableFinished: {
        get() {
            return this[kExchange] !== undefined ? this.finished
                : this.finished && this.outputSize === 0 &&
                    (!this.socket || this.socket.writableLength === 0);
        },
        configurable: true,
    },
    writableHighWaterMark: {
        get() {
            return this[kExchange] !== undefined ? 16384
                : this.socket?.writableHighWaterMark ?? HIGH_WATER_MARK;
        },
        configurable: true,
    },
});

// ---- the end ----

// The kernel has the whole response, or the connection is gone.  C does not call
// this if nobody can notice.
function ended(self, status) {
    const { req } = self;
    self[kLeft] = true;
    if (traced !== null)
        traced.endNode(self, status);
    callWaiting(self); // those behind whom end() was called, or the client left
    const socket = req[kSocket];
    if (socket && socket._httpMessage === self)
        socket._httpMessage = null;
    if (status === 0) {
        if (finishChannel[kIsActive])
            finishChannel.publish({ request: req, response: self, socket: req.socket,
                server: self[kServer] });
        if (self._events !== undefined)
            self.emit('finish');
        if (req._events !== undefined && !req.destroyed && !req._consumed) {
            if (!self._last) { // all of it was discarded
                req.complete = true;
                req[kHasBody] = false;
            }
            req._dump();
        }
        if (self._events !== undefined)
            process.nextTick(close, self);
        else
            self.destroyed = self._closed = true;
    } else {
        // The client has left before its response.
        if (!req.destroyed && (req._events !== undefined || req[kHasBody]))
            req.destroy(hangUp('aborted'));
        close(self);
    }
}

module.exports = { ServerResponse, restrict, ended, writable, kServer, kLeft };
