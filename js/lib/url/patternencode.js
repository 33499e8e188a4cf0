// SPDX-License-Identifier: MIT
// patternencode -- how URLPattern writes the fixed text of a component: as the URL
// parser would ("Canonicalization" in the URL Pattern Standard, section 3.1).
'use strict';

const whatwg = require('bundle/whatwg-url');
const { malformed } = require('url/patternsyntax');

const { basicURLParse: parse } = whatwg;
const ports = { __proto__: null, ftp: '21', file: '', http: '80', https: '443', ws: '80',
    wss: '443' };
const isSpecial = (scheme) => ports[scheme] !== undefined;

const dummy = () => ({ scheme: 'https', username: '', password: '', host: 'dummy.invalid',
    port: null, path: [], query: null, fragment: null });

// run(text, url) returns null if the text is invalid.  The URL parser leaves plain
// text as it is.
function encoder(what, run, plain = /^$/) {
    return (text) => {
        if (plain.test(text))
            return text;
        const result = run(text, dummy());
        if (result === null)
            throw malformed(`"${text}" in ${what}`);
        return result;
    };
}

const change = (url, text, state) => parse(text, { url, stateOverride: state });

const encodeProtocol = encoder('the protocol', (text) => isSpecial(text) ? text
    : parse(`${text}://dummy.invalid/`)?.scheme ?? null);

const encodeUsername = encoder('the username', (text, url) => {
    whatwg.setTheUsername(url, text);
    return url.username;
});

const encodePassword = encoder('the password', (text, url) => {
    whatwg.setThePassword(url, text);
    return url.password;
});

const encodeHostname = encoder('the hostname', (text, url) =>
    change(url, text, 'hostname') === null ? null : whatwg.serializeHost(url.host));

const encodeIPv6 = encoder('the hostname', (text) =>
    /^[0-9a-f[\]:]*$/i.test(text) ? text.toLowerCase() : null);

// With its scheme, the default port becomes the empty string.
function encodePort(text, scheme = '') {
    if (text === '')
        return text;
    const url = { ...dummy(), scheme };
    if (change(url, text, 'port') === null)
        throw malformed(`"${text}" in the port`);
    return `${url.port ?? ''}`;
}

// A piece of a path that does not begin with "/" gets a first segment that keeps
// the parser from taking a dot in it for a separate segment.
const encodePathname = encoder('the pathname', (text, url) => {
    const isAbsolute = text.startsWith('/');
    change(url, isAbsolute ? text : `/-${text}`, 'path start');
    const path = whatwg.serializePath(url);
    return isAbsolute ? path : path.slice(2);
}, /^[A-Za-z0-9_/-]*$/);

const encodeOpaque = encoder('the pathname', (text, url) => {
    url.path = '';
    return change(url, text, 'opaque path') === null ? null : whatwg.serializePath(url);
});

const encodeSearch = encoder('the search', (text, url) => {
    url.query = '';
    change(url, text, 'query');
    return url.query;
}, /^[A-Za-z0-9_&=-]*$/);

const encodeHash = encoder('the hash', (text, url) => {
    url.fragment = '';
    change(url, text, 'fragment');
    return url.fragment;
}, /^[A-Za-z0-9_-]*$/);

module.exports = { encodeHash, encodeHostname, encodeIPv6, encodeOpaque, encodePassword,
    encodePathname, encodePort, encodeProtocol, encodeSearch, encodeUsername, isSpecial, ports };
