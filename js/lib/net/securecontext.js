// SPDX-License-Identifier: MIT
// net/securecontext -- tls.createSecureContext, on js/net/secure_context.c.
'use strict';

const { Buffer } = require('bytes/buffer');
const check = require('net/check');
const { coded, invalidArgType, invalidArgValue } = require('core/errors');

const defaults = {
    ciphers: 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:' +
        'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:' +
        'ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384:' +
        'DHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA256:DHE-RSA-AES128-SHA256:' +
        'ECDHE-RSA-AES256-SHA384:DHE-RSA-AES256-SHA384:ECDHE-RSA-AES256-SHA256:' +
        'DHE-RSA-AES256-SHA256:HIGH:!aNULL:!eNULL:!EXPORT:!DES:!RC4:!MD5:!PSK:!SRP:!CAMELLIA',
    curve: 'auto', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3',
};
const CIPHER_SERVER_PREFERENCE = 0x00400000;

// An error of OpenSSL: [text, library, reason]
function openSSLError([text, library, reason]) {
    const error = new Error(text || 'OpenSSL error');
    if (library)
        error.library = library;
    if (reason) {
        const part = library === 'SSL routines' ? 'SSL_'
            : `OSSL_${library.replace(/ routines$/, '').replaceAll(' ', '_')
                .replace(/^digital_envelope$/, 'EVP').replace(/^x509_certificate$/, 'X509')
                .replace(/^DECODER$/, '').toUpperCase()}_`.replace('__', '_');
        error.reason = reason;
        error.code = `ERR_${part}${reason.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
    }
    return error;
}

function apply(result) {
    if (Array.isArray(result))
        throw openSSLError(result);
    return result;
}

// The same for what Node explains itself.
function applyOr(message, result) {
    if (Array.isArray(result))
        throw coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', message);
}

// ---- arguments ----

const kinds = 'of type string or an instance of Buffer, TypedArray, or DataView';

function toBytes(value, name) {
    if (typeof value === 'string')
        return Buffer.from(value);
    if (ArrayBuffer.isView(value))
        return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    throw invalidArgType(name, kinds, value);
}

const toList = (value) => Array.isArray(value) ? value : [value];

const versions = { __proto__: null, 'TLSv1': 0x301, 'TLSv1.1': 0x302, 'TLSv1.2': 0x303,
    'TLSv1.3': 0x304 };
const protocols = { __proto__: null, TLSv1_method: 0x301, TLSv1_1_method: 0x302,
    TLSv1_2_method: 0x303, TLSv1_3_method: 0x304 };

function versionOf(name, which, fallback) {
    const version = versions[name ?? fallback];
    if (version === undefined)
        throw coded(TypeError, 'ERR_TLS_INVALID_PROTOCOL_VERSION',
            `${JSON.stringify(name)} is not a valid ${which} TLS protocol version`);
    return version;
}

function setVersions(context, { minVersion, maxVersion, secureProtocol }) {
    if (secureProtocol) {
        for (const name of [minVersion, maxVersion])
            if (name != null)
                throw coded(TypeError, 'ERR_TLS_PROTOCOL_VERSION_CONFLICT', 'TLS protocol ' +
                    `version ${JSON.stringify(name)} conflicts with secureProtocol ` +
                    JSON.stringify(secureProtocol));
        const plain = secureProtocol.replace(/_(client|server)_method$/, '_method');
        const fixed = protocols[plain];
        if (fixed === undefined && plain !== 'TLS_method' && plain !== 'SSLv23_method')
            throw coded(TypeError, 'ERR_TLS_INVALID_PROTOCOL_METHOD',
                `Unknown method: ${secureProtocol}`);
        apply(native.setMinVersion(context, fixed ?? (plain === 'TLS_method' ? 0x301 : 0)));
        apply(native.setMaxVersion(context, fixed ?? 0));
        return;
    }
    apply(native.setMinVersion(context, versionOf(minVersion, 'minimum', defaults.minVersion)));
    apply(native.setMaxVersion(context, versionOf(maxVersion, 'maximum', defaults.maxVersion)));
}

function setKeys(context, { key, cert, passphrase, pfx }) {
    if (passphrase != null)
        check.string(passphrase, 'options.passphrase');
    for (const one of cert ? toList(cert) : [])
        apply(native.setCert(context, toBytes(one, 'options.cert')));
    for (const one of key ? toList(key) : []) {
        const pem = one?.pem ?? one, password = one?.passphrase ?? passphrase;
        apply(native.setKey(context, toBytes(pem, 'options.key'), password ?? undefined));
    }
    for (const one of pfx ? toList(pfx) : []) {
        const bytes = one?.buf ?? one, password = one?.passphrase ?? passphrase;
        apply(native.loadPfx(context, toBytes(bytes, 'options.pfx'), password ?? undefined));
    }
}

function setCiphers(context, given) {
    const ciphers = given ?? defaults.ciphers;
    check.string(ciphers, 'options.ciphers');
    const parts = ciphers.split(':').filter((part) => part !== '');
    const suites = parts.filter((part) => part.startsWith('TLS_')).join(':');
    const older = parts.filter((part) => !part.startsWith('TLS_')).join(':');
    if (suites === '' && older === '')
        throw invalidArgValue('options.ciphers', ciphers);
    apply(native.setCipherSuites(context, suites));
    apply(native.setCiphers(context, older));
    if (suites === '' && given !== undefined)
        apply(native.setMaxVersion(context, 0x303));
    if (older === '')
        apply(native.setMinVersion(context, 0x304));
}

function setDh(context, dhparam) {
    const bits = apply(dhparam === 'auto' ? native.setDhParam(context, true)
        : native.setDhParam(context, toBytes(dhparam, 'options.dhparam')));
    if (typeof bits === 'number')
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'DH parameter is less than 1024 bits');
}

class SecureContext {
    constructor(options) {
        const context = native.newContext();
        this.context = context;
        configure(context, options);
        if (options.honorCipherOrder)
            native.setOptions(context, CIPHER_SERVER_PREFERENCE);
    }
}

function configure(context, options) {
    const { ca, crl, sigalgs, ecdhCurve = defaults.curve, dhparam, secureOptions,
        sessionIdContext, sessionTimeout, ticketKeys } = options;
    setVersions(context, options);
    if (ca)
        for (const one of toList(ca))
            apply(native.addCa(context, toBytes(one, 'options.ca')));
    else
        apply(native.addRootCerts(context));
    setKeys(context, options);
    if (sigalgs !== undefined && sigalgs !== null) {
        check.string(sigalgs, 'options.sigalgs');
        if (sigalgs === '')
            throw invalidArgValue('options.sigalgs', sigalgs);
        apply(native.setSigalgs(context, sigalgs));
    }
    setCiphers(context, options.ciphers || undefined);
    check.string(ecdhCurve, 'options.ecdhCurve');
    applyOr('Failed to set ECDH curve', native.setEcdhCurve(context, ecdhCurve));
    if (dhparam)
        setDh(context, dhparam);
    for (const one of crl ? toList(crl) : [])
        applyOr('Failed to parse CRL', native.addCrl(context, toBytes(one, 'options.crl')));
    if (secureOptions) {
        check.integer(secureOptions, 'secureOptions');
        native.setOptions(context, secureOptions);
    }
    if (sessionIdContext) {
        check.string(sessionIdContext, 'options.sessionIdContext');
        apply(native.setSessionIdContext(context, sessionIdContext));
    }
    if (ticketKeys)
        setTicketKeys(context, ticketKeys);
    if (sessionTimeout) {
        check.int32(sessionTimeout, 'options.sessionTimeout', 0);
        native.setSessionTimeout(context, sessionTimeout);
    }
}

function getTicketKeys(context) {
    return Buffer.from(apply(native.ticketKeys(context, undefined)));
}

function setTicketKeys(context, keys) {
    if (!ArrayBuffer.isView(keys))
        throw invalidArgType('buffer', 'an instance of Buffer, TypedArray, or DataView', keys);
    if (keys.byteLength !== 48)
        throw invalidArgValue('options.ticketKeys', keys.byteLength, 'must be exactly 48 bytes');
    apply(native.ticketKeys(context, toBytes(keys, 'keys')));
}

function createSecureContext(options = {}) {
    return new SecureContext(check.object(options, 'options'));
}

module.exports = { SecureContext, createSecureContext, getTicketKeys, setTicketKeys, defaults,
    openSSLError, ciphers: native.ciphers };
