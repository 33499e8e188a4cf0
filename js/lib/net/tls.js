// SPDX-License-Identifier: MIT
// tls -- Node's module.
'use strict';

const net = require('net/net');
const { TLSSocket, convertALPNProtocols, distrust } = require('net/tlssocket');
const { SecureContext, createSecureContext, defaults, ciphers } = require('net/securecontext');
const contexts = require('net/tlscontexts');
const check = require('net/check');
const { resetError } = require('net/errors');
const { coded, invalidArgType } = require('core/errors');
const process = require('program/process');

const { isIP, SocketAddress, Server: NetServer } = net;

// ---- the names in a certificate ----

const withoutDot = (host) => host.replace(/[.]$/, '');
const labels = (host) => withoutDot(host).replace(/[A-Z]/g, (letter) =>
    letter.toLowerCase()).split('.');

// RFC 6125: a wildcard is for one label, and not for a top-level domain.
function matches(host, pattern) {
    if (!pattern)
        return false;
    const wanted = labels(pattern);
    if (host.length !== wanted.length || wanted.includes('') ||
        wanted.some((label) => /[^\u0021-\u007F]/u.test(label)) ||
        host.some((label, i) => i > 0 && label !== wanted[i]))
        return false;
    const [prefix, suffix, ...more] = wanted[0].split('*');
    if (suffix === undefined || wanted[0].includes('xn--'))
        return host[0] === wanted[0];
    return more.length === 0 && wanted.length > 2 &&
        prefix.length + suffix.length <= host[0].length && host[0].startsWith(prefix) &&
        host[0].endsWith(suffix);
}

// "DNS:a, DNS:\"b, c\"" -> names; quoted parts are JSON.
function splitNames(text) {
    const names = [];
    let name = '', at = 0;
    while (at < text.length) {
        const rest = text.slice(at);
        if (rest[0] === '"') {
            const quoted = /^"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/
                .exec(rest);
            if (quoted === null)
                throw coded(SyntaxError, 'ERR_TLS_CERT_ALTNAME_FORMAT',
                    'Invalid subject alternative name string');
            name += JSON.parse(quoted[0]);
            at += quoted[0].length;
        } else if (rest.startsWith(', ')) {
            names.push(name);
            name = '';
            at += 2;
        } else {
            name += rest[0];
            at++;
        }
    }
    return [...names, name];
}

// Without a zone.
function canonicalIp(text) {
    const family = isIP(text);
    return family === 0 ? undefined
        : new SocketAddress({ address: text.replace(/%.*/s, ''), family: `ipv${family}` }).address;
}

function checkServerIdentity(given, cert) {
    const { subject, subjectaltname: altNames } = cert;
    const names = altNames ? splitNames(altNames) : [];
    const dns = names.filter((name) => name.startsWith('DNS:')).map((name) => name.slice(4));
    const ips = names.filter((name) => name.startsWith('IP Address:'))
        .map((name) => canonicalIp(name.slice(11)));
    const host = withoutDot(`${given}`);
    let isValid = false, reason = 'Cert does not contain a DNS name';
    if (isIP(host)) {
        isValid = ips.includes(canonicalIp(host));
        reason = `IP: ${host} is not in the cert's list: ${ips.join(', ')}`;
    } else if (dns.length > 0) {
        isValid = dns.some((pattern) => matches(labels(host), pattern));
        reason = `Host: ${host}. is not in the cert's altnames: ${altNames}`;
    } else if (subject?.CN) {
        isValid = [subject.CN].flat().some((pattern) => matches(labels(host), pattern));
        reason = `Host: ${host}. is not cert's CN: ${subject.CN}`;
    }
    if (isValid)
        return undefined;
    return Object.assign(coded(Error, 'ERR_TLS_CERT_ALTNAME_INVALID',
        `Hostname/IP does not match certificate's altnames: ${reason}`),
    { reason, host, cert });
}

// ---- servers ----

function onSecure() {
    const { server } = this._tlsOptions;
    if (this._requestCert) {
        const error = distrust(this);
        if (error) {
            this.authorizationError = error.code;
            if (this._rejectUnauthorized)
                this.destroy();
        } else {
            this.authorized = true;
        }
    }
    if (!this.destroyed && this._releaseControl()) {
        this.secureConnecting = false;
        server.emit('secureConnection', this);
    }
}

function onConnection(raw) {
    let isReported = false;
    const report = (error) => {
        if (!socket._controlReleased && !isReported) {
            isReported = true;
            this.emit('tlsClientError', error, socket);
        }
    };
    const socket = new TLSSocket(raw, { secureContext: this._sharedCreds, isServer: true,
        server: this, requestCert: this.requestCert,
        rejectUnauthorized: this.rejectUnauthorized, handshakeTimeout: this._handshakeTimeout,
        ALPNProtocols: this.ALPNProtocols, ALPNCallback: this.ALPNCallback,
        SNICallback: contexts.sniCallback(this),
        pauseOnConnect: this.pauseOnConnect });
    socket.on('secure', onSecure);
    if (this.listenerCount('keylog') > 0)
        socket.on('keylog', (line) => this.emit('keylog', line, socket));
    socket.on('close', (hadError) => {
        if (!hadError)
            report(resetError('socket hang up'));
    });
    socket.on('_tlsError', report);
    socket.on('error', report);
}

