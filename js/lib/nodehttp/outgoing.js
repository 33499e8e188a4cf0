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
const { coded, invalidArgType } = require('core/errors');
const { methods, headersSent, kHeaders, kUnique } = require('nodehttp/fields');

const kNeedDrain = Symbol('kNeedDrain');
const kCorked = Symbol('corked');
const kChunks = Symbol('chunks'); // written while it is corked
const kErrored = Symbol('errored');
const kBytes = Symbol('bytesWritten');
const kHighWaterMark = Symbol('highWaterMark');
const kRejects = Symbol('rejectNonStandardBodyWrites');

const HIGH_WATER_MARK = 64 * 1024;

function OutgoingMessage(options) {
    this.outputData = [];
    if (options !== undefined) {
        this[kHighWaterMark] = options.highWaterMark;
        this[kRejects] = options.rejectNonStandardBodyWrites;
    }
}
Object.setPrototypeOf(OutgoingMessage.prototype, Stream.prototype);
Object.setPrototypeOf(OutgoingMessage, Stream);

function nothing() {}

// What a message begins with.
Object.assign(OutgoingMessage.prototype, {
    outputSize: 0, writable: true, destroyed: false, _last: false, chunkedEncoding: false,
    shouldKeepAlive: true, maxRequestsOnConnectionReached: false, _defaultKeepAlive: true,
    useChunkedEncodingByDefault: true, sendDate: false, _removedConnection: false,
    _removedContLen: false, _removedTE: false, strictContentLength: false,
    _contentLength: null, _hasBody: true, _trailer: '', finished: false, _headerSent: false,
    _closed: false, _header: null, _keepAliveTimeout: 0, _onPendingData: nothing,
    [kHeaders]: null, [kNeedDrain]: false, [kCorked]: 0, [kChunks]: null, [kErrored]: null,
    [kUnique]: null, [kBytes]: 0, [kHighWaterMark]: undefined, [kRejects]: undefined,
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

Object.assign(OutgoingMessage.prototype, methods);

// ---- output ----

// Send something now, or keep it until there is a socket.
OutgoingMessage.prototype._send = function _send(data, encoding, callback, byteLength) {
    if (!this._headerSent && this._header !== null) {
        const header = this._header;
        this._headerSent = true;
        if (data === '' || (typeof data === 'string' && encoding === 'latin1')) {
            data = header + data;
            encoding = 'latin1';
        } else if (typeof data === 'string' && (encoding === 'utf8' || !encoding) &&
            !hasWide(header)) {
            data = header + data;
        } else {
            this._queueFirst(header);
        }
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

// Check a piece.  Returns false if it is not sent.
function admit(self, chunk, callback) {
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
    return true;
}

// strictContentLength: count a piece, and compare when the length is known.
function count(self, chunk, encoding, isEnd) {
    if (!self.strictContentLength)
        return;
    const size = chunk === undefined ? 0 : typeof chunk === 'string'
        ? Buffer.byteLength(chunk, encoding ?? 'utf8') : chunk.byteLength;
    const sum = self[kBytes] + size;
    if (self._hasBody && self._contentLength !== null && !self._removedContLen &&
        (isEnd ? sum !== self._contentLength : sum > self._contentLength))
        throw mismatch(sum, self._contentLength);
    self[kBytes] = sum;
}

OutgoingMessage.prototype.write = function write(chunk, encoding, callback) {
    if (typeof encoding === 'function') {
        callback = encoding;
        encoding = null;
    }
    if (!admit(this, chunk, callback))
        return false;
    count(this, chunk, encoding, false);
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
        if (!admit(this, chunk, callback))
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
    count(self, chunk, encoding, true);
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
    self._afterEnd();
}

// Everything was given to the socket.
OutgoingMessage.prototype._afterEnd = function() {
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

module.exports = { OutgoingMessage, parseUnique, headersSent, HIGH_WATER_MARK,
    kHeaders, kNeedDrain, kRejects, kUnique, kErrored };
