// SPDX-License-Identifier: MIT
// nodehttp/outgoing -- OutgoingMessage: a response of a server, or a request of a
// client.
//
// The head is a string that is sent with the first piece of the body.  Messages
// of a client, and responses that a program has given a socket, are written to
// it; until there is one, the pieces wait in outputData.  A response of our
// server replaces _transmit (response.js).
'use strict';

const Stream = require('stream/stream');
const { Buffer } = require('bytes/buffer');
const process = require('program/process');
const { coded, invalidArgType, invalidArgValue } = require('core/errors');
const { hasInvalidChar, isToken, utcDate, validateHeaderName, validateHeaderValue } =
    require('nodehttp/common');

const kHeaders = Symbol('kOutHeaders'); // lower-case name -> [name, value]
const kNeedDrain = Symbol('kNeedDrain');
const kCorked = Symbol('corked');
const kChunks = Symbol('chunks'); // written while it is corked
const kErrored = Symbol('errored');
const kUnique = Symbol('uniqueHeaders');
const kBytes = Symbol('bytesWritten');
const kHighWaterMark = Symbol('highWaterMark');
const kRejects = Symbol('rejectNonStandardBodyWrites');

const HIGH_WATER_MARK = 64 * 1024;
const chunked = /(?:^|\W)chunked(?:$|\W)/i;
const closes = /(?:^|\W)close(?:$|\W)/i;

function OutgoingMessage(options) {
    this.outputData = [];
    this.outputSize = 0;
    this.writable = true;
    this.destroyed = false;
    this._last = false;
    this.chunkedEncoding = false;
    this.shouldKeepAlive = true;
    this.maxRequestsOnConnectionReached = false;
    this._defaultKeepAlive = true;
    this.useChunkedEncodingByDefault = true;
    this.sendDate = false;
    this._removedConnection = false;
    this._removedContLen = false;
    this._removedTE = false;
    this.strictContentLength = false;
    this._contentLength = null;
    this._hasBody = true;
    this._trailer = '';
    this.finished = false;
    this._headerSent = false;
    this._closed = false;
    this._header = null;
    this[kHeaders] = null;
    this._keepAliveTimeout = 0;
    this._onPendingData = nothing;
    if (options !== undefined) {
        this[kHighWaterMark] = options.highWaterMark;
        this[kRejects] = options.rejectNonStandardBodyWrites;
    }
}
Object.setPrototypeOf(OutgoingMessage.prototype, Stream.prototype);
Object.setPrototypeOf(OutgoingMessage, Stream);

function nothing() {}

// What most messages never change.
Object.assign(OutgoingMessage.prototype, {
    [kNeedDrain]: false, [kCorked]: 0, [kChunks]: null, [kErrored]: null, [kUnique]: null,
    [kBytes]: 0,
});

function getter(name, get, set) {
    Object.defineProperty(OutgoingMessage.prototype, name, { get, set, configurable: true });
}

getter('errored', function() { return this[kErrored]; });
getter('closed', function() { return this._closed; });
getter('writableFinished', function() {
    return this.finished && this.outputSize === 0 &&
        (!this.socket || this.socket.writableLength === 0);
});
getter('writableObjectMode', () => false);
getter('writableLength', function() {
    return this.outputSize + (this[kChunks] === null ? 0 : length(this[kChunks])) +
        (this.socket ? this.socket.writableLength : 0);
});
getter('writableHighWaterMark', function() {
    return this[kHighWaterMark] ?? this.socket?.writableHighWaterMark ?? HIGH_WATER_MARK;
});
getter('writableCorked', function() { return this[kCorked]; });
getter('headersSent', function() { return !!this._header; });
getter('writableEnded', function() { return this.finished; });
getter('writableNeedDrain', function() {
    return !this.destroyed && !this.finished && this[kNeedDrain];
});
getter('connection', function() { return this.socket; },
    function(value) { this.socket = value; });
Object.defineProperty(OutgoingMessage.prototype, 'socket',
    { value: null, writable: true, configurable: true });
