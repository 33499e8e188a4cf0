// SPDX-License-Identifier: MIT
// net/tlssocket -- tls.TLSSocket: a net.Socket whose handle has TLS.
//
// A TLSSocket that wraps a net.Socket takes over its handle; the net.Socket keeps
// it for addresses and settings, and closes with it.  Any other stream is joined
// to one end of a socket pair, whose other end has TLS.
'use strict';

const { Buffer } = require('bytes/buffer');
const { Socket, pair } = require('net/socket');
const { SecureContext, createSecureContext, openSSLError } = require('net/securecontext');
const check = require('net/check');
const { errnoError } = require('net/errors');
const { coded, invalidArgType } = require('core/errors');
const process = require('program/process');
const { setImmediate } = require('timers/timers');
const { startTls, continueTls, failure, info, verifyError, peerChain, ownCertificate, finished,
    exportKey, ephemeralKey, setMaxFragment, adoptTls } = native;

const ETRUNCATED = -4112, ETLS = -4115, ECERT = -4116; // of libweir-net
const VERIFY_NONE = 0, VERIFY_PEER = 1, VERIFY_FAIL_IF_NONE = 2;

// ---- ALPN ----

function wireProtocols(protocols) {
    return Buffer.concat(protocols.flatMap((protocol, i) => {
        const bytes = Buffer.from(protocol);
        if (bytes.length > 255)
            throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'The byte length of the protocol at ' +
                `index ${i} exceeds the maximum length. It must be <= 255. Received ${
                    bytes.length}`);
        return [Buffer.from([bytes.length]), bytes];
    }));
}

function convertALPNProtocols(protocols, out) {
    if (Array.isArray(protocols))
        out.ALPNProtocols = wireProtocols(protocols);
    else if (ArrayBuffer.isView(protocols))
        out.ALPNProtocols = Buffer.from(Buffer.from(protocols.buffer, protocols.byteOffset,
            protocols.byteLength));
}

function parseProtocols(bytes) {
    const names = [];
    for (let at = 0; at < bytes.length; at += 1 + bytes[at])
        names.push(bytes.toString('ascii', at + 1, at + 1 + bytes[at]));
    return names;
}

// ---- the constructor ----

// As in Node, a stream without a handle does not keep the program running.  But
// bytes on their way through the socket pair do: they take a turn of the loop.
function keeper() {
    let left = 0;
    const step = () => --left > 0 && setImmediate(step);
    return () => {
        if (left <= 0)
            setImmediate(step);
        left = 3;
    };
}

// Join a stream that has no handle to a handle: [handle, touch].
function bridge(stream) {
    const ends = pair();
    if (typeof ends === 'number')
        throw errnoError(ends, 'socketpair');
    const outer = new Socket({ handle: ends[0], allowHalfOpen: true });
    stream.on('error', (error) => outer.destroy(error));
    outer.on('error', () => {});
    stream.on('close', () => outer.destroy());
    outer.on('close', () => stream.destroy?.());
    const touch = keeper();
    ends[0].unref();
    ends[1].unref();
    stream.on('data', touch);
    outer.on('data', touch);
    stream.on('end', touch);
    stream.pipe(outer);
    outer.pipe(stream);
    return [ends[1], touch];
}

// A net.Socket over any other stream, as http2-wrapper takes it from Node's handles:
// new TLSSocket(stream)._handle._parentWrap.constructor.
class JSStreamSocket extends Socket {
    constructor(stream) {
        const [handle, touch] = bridge(stream);
        super({ handle, allowHalfOpen: stream.allowHalfOpen });
        this.stream = stream;
        this._touch = touch;
    }

    _write(chunk, encoding, callback) {
        this._touch();
        super._write(chunk, encoding, callback);
    }
}

const parentWrap = { value: Object.create(JSStreamSocket.prototype), configurable: true };

