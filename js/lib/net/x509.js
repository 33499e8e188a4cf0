// SPDX-License-Identifier: MIT
// x509 -- X509Certificate and Certificate of the module crypto (js/net/x509.c).
'use strict';

const { Buffer } = require('bytes/buffer');
const { checkObject, invalidArgType, invalidArgValue } = require('core/errors');
const { bytesOf, checkBoolean, checkString, viewOf } = require('crypto/arguments');
const { isKeyObject, kHandle: kKey, publicKey: wrapKey } = require('crypto/keys');
const { custom } = require('util/kinds');

const { check, hasKey, isIssued, isSigned, parse, parts, publicKey, request } = native;
const HOST = 0, EMAIL = 1, IP = 2;
const VALID = 0, CHALLENGE = 1, PUBLIC_KEY = 2;

// ---- X509Certificate ----

// OpenSSL's X509_CHECK_FLAG_...
function flagsOf(options = {}) {
    checkObject(options, 'options');
    const { subject = 'default', wildcards = true, partialWildcards = true,
        multiLabelWildcards = false, singleLabelSubdomains = false } = options;
    checkString(subject, 'options.subject');
    for (const [name, value] of Object.entries({ wildcards, partialWildcards, multiLabelWildcards,
        singleLabelSubdomains }))
        checkBoolean(value, `options.${name}`);
    if (!['default', 'always', 'never'].includes(subject))
        throw invalidArgValue('options.subject', subject);
    return (subject === 'always' ? 1 : 0) | (wildcards ? 0 : 2) | (partialWildcards ? 0 : 4) |
        (multiLabelWildcards ? 8 : 0) | (singleLabelSubdomains ? 16 : 0) |
        (subject === 'never' ? 32 : 0);
}

const shown = ['subject', 'subjectAltName', 'issuer', 'infoAccess', 'validFrom', 'validTo',
    'fingerprint', 'fingerprint256', 'fingerprint512', 'keyUsage', 'serialNumber'];

const handleIn = new WeakMap();

class X509Certificate {
    #handle;
    #parts;
    #publicKey;

    constructor(buffer) {
        const bytes = typeof buffer === 'string' ? Buffer.from(buffer) : buffer;
        if (!ArrayBuffer.isView(bytes))
            throw invalidArgType('buffer',
                'of type string or an instance of Buffer, TypedArray, or DataView', bytes);
        this.#handle = parse(viewOf(bytes));
        handleIn.set(this, this.#handle);
    }

    [custom](depth, options) {
        if (depth < 0)
            return this;
        return `X509Certificate ${require('util/inspect').inspect(
            Object.fromEntries(shown.map((name) => [name, this[name]])),
            { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
    }

    // [legacy object, subject, issuer, infoAccess, PEM]
    get #all() {
        return this.#parts ??= parts(this.#handle);
    }

    get subject() {
        return this.#all[1] || undefined;
    }

    get subjectAltName() {
        return this.#all[0].subjectaltname;
    }

    get issuer() {
        return this.#all[2] || undefined;
    }

    // Only a certificate of a connection knows its issuer.
    get issuerCertificate() {
        this.#handle;
        return undefined;
    }

    get infoAccess() {
        return this.#all[3];
    }

    get validFrom() {
        return this.#all[0].valid_from;
    }

    get validTo() {
        return this.#all[0].valid_to;
    }

    get fingerprint() {
        return this.#all[0].fingerprint;
    }

    get fingerprint256() {
        return this.#all[0].fingerprint256;
    }

    get fingerprint512() {
        return this.#all[0].fingerprint512;
    }

    get keyUsage() {
        return this.#all[0].ext_key_usage;
    }

    get serialNumber() {
        return this.#all[0].serialNumber;
    }

    get raw() {
        return this.#all[0].raw;
    }

    get publicKey() {
        return this.#publicKey ??= wrapKey(publicKey(this.#handle));
    }

    get ca() {
        return this.#all[0].ca;
    }

    toString() {
        return this.#all[4];
    }

    toJSON() {
        return this.toString();
    }

    checkHost(name, options) {
        checkString(name, 'name');
        return check(this.#handle, HOST, name, flagsOf(options));
    }

    checkEmail(email, options) {
        checkString(email, 'email');
        return check(this.#handle, EMAIL, email, flagsOf(options));
    }

    checkIP(ip, options) {
        checkString(ip, 'ip');
        return check(this.#handle, IP, ip, flagsOf(options));
    }

    checkIssued(otherCert) {
        const other = typeof otherCert === 'object' && otherCert !== null
            ? handleIn.get(otherCert) : undefined;
        if (other === undefined)
            throw invalidArgType('otherCert', 'an instance of X509Certificate', otherCert);
        return isIssued(this.#handle, other);
    }

    checkPrivateKey(pkey) {
        if (!isKeyObject(pkey))
            throw invalidArgType('pkey', 'an instance of KeyObject', pkey);
        if (pkey.type !== 'private')
            throw invalidArgValue('pkey', pkey);
        return hasKey(this.#handle, pkey[kKey]);
    }

    verify(pkey) {
        if (!isKeyObject(pkey))
            throw invalidArgType('pkey', 'an instance of KeyObject', pkey);
        if (pkey.type !== 'public')
            throw invalidArgValue('pkey', pkey);
        return isSigned(this.#handle, pkey[kKey]);
    }

    toLegacyObject() {
        return parts(this.#handle)[0];
    }
}

require('messages/host').define(X509Certificate.prototype, function () {
    return handleIn.has(this) ? ['certificate', this.raw.buffer] : undefined;
});

const makeCertificate = (bytes) => new X509Certificate(new Uint8Array(bytes));

// ---- Certificate ----

function Certificate() {
    if (!(this instanceof Certificate))
        return new Certificate();
    return this;
}

const methods = {
    verifySpkac: (spkac, encoding) => request(bytesOf(spkac, 'spkac', encoding), VALID) ?? false,
};
for (const [name, what] of [['exportChallenge', CHALLENGE], ['exportPublicKey', PUBLIC_KEY]])
    methods[name] = (spkac, encoding) => {
        const found = request(bytesOf(spkac, 'spkac', encoding), what);
        return found === undefined ? '' : Buffer.from(found);
    };
Object.assign(Certificate.prototype, methods);
Object.assign(Certificate, methods);

module.exports = { Certificate, X509Certificate, makeCertificate };
