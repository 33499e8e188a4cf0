// SPDX-License-Identifier: MIT
// net/tlscontexts -- what servers of tls and of https have in common: certificates,
// which one a name gets, and whether clients need one.
'use strict';

const { SecureContext, createSecureContext, getTicketKeys, setTicketKeys } =
    require('net/securecontext');
const { convertALPNProtocols } = require('net/tlssocket');
const check = require('net/check');
const { coded } = require('core/errors');

// Read the options of a server.
function init(server, options) {
    server._contexts = [];
    server.requestCert = options.requestCert === true;
    server.rejectUnauthorized = options.rejectUnauthorized !== false;
    server.ALPNCallback = options.ALPNCallback;
    if (server.ALPNCallback && options.ALPNProtocols)
        throw coded(TypeError, 'ERR_TLS_ALPN_CALLBACK_WITH_PROTOCOLS',
            'The ALPNCallback and ALPNProtocols TLS options are mutually exclusive');
    if (options.ALPNProtocols)
        convertALPNProtocols(options.ALPNProtocols, server);
    server.setSecureContext(options);
    server._handshakeTimeout = check.number(options.handshakeTimeout || 120000,
        'options.handshakeTimeout');
    if (options.SNICallback)
        server._sniCallback = check.func(options.SNICallback, 'options.SNICallback');
}

// The function that chooses a context for a name, or undefined.
function sniCallback(server) {
    return server._sniCallback ?? (server._contexts.length > 0
        ? (name, done) => done(null,
            server._contexts.findLast(([pattern]) => pattern.test(name))?.[1])
        : undefined);
}

// A server that asks no client for a certificate needs no roots, which take a while to
// read.
function makeContext(server, options) {
    return createSecureContext(server.requestCert || typeof options !== 'object' ||
        options === null || options.ca ? options
        : { ...options, ca: [] });
}

const kept = ['pfx', 'key', 'passphrase', 'cert', 'ca', 'minVersion', 'maxVersion',
    'secureProtocol', 'crl', 'ciphers', 'dhparam', 'secureOptions'];

const methods = {
    setSecureContext(options) {
        check.object(options, 'options');
        for (const name of kept)
            this[name] = options[name] || undefined;
        this.sigalgs = options.sigalgs;
        this.ecdhCurve = options.ecdhCurve;
        this.honorCipherOrder = options.honorCipherOrder === undefined ||
            Boolean(options.honorCipherOrder);
        this.sessionIdContext = options.sessionIdContext || 'weir';
        this.sessionTimeout = options.sessionTimeout || this.sessionTimeout;
        this.ticketKeys = options.ticketKeys || this.ticketKeys;
        this._sharedCreds = makeContext(this, this);
    },

    getTicketKeys() {
        return getTicketKeys(this._sharedCreds.context);
    },

    setTicketKeys(keys) {
        setTicketKeys(this._sharedCreds.context, keys);
    },

    addContext(servername, context) {
        if (!servername)
            throw coded(Error, 'ERR_TLS_REQUIRED_SERVER_NAME',
                '"servername" is required parameter for Server.addContext');
        const pattern = servername.replace(/[.^$+?\-\\[\]{}]/g, '\\$&')
            .replaceAll('*', '[^.]*');
        const secure = context instanceof SecureContext ? context
            : makeContext(this, context);
        this._contexts.push([new RegExp(`^${pattern}$`), secure.context]);
    },
};
module.exports = { init, methods, sniCallback };
