// SPDX-License-Identifier: MIT
// nodehttp/incoming -- IncomingMessage: a request that a server, or a response
// that a client has received.
//
// Most requests have no body, and most programs read few of their fields.  So
// the state of the stream, the objects with the fields, and the socket are made
// when they are first used.
'use strict';

const { Readable } = require('stream/stream');
const binding = require('nodehttp/binding');
const { hangUp } = require('nodehttp/common');

const kExchange = Symbol('exchange'); // of js/nodehttp; undefined: a client's
const kSocket = Symbol('socket');
const kJoins = Symbol('joinDuplicateHeaders');
const kHeaders = Symbol('headers');
const kDistinct = Symbol('headersDistinct');
const kTrailers = Symbol('trailers');
const kTrailersDistinct = Symbol('trailersDistinct');
const kRaw = Symbol('rawHeaders');
const kRawTrailers = Symbol('rawTrailers');
const kHasBody = Symbol('hasBody');
const kIsReading = Symbol('isReading');

// The exchange of the request that is being made.  Its properties are those of
// the prototype, until they change.
let arriving;
function arrive(exchange) {
    arriving = exchange;
}

function IncomingMessage(socket) {
    if (arriving !== undefined) {
        this[kExchange] = arriving;
        arriving = undefined;
        return;
    }
    this._consumed = false;
    this._dumped = false;
    this.httpVersionMajor = null;
    this.httpVersionMinor = null;
    this.httpVersion = null;
    this.complete = false;
    this.aborted = false;
    this.upgrade = null;
    this.url = '';
    this.method = null;
    this.statusCode = null;
    this.statusMessage = null;
    if (socket !== undefined && socket !== null) {
        this[kSocket] = socket;
        this.client = socket;
    }
}
Object.setPrototypeOf(IncomingMessage.prototype, Readable.prototype);
Object.setPrototypeOf(IncomingMessage, Readable);

Object.assign(IncomingMessage.prototype, {
    _consumed: false, _dumped: false, httpVersionMajor: 1, httpVersionMinor: 1,
    httpVersion: '1.1', complete: false, aborted: false, upgrade: false, statusCode: null,
    statusMessage: null, _maxHeadersCount: 0, [kHasBody]: false, [kIsReading]: false,
});

function own(object, name, value) {
    Object.defineProperty(object, name,
        { value, writable: true, enumerable: true, configurable: true });
    return value;
}

// A property that is made when it is first read.
function lazily(name, get) {
    Object.defineProperty(IncomingMessage.prototype, name, {
        get() { return this === IncomingMessage.prototype ? undefined : get(this); },
        set(value) { own(this, name, value); },
        configurable: true,
    });
}

lazily('_readableState', (self) => {
    own(self, '_readableState', undefined);
    Readable.call(self, { highWaterMark: self[kSocket]?.readableHighWaterMark });
    return self._readableState;
});

lazily('socket', (self) => {
    if (self[kSocket] === undefined)
        self[kSocket] = self[kExchange] ? self._findSocket() : null;
    return self[kSocket];
});
Object.defineProperty(IncomingMessage.prototype, 'connection', {
    get() { return this.socket; },
    set(value) { this.socket = value; },
    configurable: true,
});

// ---- fields ----

lazily('client', (self) => self[kExchange] ? self.socket : undefined);
lazily('rawHeaders', (self) => self[kRaw] ??= self[kExchange] ? receivedFields(self) : []);

// All fields, or as many as the server wants.
function receivedFields(self) {
    const raw = binding.rawHeaders(self[kExchange], false);
    const max = self._maxHeadersCount;
    return max > 0 && raw.length > 2 * max ? raw.slice(0, 2 * max) : raw;
}
lazily('rawTrailers', (self) => {
    if (!self[kExchange])
        return self[kRawTrailers] ??= [];
    return self.complete ? self[kRawTrailers] ??= binding.rawHeaders(self[kExchange], true) : [];
});

function distinct(raw) {
    const fields = { __proto__: null };
    for (let i = 0; i + 1 < raw.length; i += 2)
        (fields[raw[i].toLowerCase()] ??= []).push(raw[i + 1]);
    return fields;
}