getter('_headers', function() { return this.getHeaders(); }, function(value) {
    this[kHeaders] = null;
    if (typeof value === 'object' && value !== null) {
        this[kHeaders] = { __proto__: null };
        for (const name of Object.keys(value))
            this[kHeaders][name.toLowerCase()] = [name, value[name]];
    }
});
getter('_headerNames', function() {
    if (this[kHeaders] === null)
        return null;
    const names = { __proto__: null };
    for (const key of Object.keys(this[kHeaders]))
        names[key] = this[kHeaders][key][0];
    return names;
}, nothing);

OutgoingMessage.prototype._renderHeaders = function _renderHeaders() {
    if (this._header)
        throw headersSent('render');
    const headers = {};
    for (const key of Object.keys(this[kHeaders] ?? {}))
        headers[this[kHeaders][key][0]] = this[kHeaders][key][1];
    return headers;
};

// ---- fields ----

function headersSent(what) {
    return coded(Error, 'ERR_HTTP_HEADERS_SENT',
        `Cannot ${what} headers after they are sent to the client`);
}

function checkValue(name, value) {
    if (Array.isArray(value))
        for (const each of value)
            validateHeaderValue(name, each);
    else
        validateHeaderValue(name, value);
}

OutgoingMessage.prototype.setHeader = function setHeader(name, value) {
    if (this._header)
        throw headersSent('set');
    validateHeaderName(name);
    checkValue(name, value);
    (this[kHeaders] ??= { __proto__: null })[name.toLowerCase()] = [name, value];
    return this;
};

OutgoingMessage.prototype.setHeaders = function setHeaders(headers) {
    if (this._header)
        throw headersSent('set');
    if (!headers || Array.isArray(headers) || typeof headers.keys !== 'function' ||
        typeof headers.get !== 'function')
        throw invalidArgType('headers', 'an instance of Headers or Map', headers);
    const cookies = [];
    for (const [name, value] of headers)
        if (name === 'set-cookie')
            cookies.push(...[value].flat());
        else
            this.setHeader(name, value);
    if (cookies.length > 0)
        this.setHeader('set-cookie', cookies);
    return this;
};

OutgoingMessage.prototype.appendHeader = function appendHeader(name, value) {
    if (this._header)
        throw headersSent('append');
    validateHeaderName(name);
    checkValue(name, value);
    const field = name.toLowerCase();
    this[kHeaders] ??= { __proto__: null };
    const old = this[kHeaders][field];
    if (old === undefined) {
        this[kHeaders][field] = [name, value];
    } else {
        if (!Array.isArray(old[1]))
            old[1] = [old[1]];
        old[1] = old[1].concat(value);
    }
    return this;
};

function checkName(name) {
    if (typeof name !== 'string')
        throw invalidArgType('name', 'of type string', name);
}

OutgoingMessage.prototype.getHeader = function getHeader(name) {
    checkName(name);
    return this[kHeaders] === null ? undefined : this[kHeaders][name.toLowerCase()]?.[1];
};
OutgoingMessage.prototype.getHeaderNames = function getHeaderNames() {
    return this[kHeaders] === null ? [] : Object.keys(this[kHeaders]);
};
OutgoingMessage.prototype.getRawHeaderNames = function getRawHeaderNames() {
    return this[kHeaders] === null ? [] : Object.values(this[kHeaders]).map((pair) => pair[0]);
};
OutgoingMessage.prototype.getHeaders = function getHeaders() {
    const headers = { __proto__: null };
    for (const key of this.getHeaderNames())
        headers[key] = this[kHeaders][key][1];
    return headers;
};
OutgoingMessage.prototype.hasHeader = function hasHeader(name) {
    checkName(name);
    return this[kHeaders] !== null && this[kHeaders][name.toLowerCase()] !== undefined;
};
OutgoingMessage.prototype.removeHeader = function removeHeader(name) {
    checkName(name);
    if (this._header)
        throw headersSent('remove');
    const key = name.toLowerCase();
    if (key === 'connection')
        this._removedConnection = true;
    else if (key === 'content-length')
        this._removedContLen = true;
    else if (key === 'transfer-encoding')
        this._removedTE = true;
    else if (key === 'date')
        this.sendDate = false;
    if (this[kHeaders] !== null)
        delete this[kHeaders][key];
};

// ---- the head ----