function TLSSocket(socket, given) {
    if (!(this instanceof TLSSocket))
        return new TLSSocket(socket, given);
    const options = { ...given };
    if (options.enableTrace != null)
        check.boolean(options.enableTrace, 'options.enableTrace');
    if (options.ALPNProtocols)
        convertALPNProtocols(options.ALPNProtocols, options);
    this._tlsOptions = options;
    this._secureEstablished = false;
    this._controlReleased = false;
    this.secureConnecting = true;
    this._SNICallback = null;
    this.servername = null;
    this.alpnProtocol = null;
    this.authorized = false;
    this.authorizationError = null;
    this.encrypted = true;
    this._context = options.secureContext || options.credentials ||
        createSecureContext(options);
    if (!(this._context instanceof SecureContext) && !this._context.context)
        throw coded(TypeError, 'ERR_TLS_INVALID_CONTEXT', 'context must be a SecureContext');
    const isSocket = socket instanceof Socket;
    const isLater = isSocket && (!socket._handle || socket.connecting);
    const [handle, touch] = !socket || isLater ? [] : isSocket ? [socket._handle]
        : bridge(socket);
    Socket.call(this, { handle, allowHalfOpen: socket ? socket.allowHalfOpen
        : options.allowHalfOpen, pauseOnCreate: options.pauseOnConnect, manualStart: true,
    highWaterMark: options.highWaterMark, onread: socket ? null : options.onread,
    signal: options.signal });
    this.ssl = this._handle;
    if (touch !== undefined)
        Object.defineProperty(handle, '_parentWrap', parentWrap);
    this.on('error', this._tlsError);
    init(this, options);
    if (isSocket)
        follow(this, socket, isLater);
    else if (!socket)
        this.connecting = true;
    this._touch = touch;
    this._hasBegun = false; // nothing may be read or written before that
    this._waiting = [];
    process.nextTick(() => this._start(isSocket && !isLater ? socket : undefined));
}
Object.setPrototypeOf(TLSSocket.prototype, Socket.prototype);
Object.setPrototypeOf(TLSSocket, Socket);

function init(socket, options) {
    socket.server = options.server;
    socket._requestCert = Boolean(options.requestCert) || !options.isServer;
    socket._rejectUnauthorized = Boolean(options.rejectUnauthorized);
    if (options.isServer && options.ALPNCallback)
        check.func(options.ALPNCallback, 'options.ALPNCallback');
    if (options.isServer && options.SNICallback) {
        check.func(options.SNICallback, 'options.SNICallback');
        socket._SNICallback = options.SNICallback;
    }
    if (options.handshakeTimeout > 0)
        socket.setTimeout(options.handshakeTimeout, socket._handleTimeout);
}

// Live and end with the socket that is wrapped.
function follow(socket, raw, isLater) {
    socket._parent = raw;
    socket._wrapped = raw;
    socket._host ??= raw._host;
    raw.on('error', (error) => socket._emitTLSError(error));
    raw.on('close', () => {
        if (socket.destroyed)
            return;
        socket._handle = null; // it was closed
        socket.destroy();
    });
    if (!isLater)
        return;
    socket.connecting = true;
    raw.once('connect', () => {
        if (socket.destroyed)
            return;
        socket._handle = raw._handle;
        socket.ssl = raw._handle;
        raw._handle.setOwner(socket);
        socket.connecting = false;
        socket.emit('connect');
    });
}

// What the wrapped socket has read already belongs to TLS.
function takeBuffered(raw) {
    const chunks = [];
    for (let chunk; raw !== undefined && raw.readableLength > 0 &&
        (chunk = raw.read()) !== null;)
        chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return chunks.length > 0 ? Buffer.concat(chunks) : undefined;
}

function begin(socket, raw) {
    const { isServer, ALPNProtocols, ALPNCallback, session } = socket._tlsOptions;
    const mode = !socket._requestCert ? VERIFY_NONE : VERIFY_PEER |
        (isServer && socket._rejectUnauthorized ? VERIFY_FAIL_IF_NONE : 0);
    const received = takeBuffered(raw);
    socket._handle.reading = false;
    const err = startTls(socket._handle, socket._context.context ?? socket._context,
        Boolean(isServer), mode, socket._sni, ALPNProtocols,
        typeof session === 'string' ? Buffer.from(session, 'latin1') : session ?? undefined,
        Boolean(socket._SNICallback), Boolean(ALPNCallback), true, received);
    socket._touch?.();
    if (err !== 0) {
        socket.destroy(errnoError(err, 'tls'));
        return;
    }
    socket._hasBegun = true;
    for (const step of socket._waiting.splice(0))
        step();
    socket.read(0);
}

