// SPDX-License-Identifier: MIT
// nodehttp/fields -- the fields of an OutgoingMessage, and the head that is made of
// them.
'use strict';

const { isField } = require('nodehttp/binding');
const { coded, invalidArgType, invalidArgValue } = require('core/errors');
const { dateLine, hasInvalidChar, validateHeaderName, validateHeaderValue } =
    require('nodehttp/common');

const kHeaders = Symbol('kOutHeaders'); // lower-case name -> [name, value]
const kUnique = Symbol('uniqueHeaders');

const chunked = /(?:^|\W)chunked(?:$|\W)/i;
const closes = /(?:^|\W)close(?:$|\W)/i;

const methods = {}; // of OutgoingMessage

methods._renderHeaders = function _renderHeaders() {
    if (this._header)
        throw headersSent('render');
    const headers = {};
    for (const key of Object.keys(this[kHeaders] ?? {}))
        headers[this[kHeaders][key][0]] = this[kHeaders][key][1];
    return headers;
};

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

methods.setHeader = function setHeader(name, value) {
    if (this._header)
        throw headersSent('set');
    if (!isField(name, value)) {
        validateHeaderName(name);
        checkValue(name, value);
    }
    (this[kHeaders] ??= { __proto__: null })[name.toLowerCase()] = [name, value];
    return this;
};

methods.setHeaders = function setHeaders(headers) {
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

methods.appendHeader = function appendHeader(name, value) {
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

methods.getHeader = function getHeader(name) {
    checkName(name);
    return this[kHeaders] === null ? undefined : this[kHeaders][name.toLowerCase()]?.[1];
};
methods.getHeaderNames = function getHeaderNames() {
    return this[kHeaders] === null ? [] : Object.keys(this[kHeaders]);
};
methods.getRawHeaderNames = function getRawHeaderNames() {
    return this[kHeaders] === null ? [] : Object.values(this[kHeaders]).map((pair) => pair[0]);
};
methods.getHeaders = function getHeaders() {
    const headers = { __proto__: null };
    for (const key of this.getHeaderNames())
        headers[key] = this[kHeaders][key][1];
    return headers;
};
methods.hasHeader = function hasHeader(name) {
    checkName(name);
    return this[kHeaders] !== null && this[kHeaders][name.toLowerCase()] !== undefined;
};
methods.removeHeader = function removeHeader(name) {
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

// The head as far as it is made, and which fields it has.
class Seen {
    constructor(text) { this.text = text; }
}
Object.assign(Seen.prototype, { connection: false, length: false, coding: false, date: false,
    expect: false, trailer: false });

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
    if (!isChecked || isField(name, value)) {
        if (!Array.isArray(value)) {
            line(self, seen, name, value, false);
            return;
        }
    } else {
        validateHeaderName(name);
        if (!Array.isArray(value)) {
            line(self, seen, name, value, true);
            return;
        }
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
    } else {
        self._last = true; // the body ends with the connection
    }
}

methods._storeHeader = function _storeHeader(firstLine, headers) {
    const seen = new Seen(firstLine);
    if (headers)
        addFields(this, seen, headers);
    if (this.sendDate && !seen.date)
        seen.text += dateLine();
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

methods._implicitHeader = function _implicitHeader() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED',
        'The _implicitHeader() method is not implemented');
};

methods.flushHeaders = function flushHeaders() {
    if (!this._header)
        this._implicitHeader();
    this._send('');
};

methods.addTrailers = function addTrailers(headers) {
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

module.exports = { methods, headersSent, kHeaders, kUnique };