// What a field says about the message.
function note(self, seen, key, value) {
    switch (key) {
    case 'connection':
        seen.connection = true;
        self._removedConnection = false;
        if (closes.test(value))
            self._last = true;
        else
            self.shouldKeepAlive = true;
        break;
    case 'transfer-encoding':
        seen.coding = true;
        self._removedTE = false;
        if (chunked.test(value))
            self.chunkedEncoding = true;
        break;
    case 'content-length':
        seen.length = true;
        self._contentLength = +value;
        self._removedContLen = false;
        break;
    case 'date':
    case 'expect':
    case 'trailer':
        seen[key] = true;
        break;
    case 'keep-alive':
        self._defaultKeepAlive = false;
        break;
    }
}

function line(self, seen, name, value, isChecked) {
    if (isChecked)
        validateHeaderValue(name, value);
    seen.text += `${name}: ${value}\r\n`;
    // The names that matter have these lengths.
    const size = name.length;
    if (size === 4 || size === 6 || size === 7 || size === 10 || size === 14 || size === 17)
        note(self, seen, name.toLowerCase(), value);
}

function addField(self, seen, name, value, isChecked) {
    if (isChecked)
        validateHeaderName(name);
    if (!Array.isArray(value)) {
        line(self, seen, name, value, isChecked);
        return;
    }
    if ((value.length < 2 || name.toLowerCase() !== 'cookie') &&
        !self[kUnique]?.has(name.toLowerCase())) {
        for (const each of value)
            line(self, seen, name, each, isChecked);
        return;
    }
    line(self, seen, name, value.join('; '), isChecked);
}

function addFields(self, seen, headers) {
    if (headers === self[kHeaders]) {
        for (const key in headers)
            addField(self, seen, headers[key][0], headers[key][1], false);
    } else if (!Array.isArray(headers)) {
        for (const name in headers)
            if (Object.hasOwn(headers, name))
                addField(self, seen, name, headers[name], true);
    } else if (headers.length > 0 && Array.isArray(headers[0])) {
        for (const [name, value] of headers)
            addField(self, seen, name, value, true);
    } else {
        if (headers.length % 2 !== 0)
            throw invalidArgValue('headers', headers);
        for (let i = 0; i < headers.length; i += 2)
            addField(self, seen, headers[i], headers[i + 1], true);
    }
}

function addConnection(self, seen) {
    const keeps = self.shouldKeepAlive &&
        (seen.length || self.useChunkedEncodingByDefault || self.agent);
    if (!keeps) {
        self._last = true;
        seen.text += 'Connection: close\r\n';
    } else if (self.maxRequestsOnConnectionReached) {
        seen.text += 'Connection: close\r\n';
    } else {
        seen.text += 'Connection: keep-alive\r\n';
        if (self._keepAliveTimeout && self._defaultKeepAlive) {
            const max = self._maxRequestsPerSocket | 0;
            seen.text += `Keep-Alive: timeout=${Math.floor(self._keepAliveTimeout / 1000)}` +
                `${max > 0 ? `, max=${max}` : ''}\r\n`;
        }
    }
}

// Decide how the end of the body is found.
function addFraming(self, seen) {
    if (!self._hasBody) {
        self.chunkedEncoding = false;
    } else if (!self.useChunkedEncodingByDefault) {
        self._last = true;
    } else if (!seen.trailer && !self._removedContLen &&
        typeof self._contentLength === 'number') {
        seen.text += `Content-Length: ${self._contentLength}\r\n`;
    } else if (!self._removedTE) {
        seen.text += 'Transfer-Encoding: chunked\r\n';
        self.chunkedEncoding = true;
    }
}

