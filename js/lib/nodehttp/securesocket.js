// SPDX-License-Identifier: MIT
// nodehttp/securesocket -- what request.socket is, on a server of https.
//
// A ServerSocket with the methods of a TLSSocket.  They ask a handle that C has lent
// for the TLS of the connection (js/nodehttp/peer.c); it can do nothing else.
'use strict';

const { Socket } = require('net/socket');
const { TLSSocket, distrust, adoptTls, info } = require('net/tlssocket');
const { sniCallback } = require('net/tlscontexts');
const { ServerSocket, kPeer, kIsGone } = require('nodehttp/socket');
const binding = require('nodehttp/binding');

const kHandle = Symbol('handle');
const kTrust = Symbol('trust'); // [authorized, authorizationError], once they are known
const kAgreed = Symbol('agreed'); // [servername, alpnProtocol], once they are known

function SecureServerSocket(server, peer) {
    return init(Reflect.construct(ServerSocket, [server, peer], SecureServerSocket), server);
}

function init(socket, server) {
    socket.encrypted = true;
    socket._requestCert = server.requestCert;
    socket._rejectUnauthorized = server.rejectUnauthorized;
    socket._tlsOptions = { server, isServer: true, ALPNProtocols: server.ALPNProtocols,
        ALPNCallback: server.ALPNCallback };
    return socket;
}

// What is decided when the handshake is over.
function trustOf(socket) {
    if (socket[kTrust])
        return socket[kTrust];
    const handle = socket._handle;
    if (!socket._requestCert || !handle || !isEstablished(handle))
        return [false, null];
    const error = distrust(socket);
    return socket[kTrust] = [error === undefined, error?.code ?? null];
}

function agreedOf(socket) {
    if (socket[kAgreed])
        return socket[kAgreed];
    const handle = socket._handle;
    if (!handle || !isEstablished(handle))
        return [null, null];
    const [, , , , alpn, name] = info(handle);
    return socket[kAgreed] = [name ?? false, alpn];
}

const isEstablished = (handle) => info(handle)?.[1] !== undefined; // it has a cipher

// What a TLSSocket keeps in properties.
const facts = {
    get authorized() { return trustOf(this)[0]; },
    get authorizationError() { return trustOf(this)[1]; },
    get servername() { return agreedOf(this)[0]; },
    get alpnProtocol() { return agreedOf(this)[1]; },
    get _secureEstablished() { return this._handle !== null && isEstablished(this._handle); },
    get secureConnecting() { return this._handle !== null && !this._secureEstablished; },
};

const own = {
    get _handle() {
        if (this[kIsGone])
            return null;
        return this[kHandle] ??= binding.tlsOf(this[kPeer]) ?? null;
    },

    // The handshake of the connection will begin.
    _adopt() {
        const { server, _handle: handle } = this;
        this._SNICallback = sniCallback(server);
        if (handle === null)
            return;
        handle.setOwner(this);
        adoptTls(handle, server.ALPNProtocols, Boolean(this._SNICallback),
            Boolean(server.ALPNCallback), server.listenerCount('secureConnection') > 0);
    },

    _tlsEvent(kind, value) {
        if (this.destroyed)
            return;
        if (kind === 'hello')
            this._answerHello(value);
        else if (kind === 'keylog')
            this.server.emit('keylog', value, this);
        else if (kind === 'secured')
            this.server.emit('secureConnection', this);
    },
};

SecureServerSocket.prototype = Object.create(TLSSocket.prototype, {
    ...Object.getOwnPropertyDescriptors(ServerSocket.prototype),
    ...Object.getOwnPropertyDescriptors(facts),
    ...Object.getOwnPropertyDescriptors(own),
    constructor: { value: SecureServerSocket, writable: true, configurable: true },
});

// ---- connections that were taken over ----

const { _read, _writeGeneric, _final } = Socket.prototype;
const taken = Object.create(TLSSocket.prototype, {
    ...Object.getOwnPropertyDescriptors({ _read, _writeGeneric, _final }),
    ...Object.getOwnPropertyDescriptors(facts),
});

// Make a TLSSocket of the socket that a program gets with 'upgrade' or 'connect'.
const secure = (socket, server) => init(Object.setPrototypeOf(socket, taken), server);

module.exports = { SecureServerSocket, secure };