Object.defineProperties(IncomingMessage.prototype, {
    headers: {
        get() {
            if (this[kHeaders] === undefined)
                this[kHeaders] = this[kExchange] && this[kRaw] === undefined &&
                    !(this._maxHeadersCount > 0)
                    ? binding.headers(this[kExchange], false, this[kJoins])
                    : binding.headersOf(this.rawHeaders, this[kJoins]);
            return this[kHeaders];
        },
        set(value) { this[kHeaders] = value; },
        configurable: true, enumerable: true,
    },
    headersDistinct: {
        get() { return this[kDistinct] ??= distinct(this.rawHeaders); },
        set(value) { this[kDistinct] = value; },
        configurable: true, enumerable: true,
    },
    trailers: {
        get() {
            if (this[kTrailers] !== undefined)
                return this[kTrailers];
            const found = binding.headersOf(this.rawTrailers, this[kJoins]);
            if (this.complete)
                this[kTrailers] = found;
            return found;
        },
        set(value) { this[kTrailers] = value; },
        configurable: true, enumerable: true,
    },
    trailersDistinct: {
        get() { return this[kTrailersDistinct] ?? distinct(this.rawTrailers); },
        set(value) { this[kTrailersDistinct] = value; },
        configurable: true, enumerable: true,
    },
});

IncomingMessage.prototype._addHeaderLines = function _addHeaderLines(headers, n) {
    if (!headers?.length)
        return;
    if (this.complete) {
        this[kRawTrailers] = headers;
        this[kTrailers] = this[kTrailersDistinct] = undefined;
    } else {
        this[kRaw] = headers;
        this[kHeaders] = this[kDistinct] = undefined;
    }
};

IncomingMessage.prototype._addHeaderLine = function _addHeaderLine(field, value, dest) {
    for (const [name, more] of Object.entries(
        binding.headersOf([field, value], this[kJoins])))
        if (name === 'set-cookie' && dest[name])
            dest[name].push(...more);
        else if (dest[name] === undefined)
            dest[name] = more;
        else
            Object.assign(dest,
                binding.headersOf([name, dest[name], name, value], this[kJoins]));
};

IncomingMessage.prototype._addHeaderLineDistinct = function _addHeaderLineDistinct(field,
    value, dest) {
    (dest[field.toLowerCase()] ??= []).push(value);
};

// ---- the stream ----

IncomingMessage.prototype.setTimeout = function setTimeout(msecs, callback) {
    if (callback)
        this.on('timeout', callback);
    this.socket?.setTimeout(msecs);
    return this;
};

IncomingMessage.prototype._read = function _read(n) {
    if (!this._consumed) {
        this._readableState.readingMore = false;
        this._consumed = true;
    }
    const exchange = this[kExchange];
    if (exchange === undefined) {
        if (this.socket?.readable)
            this.socket.resume?.();
    } else if (!this[kHasBody]) {
        this.push(null);
    } else if (this[kIsReading]) {
        binding.pause(exchange, false);
    } else {
        this[kIsReading] = true;
        if (binding.read(exchange, this) !== 0)
            this.destroy(hangUp('aborted'));
    }
};

// A piece of the body has arrived (undefined: its end), or will never.
function receive(message, bytes, status) {
    if (message.destroyed)
        return;
    if (bytes !== undefined) {
        message[kSocket]?._touch?.();
        if (!message._dumped && !message.push(bytes))
            binding.pause(message[kExchange], true);
    } else if (status === 0) {
        message.complete = true;
        message.push(null);
    } else {
        message.destroy(hangUp('aborted'));
    }
}

IncomingMessage.prototype._destroy = function _destroy(error, callback) {
    if (!this.readableEnded || !this.complete) {
        this.aborted = true;
        this.emit('aborted');
    }
    const socket = this[kSocket] ?? (this[kExchange] && !this.complete ? this.socket : null);
    // The connection goes only if the message is not complete.
    if (socket && !socket.destroyed && this.aborted && this[kExchange]) {
        socket.destroy(error);
    } else if (socket && !socket.destroyed && this.aborted) {
        socket.destroy(error);
        const end = require('stream/stream').finished(socket, (reason) => {
            if (reason?.code === 'ERR_STREAM_PREMATURE_CLOSE')
                reason = null;
            end();
            require('program/process').nextTick(tell, this, reason || error, callback);
        });
        return;
    }
    require('program/process').nextTick(tell, this, error, callback);
};

// An error goes nowhere if nobody listens for it.
function tell(self, error, callback) {
    if (self.listenerCount('error') === 0)
        callback();
    else
        callback(error);
}

// Read and discard what is left of the body.
IncomingMessage.prototype._dump = function _dump() {
    if (this._dumped)
        return;
    this._dumped = true;
    this.removeAllListeners('data'); // what is buffered goes nowhere
    this.resume();
};

module.exports = { IncomingMessage, arrive, receive, kExchange, kSocket, kJoins, kHasBody, kIsReading };