OutgoingMessage.prototype._storeHeader = function _storeHeader(firstLine, headers) {
    const seen = { connection: false, length: false, coding: false, date: false,
        expect: false, trailer: false, text: firstLine };
    if (headers)
        addFields(this, seen, headers);
    if (this.sendDate && !seen.date)
        seen.text += `Date: ${utcDate()}\r\n`;
    if (this.chunkedEncoding && (this.statusCode === 204 || this.statusCode === 304)) {
        this.chunkedEncoding = false;
        this.shouldKeepAlive = false;
    }
    if (this._removedConnection) {
        this._last = !this.shouldKeepAlive;
    } else if (!seen.connection) {
        addConnection(this, seen);
    }
    if (!seen.length && !seen.coding)
        addFraming(this, seen);
    if (this.chunkedEncoding !== true && seen.trailer)
        throw coded(Error, 'ERR_HTTP_TRAILER_INVALID',
            'Trailers are invalid with this transfer encoding');
    this._header = `${seen.text}\r\n`;
    this._headerSent = false;
    if (seen.expect)
        this._send('');
};

OutgoingMessage.prototype._implicitHeader = function _implicitHeader() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED',
        'The _implicitHeader() method is not implemented');
};

OutgoingMessage.prototype.flushHeaders = function flushHeaders() {
    if (!this._header)
        this._implicitHeader();
    this._send('');
};

OutgoingMessage.prototype.addTrailers = function addTrailers(headers) {
    this._trailer = '';
    const isList = Array.isArray(headers);
    for (const key of Object.keys(headers)) {
        const name = isList ? headers[key][0] : key;
        const value = isList ? headers[key][1] : headers[key];
        validateHeaderName(name, 'Trailer name');
        const isMany = Array.isArray(value) && value.length > 1 &&
            !this[kUnique]?.has(name.toLowerCase());
        for (const each of isMany ? value : [Array.isArray(value) ? value.join('; ') : value]) {
            if (hasInvalidChar(each))
                throw coded(TypeError, 'ERR_INVALID_CHAR',
                    `Invalid character in trailer content ["${name}"]`);
            this._trailer += `${name}: ${each}\r\n`;
        }
    }
};

// ---- output ----

// Send something now, or keep it until there is a socket.
OutgoingMessage.prototype._send = function _send(data, encoding, callback, byteLength) {
    if (!this._headerSent) {
        const header = this._header;
        if (typeof data === 'string' && (encoding === 'utf8' || encoding === 'latin1' || !encoding)) {
            if (hasWide(header) && encoding !== 'latin1' && data !== '')
                this._queueFirst(header);
            else
                data = header + data;
            if (encoding !== 'utf8' && encoding !== 'utf-8')
                encoding = 'latin1';
        } else {
            this._queueFirst(header);
        }
        this._headerSent = true;
    }
    return this._writeRaw(data, encoding, callback);
};

const wide = /[\x80-\xff]/;
const hasWide = (text) => wide.test(text);

OutgoingMessage.prototype._queueFirst = function(header) {
    if (this.outputData.length === 0 && this.socket?._httpMessage === this &&
        this.socket.writable) {
        this.socket.write(header, 'latin1');
        return;
    }
    this.outputData.unshift({ data: header, encoding: 'latin1', callback: null });
    this.outputSize += header.length;
    this._onPendingData(header.length);
};

OutgoingMessage.prototype._writeRaw = function _writeRaw(data, encoding, callback) {
    const { socket } = this;
    if (socket?.destroyed)
        return false;
    if (typeof encoding === 'function') {
        callback = encoding;
        encoding = null;
    }
    if (socket && socket._httpMessage === this && socket.writable) {
        if (this.outputData.length > 0)
            this._flushOutput(socket);
        return socket.write(data, encoding, callback);
    }
    this.outputData.push({ data, encoding, callback });
    this.outputSize += data.length;
    this._onPendingData(data.length);
    return this.outputSize < this.writableHighWaterMark;
};

OutgoingMessage.prototype._flushOutput = function _flushOutput(socket) {
    const { outputData, outputSize } = this;
    if (outputData.length === 0)
        return undefined;
    socket.cork();
    let isOpen = true;
    this.outputData = [];
    this.outputSize = 0;
    for (const { data, encoding, callback } of outputData)
        isOpen = socket.write(data, encoding, callback);
    socket.uncork();
    this._onPendingData(-outputSize);
    return isOpen;
};

OutgoingMessage.prototype._flush = function _flush() {
    const { socket } = this;
    if (!socket?.writable)
        return;
    const isOpen = this._flushOutput(socket);
    if (this.finished) {
        this._finish();
    } else if (isOpen && this[kNeedDrain]) {
        this[kNeedDrain] = false;
        this.emit('drain');
    }
};