// A proxy of a function of the handle: null after the socket was closed.
function fromHandle(fn) {
    return function (...args) { return this._handle ? fn(this._handle, ...args) : null; };
}

function linkIssuers(chain) {
    if (chain === undefined)
        return {};
    chain.forEach((one, i) => {
        if (i + 1 < chain.length)
            one.issuerCertificate = chain[i + 1];
        else if (chain.length > 1 || isSelfIssued(one))
            one.issuerCertificate = one;
    });
    return chain[0];
}

function isSelfIssued({ subject, issuer }) {
    return JSON.stringify(subject) === JSON.stringify(issuer);
}

const methods = {
    _start(raw) {
        if (this.connecting) {
            this.once('connect', () => this._start(raw));
            return;
        }
        if (!this._handle || this._hasStarted)
            return;
        this._hasStarted = true;
        if (raw !== undefined && raw.writableLength > 0)
            raw.write('', () => this._handle && begin(this, raw));
        else
            begin(this, raw);
    },

    _whenBegun(step) {
        this._touch?.();
        if (this._hasBegun || this.connecting || !this._handle)
            step();
        else
            this._waiting.push(step);
    },

    _writeGeneric(isSeveral, data, encoding, callback) {
        this._whenBegun(() => Socket.prototype._writeGeneric.call(this, isSeveral, data,
            encoding, callback));
    },

    _final(callback) {
        this._whenBegun(() => Socket.prototype._final.call(this, callback));
    },

    _read(size) {
        this._whenBegun(() => Socket.prototype._read.call(this, size));
    },

    // The handshake is over.
    _secured(status, reason) {
        if (status === 0) {
            this._finishInit();
            return;
        }
        if (this._hadError || this.destroyed)
            return;
        if (status === ETRUNCATED) {
            this._endedEarly();
            return;
        }
        this._hadError = true;
        this.destroy(status === ETLS || status === ECERT ? this._openSSLError(reason)
            : errnoError(status, 'read'));
    },

    _endedEarly() {
        this.push(null);
        this.read(0);
        if (this._tlsOptions.isServer)
            this.destroy();
    },

    _openSSLError(reason) {
        return openSSLError([`error:SSL routines::${reason || 'TLS failed'}\n`, 'SSL routines',
            reason]);
    },

    _finishInit() {
        if (!this._handle)
            return;
        const [, , , , alpn, name] = info(this._handle);
        this.alpnProtocol = alpn;
        if (this.servername === null)
            this.servername = name ?? false;
        this._secureEstablished = true;
        if (this._tlsOptions.handshakeTimeout > 0)
            this.setTimeout(0, this._handleTimeout);
        this.emit('secure');
    },

    // Why reading has failed.
    _readError() {
        return this._openSSLError(this._handle ? failure(this._handle) : '');
    },

    // News of OpenSSL, and the questions of a server.
    _tlsEvent(kind, value) {
        if (this.destroyed)
            return;
        if (kind === 'keylog')
            this.emit('keylog', value);
        else if (kind === 'session')
            this._gotSession(value);
        else
            this._answerHello(value);
    },

    _gotSession(session) {
        if (this._isVerified)
            this.emit('session', session);
        else
            this._pendingSession = session;
    },

    _answerHello([servername, protocols]) {
        let alpn, isRefused = false;
        if (protocols !== undefined) {
            const names = parseProtocols(protocols);
            let chosen;
            try {
                chosen = this._tlsOptions.ALPNCallback({ servername: servername ?? false,
                    protocols: names });
                if (chosen !== undefined && !names.includes(chosen))
                    throw coded(TypeError, 'ERR_TLS_ALPN_CALLBACK_INVALID_RESULT',
                        `ALPN callback returned a value (${chosen}) that did not match any ` +
                        `of the client's offered protocols (${names.join(', ')})`);
            } catch (error) {
                this.destroy(error);
                return;
            }
            alpn = chosen === undefined ? undefined : wireProtocols([chosen]);
            isRefused = chosen === undefined;
        }
        const goOn = (context) => {
            if (this._handle)
                continueTls(this._handle, context, alpn, isRefused);
        };
        if (servername === undefined || !this._SNICallback) {
            goOn(undefined);
            return;
        }
        let isAnswered = false;
        try {
            this._SNICallback(servername, (error, context) => {
                if (isAnswered)
                    this.destroy(coded(Error, 'ERR_MULTIPLE_CALLBACK',
                        'Callback called multiple times'));
                else if (error)
                    this.destroy(error);
                else
                    goOn(context?.context ?? context ?? undefined);
                isAnswered = true;
            });
        } catch (error) {
            this.destroy(error);
        }
    },

    _handleTimeout() {
        this._emitTLSError(coded(Error, 'ERR_TLS_HANDSHAKE_TIMEOUT', 'TLS handshake timeout'));
    },

    _emitTLSError(error) {
        const shown = this._tlsError(error);
        if (shown)
            this.emit('error', shown);
    },

    _tlsError(error) {
        this.emit('_tlsError', error);
        return this._controlReleased ? error : null;
    },

    _releaseControl() {
        if (this._controlReleased)
            return false;
        this._controlReleased = true;
        this.removeListener('error', this._tlsError);
        return true;
    },

    disableRenegotiation() {}, // libweir-net never renegotiates

    setServername(name) {
        check.string(name, 'name');
        if (this._tlsOptions.isServer)
            throw coded(Error, 'ERR_TLS_SNI_FROM_SERVER',
                'Cannot issue SNI from a TLS server-side socket');
        this._sni = name;
    },

    setSession(session) {
        this._tlsOptions.session = session;
    },

    getPeerCertificate(isDetailed) {
        if (!this._handle)
            return null;
        const chain = peerChain(this._handle, Boolean(isDetailed));
        return isDetailed ? linkIssuers(chain) : chain?.[0] ?? {};
    },

    getCertificate() {
        return this._handle ? ownCertificate(this._handle) ?? {} : null;
    },

    getCipher: fromHandle((handle) => {
        const [, name, standardName, version] = info(handle) ?? [];
        return name === undefined ? undefined : { name, standardName, version };
    }),
    getProtocol: fromHandle((handle) => info(handle)?.[0] ?? null),
    isSessionReused: fromHandle((handle) => info(handle)?.[6] ?? false),
    getSession: fromHandle((handle) => native.getSession(handle)),
    getFinished: fromHandle((handle) => finished(handle, false)),
    getPeerFinished: fromHandle((handle) => finished(handle, true)),

    getEphemeralKeyInfo() {
        if (!this._handle)
            return null;
        if (this._tlsOptions.isServer)
            return null;
        const [type, name, size] = ephemeralKey(this._handle) ?? [];
        if (type === undefined)
            return {};
        return name === undefined ? { type, size } : { type, name, size };
    },

    exportKeyingMaterial(length, label, context) {
        check.uint32(length, 'length', true);
        check.string(label, 'label');
        if (context !== undefined && !ArrayBuffer.isView(context))
            throw invalidArgType('context',
                'an instance of Buffer, TypedArray, or DataView', context);
        if (!this._secureEstablished)
            throw coded(Error, 'ERR_TLS_INVALID_STATE',
                'TLS socket connection must be securely established');
        return exportKey(this._handle, length, label, context);
    },

    setMaxSendFragment(size) {
        check.int32(size, 'size');
        return this._handle ? setMaxFragment(this._handle, size) : false;
    },
};
for (const name of Object.keys(methods))
    Object.defineProperty(TLSSocket.prototype, name, { value: methods[name], writable: true,
        enumerable: true, configurable: true });

// Why the peer is not trusted, or undefined.
function distrust(socket) {
    const found = verifyError(socket._handle);
    return found && Object.assign(new Error(found[1]), { code: found[0] });
}

module.exports = { TLSSocket, convertALPNProtocols, distrust, adoptTls, bridge, info };