function Server(given, listener) {
    if (!(this instanceof Server))
        return new Server(given, listener);
    if (given != null && typeof given !== 'object' && typeof given !== 'function')
        throw invalidArgType('options', 'of type object', given);
    const options = typeof given === 'function' ? {} : given ?? {};
    const onSecureConnection = typeof given === 'function' ? given : listener;
    contexts.init(this, options);
    NetServer.call(this, options, onConnection);
    if (onSecureConnection)
        this.on('secureConnection', onSecureConnection);
}
Object.setPrototypeOf(Server.prototype, NetServer.prototype);
Object.setPrototypeOf(Server, NetServer);

for (const name of Object.keys(contexts.methods))
    Object.defineProperty(Server.prototype, name, { value: contexts.methods[name],
        writable: true, enumerable: true, configurable: true });

// ---- clients ----

function onConnectSecure(socket, options) {
    const key = socket.getEphemeralKeyInfo();
    if (key?.type === 'DH' && key.size < options.minDHSize) {
        socket.emit('error', coded(Error, 'ERR_TLS_DH_PARAM_SIZE',
            `DH parameter size ${key.size} is less than 2048`));
        socket.destroy();
        return;
    }
    let error = distrust(socket);
    if (!error && !socket.isSessionReused())
        error = options.checkServerIdentity(options.servername || options.host ||
            options.socket?._host || 'localhost', socket.getPeerCertificate(true));
    socket.authorized = !error;
    if (error) {
        socket.authorizationError = error.code || error.message;
        if (options.rejectUnauthorized !== false) {
            socket.destroy(error);
            return;
        }
    }
    socket.secureConnecting = false;
    socket.emit('secureConnect');
    socket._isVerified = true;
    const session = socket._pendingSession;
    socket._pendingSession = undefined;
    if (session)
        socket.emit('session', session);
}

function onEarlyEnd(socket, { path, host, port, localAddress }) {
    if (socket._hadError)
        return;
    socket._hadError = true;
    socket.destroy(Object.assign(resetError('Client network socket disconnected before ' +
        'secure TLS connection was established'), { path, host, port, localAddress }));
}

// (options), (port, host, options), (path, options), with a callback
function readConnect(args) {
    const [options, callback] = net._normalizeArgs(args);
    const more = [args[1], args[2]].find((arg) => arg !== null && typeof arg === 'object');
    if (more !== undefined)
        Object.assign(options, more);
    return [options, callback];
}

let hasWarned = false;

function isLax() {
    const isOff = process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0';
    if (isOff && !hasWarned) {
        hasWarned = true;
        process.emitWarning('Setting the NODE_TLS_REJECT_UNAUTHORIZED environment variable to ' +
            "'0' makes TLS connections and HTTPS requests insecure by disabling " +
            'certificate verification.');
    }
    return isOff;
}

function connect(...args) {
    const [given, callback] = readConnect(args);
    const options = { rejectUnauthorized: !isLax(), ciphers: defaults.ciphers,
        checkServerIdentity, minDHSize: 1024, ...given };
    check.func(options.checkServerIdentity, 'options.checkServerIdentity');
    const context = options.secureContext || createSecureContext(options);
    const socket = new TLSSocket(options.socket, { allowHalfOpen: options.allowHalfOpen,
        pipe: Boolean(options.path), secureContext: context, isServer: false,
        requestCert: true, rejectUnauthorized: options.rejectUnauthorized !== false,
        session: options.session, ALPNProtocols: options.ALPNProtocols,
        highWaterMark: options.highWaterMark, onread: options.onread,
        signal: options.signal });
    if (callback)
        socket.once('secureConnect', callback);
    if (!options.socket && !options.signal?.aborted) {
        if (options.timeout)
            socket.setTimeout(options.timeout);
        socket.connect(options);
    }
    socket._releaseControl();
    if (options.servername !== undefined && options.servername !== '') {
        if (isIP(options.servername) !== 0)
            warnOfIp();
        socket.setServername(options.servername);
    } else if (options.servername === undefined && options.host &&
        isIP(options.host) === 0 && !options.socket) {
        socket.setServername(options.host);
    }
    const onEnd = () => onEarlyEnd(socket, options);
    socket.on('secure', () => {
        onConnectSecure(socket, options);
        socket.removeListener('end', onEnd);
    });
    socket.prependListener('end', onEnd);
    return socket;
}

let hasWarnedOfIp = false;

function warnOfIp() {
    if (hasWarnedOfIp)
        return;
    hasWarnedOfIp = true;
    process.emitWarning('Setting the TLS ServerName to an IP address is not permitted by ' +
        'RFC 6066. This will be ignored in a future version.', 'DeprecationWarning', 'DEP0123');
}

// ---- the module ----

let allCiphers, roots;

module.exports = {
    CLIENT_RENEG_LIMIT: 3,
    CLIENT_RENEG_WINDOW: 600,
    DEFAULT_CIPHERS: defaults.ciphers,
    DEFAULT_ECDH_CURVE: defaults.curve,
    DEFAULT_MIN_VERSION: defaults.minVersion,
    DEFAULT_MAX_VERSION: defaults.maxVersion,
    getCiphers: () => allCiphers ??= [...new Set(ciphers().map((name) =>
        name.toLowerCase()))].sort(),
    convertALPNProtocols,
    checkServerIdentity,
    createSecureContext,
    SecureContext,
    TLSSocket,
    Server,
    createServer: (options, listener) => new Server(options, listener),
    connect,
};
Object.defineProperty(module.exports, 'rootCertificates', { enumerable: true, get() {
    roots ??= Object.freeze(readRoots());
    return roots;
} });

// Those of the system, which connections trust.
function readRoots() {
    const fs = require('fs/fs');
    try {
        return fs.readFileSync('/etc/ssl/certs/ca-certificates.crt', 'latin1').match(
            /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
    } catch {
        return [];
    }
}