// A piece of the body, and perhaps its end.
OutgoingMessage.prototype._transmit = function(chunk, encoding, callback, isLast) {
    let result = true;
    if (chunk !== undefined && this.chunkedEncoding && chunk.length !== 0) {
        const size = typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding)
            : chunk.byteLength;
        this._send(size.toString(16), 'latin1', null);
        this._send('\r\n', 'latin1', null);
        this._send(chunk, encoding, null);
        result = this._send('\r\n', 'latin1', callback);
    } else if (chunk !== undefined) {
        result = this._send(chunk, encoding, callback);
    }
    if (isLast) {
        const finish = onFinish.bind(undefined, this);
        if (this._hasBody && this.chunkedEncoding)
            this._send(`0\r\n${this._trailer}\r\n`, 'latin1', finish);
        else if (!this._headerSent || this.writableLength || chunk === undefined)
            this._send('', 'latin1', finish);
        else
            process.nextTick(finish);
    }
    return result;
};

function onFinish(self, error) {
    if (error && self.socket?._hadError)
        return;
    self.emit('finish');
}

function badChunk(self, chunk) {
    if (chunk === null)
        return coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
    return invalidArgType('chunk', 'of type string or an instance of Buffer or Uint8Array',
        chunk);
}

const isBytes = (chunk) => ArrayBuffer.isView(chunk) && chunk instanceof Uint8Array;

function fail(self, error, callback) {
    if (!self.destroyed)
        process.nextTick(tellError, self, error, callback);
    else
        process.nextTick(callback ?? nothing, error);
}

function tellError(self, error, callback) {
    callback?.(error);
    if (typeof self.emit === 'function' && !self.destroyed)
        self.emit('error', error);
}

function mismatch(actual, expected) {
    return coded(Error, 'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
        `Response body's content-length of ${actual} byte(s) does not match the content-length ` +
        `of ${expected} byte(s) set in header`);
}

// Check and count a piece.  Returns false if it is not sent.
function admit(self, chunk, encoding, callback, isEnd) {
    if (chunk === null || (typeof chunk !== 'string' && !isBytes(chunk)))
        throw badChunk(self, chunk);
    let error;
    if (self.finished)
        error = coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end');
    else if (self.destroyed)
        error = coded(Error, 'ERR_STREAM_DESTROYED',
            'Cannot call write after a stream was destroyed');
    if (error) {
        fail(self, error, callback);
        return false;
    }
    if (self.strictContentLength && self._hasBody && self._contentLength !== null &&
        !self._removedContLen) {
        self[kBytes] += typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding)
            : chunk.byteLength;
        if (isEnd ? self[kBytes] !== self._contentLength : self[kBytes] > self._contentLength)
            throw mismatch(self[kBytes], self._contentLength);
    }
    return true;
}

OutgoingMessage.prototype.write = function write(chunk, encoding, callback) {
    if (typeof encoding === 'function') {
        callback = encoding;
        encoding = null;
    }
    if (!admit(this, chunk, encoding, callback, false))
        return false;
    if (!this._header) {
        this._contentLength ??= null;
        this._implicitHeader();
    }
    if (!this._hasBody) {
        if (this[kRejects])
            throw coded(Error, 'ERR_HTTP_BODY_NOT_ALLOWED',
                'Adding content for this request method or response status is not allowed.');
        process.nextTick(callback ?? nothing);
        return true;
    }
    if (this[kCorked] > 0 && this.chunkedEncoding && chunk.length !== 0) {
        (this[kChunks] ??= []).push([chunk, encoding, callback]);
        return length(this[kChunks]) < this.writableHighWaterMark;
    }
    const isOpen = this._transmit(chunk, encoding, callback, false);
    if (!isOpen)
        this[kNeedDrain] = true;
    return isOpen;
};

function length(chunks) {
    let total = 0;
    for (const [chunk] of chunks)
        total += chunk.length;
    return total;
}

// Send what was written while corked.
function flushChunks(self) {
    const chunks = self[kChunks];
    if (chunks === null)
        return;
    self[kChunks] = null;
    for (const [chunk, encoding, callback] of chunks)
        if (!self._transmit(chunk, encoding, callback, false))
            self[kNeedDrain] = true;
}

