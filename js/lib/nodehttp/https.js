// SPDX-License-Identifier: MIT
// nodehttp/https -- the module node:https.
'use strict';

const agents = require('nodehttp/agent');
const { ClientRequest, readArguments } = require('nodehttp/client');
const { Server: PlainServer, watch, kServers } = require('nodehttp/server');
const binding = require('nodehttp/binding');

// ---- servers ----

function Server(options, listener) {
    if (!(this instanceof Server))
        return new Server(options, listener);
    if (typeof options === 'function') {
        listener = options;
        options = {};
    }
    options = { ...options };
    if (!options.ALPNProtocols && !options.ALPNCallback)
        options.ALPNProtocols = ['http/1.1'];
    else
        this._hasOwnProtocols = true;
    require('net/tlscontexts').init(this, options);
    PlainServer.call(this, options, listener);
    this._isSecure = true;
}
Object.setPrototypeOf(Server.prototype, PlainServer.prototype);
Object.setPrototypeOf(Server, PlainServer);

// What net/tlscontexts gives to all servers of TLS.
for (const name of ['setSecureContext', 'addContext', 'getTicketKeys', 'setTicketKeys'])
    Object.defineProperty(Server.prototype, name, { value: { [name](...args) {
        const result = require('net/tlscontexts').methods[name].apply(this, args);
        changes[name]?.(this);
        return result;
    } }[name], writable: true, enumerable: true, configurable: true });

// What a change means for the C servers that listen.
const changes = { __proto__: null,
    setSecureContext(server) {
        for (const each of server[kServers] ?? [])
            binding.setSecureContext(each, server._sharedCreds.context);
    },
    addContext: watch,
};

const VERIFY_PEER = 1, VERIFY_FAIL_IF_NONE = 2;

Server.prototype._tlsOptions = function() {
    return { secureContext: this._sharedCreds.context, verifyMode: !this.requestCert ? 0
        : VERIFY_PEER | (this.rejectUnauthorized ? VERIFY_FAIL_IF_NONE : 0) };
};

// Whether the program decides during the handshake.
Server.prototype._asksAtHello = function() {
    return this._hasOwnProtocols || Boolean(this._sniCallback) || this._contexts.length > 0;
};

function createServer(options, listener) {
    return new Server(options, listener);
}

// ---- clients ----

function Agent(options) {
    if (!(this instanceof Agent))
        return new Agent(options);
    agents.Agent.call(this, options);
    this.defaultPort = 443;
    this.protocol = 'https:';
    this.maxCachedSessions = this.options.maxCachedSessions ?? 100;
    this._sessionCache = { map: {}, list: [] };
}
Object.setPrototypeOf(Agent.prototype, agents.Agent.prototype);
Object.setPrototypeOf(Agent, agents.Agent);

Agent.prototype.createConnection = function createConnection(port, host, options) {
    if (port !== null && typeof port === 'object')
        options = port;
    else if (host !== null && typeof host === 'object')
        options = { ...host };
    else
        options = { ...options };
    if (typeof port === 'number')
        options.port = port;
    if (typeof host === 'string')
        options.host = host;
    const key = options._agentKey;
    if (key && !options.session)
        options = { session: this._getSession(key), ...options };
    const socket = require('net/tls').connect(options);
    if (key) {
        socket.on('session', (session) => this._cacheSession(key, session));
        socket.once('close', (hadError) => {
            if (hadError)
                this._evictSession(key);
        });
    }
    return socket;
};

// What makes two connections different.
const named = ['ca', 'cert', 'clientCertEngine', 'ciphers', 'key', 'pfx'];
const later = ['servername', 'minVersion', 'maxVersion', 'secureProtocol', 'crl'];
const last = ['ecdhCurve', 'dhparam', 'secureOptions', 'sessionIdContext'];

Agent.prototype.getName = function getName(options = {}) {
    let name = agents.Agent.prototype.getName.call(this, options);
    for (const key of named)
        name += `:${options[key] || ''}`;
    name += `:${options.rejectUnauthorized === undefined ? '' : options.rejectUnauthorized}`;
    name += `:${options.servername && options.servername !== options.host
        ? options.servername : ''}`;
    for (const key of later.slice(1))
        name += `:${options[key] || ''}`;
    name += `:${options.honorCipherOrder === undefined ? '' : options.honorCipherOrder}`;
    for (const key of last)
        name += `:${options[key] || ''}`;
    for (const key of ['sigalgs', 'privateKeyIdentifier', 'privateKeyEngine'])
        name += `:${options[key] ? JSON.stringify(options[key]).slice(1, -1) : ''}`;
    return name;
};

Agent.prototype._getSession = function _getSession(key) {
    return this._sessionCache.map[key];
};
Agent.prototype._cacheSession = function _cacheSession(key, session) {
    if (this.maxCachedSessions === 0)
        return;
    const { map, list } = this._sessionCache;
    if (!map[key]) {
        if (list.length >= this.maxCachedSessions)
            delete map[list.shift()];
        list.push(key);
    }
    map[key] = session;
};
Agent.prototype._evictSession = function _evictSession(key) {
    const { map, list } = this._sessionCache;
    const at = list.indexOf(key);
    if (at < 0)
        return;
    list.splice(at, 1);
    delete map[key];
};

const globalAgent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });

function request(input, given, callback) {
    const [options, listener] = readArguments(input, given, callback);
    return new ClientRequest({ ...options, _defaultAgent: module.exports.globalAgent }, listener);
}

function get(input, options, callback) {
    const req = request(input, options, callback);
    req.end();
    return req;
}

module.exports = { Agent, globalAgent, Server, createServer, get, request };