OutgoingMessage.prototype.cork = function cork() {
    this[kCorked]++;
    this.socket?.cork?.();
};
OutgoingMessage.prototype.uncork = function uncork() {
    if (this[kCorked] > 0)
        this[kCorked]--;
    this.socket?.uncork?.();
    if (this[kCorked] === 0)
        flushChunks(this);
};

OutgoingMessage.prototype.end = function end(chunk, encoding, callback) {
    if (typeof chunk === 'function') {
        callback = chunk;
        chunk = encoding = null;
    } else if (typeof encoding === 'function') {
        callback = encoding;
        encoding = null;
    }
    if (chunk !== undefined && chunk !== null) {
        if (this.finished) {
            if (!isBytes(chunk) && typeof chunk !== 'string')
                throw badChunk(this, chunk);
            fail(this, coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end'),
                typeof callback === 'function' ? callback : undefined);
            return this;
        }
        if (!admit(this, chunk, encoding, callback, true))
            return this;
    } else {
        chunk = undefined;
        if (this.finished) {
            if (typeof callback === 'function')
                lateEnd(this, callback);
            return this;
        }
    }
    if (typeof callback === 'function')
        this.once('finish', callback);
    finishBody(this, chunk, encoding);
    return this;
};

function lateEnd(self, callback) {
    if (!self.writableFinished)
        self.on('finish', callback);
    else
        callback(coded(Error, 'ERR_STREAM_ALREADY_FINISHED',
            'Cannot call end after a stream was finished'));
}

function finishBody(self, chunk, encoding) {
    if (!self._header) {
        if (chunk === undefined)
            self._contentLength = 0;
        else
            self._contentLength = typeof chunk !== 'string' ? chunk.byteLength
                : Buffer.byteLength(chunk, encoding ?? 'utf8');
        self._implicitHeader();
    }
    if (self.strictContentLength && chunk === undefined && self._hasBody &&
        self._contentLength !== null && self[kBytes] !== self._contentLength &&
        !self._removedContLen)
        throw mismatch(self[kBytes], self._contentLength);
    if (!self._hasBody && chunk !== undefined) {
        if (self[kRejects])
            throw coded(Error, 'ERR_HTTP_BODY_NOT_ALLOWED',
                'Adding content for this request method or response status is not allowed.');
        chunk = undefined;
    }
    if (self[kChunks] !== null)
        flushChunks(self);
    self[kCorked] = 0;
    self.finished = true;
    self._transmit(chunk, encoding, undefined, true);
    self._ended();
}

// Everything was given to the socket.
OutgoingMessage.prototype._ended = function() {
    if (this.outputData.length === 0 && this.socket && this.socket._httpMessage === this)
        this._finish();
};

OutgoingMessage.prototype._finish = function _finish() {
    this.emit('prefinish');
};

OutgoingMessage.prototype.setTimeout = function setTimeout(msecs, callback) {
    if (callback)
        this.on('timeout', callback);
    if (!this.socket)
        this.once('socket', (socket) => socket.setTimeout(msecs));
    else
        this.socket.setTimeout(msecs);
    return this;
};

OutgoingMessage.prototype.destroy = function destroy(error) {
    if (this.destroyed)
        return this;
    this.destroyed = true;
    this[kErrored] = error;
    if (this.socket)
        this.socket.destroy(error);
    else
        this.once('socket', (socket) => socket.destroy(error));
    return this;
};

OutgoingMessage.prototype.pipe = function pipe() {
    this.emit('error', coded(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'));
};

OutgoingMessage.prototype[Symbol.for('nodejs.rejection')] = function(error) {
    this.destroy(error);
};

// "set-cookie" and so on, of the option uniqueHeaders.
function parseUnique(headers) {
    if (!Array.isArray(headers))
        return null;
    return new Set(headers.flat().map((name) => name.toLowerCase()));
}

module.exports = { OutgoingMessage, parseUnique, isToken, headersSent, HIGH_WATER_MARK,
    kHeaders, kNeedDrain, kUnique, kErrored };
