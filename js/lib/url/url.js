// SPDX-License-Identifier: MIT
// url -- URL, and the functions of Node's url that belong to it.
//
// The class and its parser are in C (js/url).  Only domains that are not ASCII need
// JavaScript, with the tables that url/idna loads.
'use strict';

const { URLSearchParams, link, refill } = require('url/searchparams');
const { coded, invalidArgType, plainly } = require('core/errors');
const { custom } = require('util/kinds');

const { URL, isURL, hasOpaquePath, setHooks, setQuery } = native;

function missing(name) {
    return coded(TypeError, 'ERR_MISSING_ARGS',
        `The "${name}" argument must be specified`);
}

const text = (value) => `${value}`.toWellFormed();

function throwInvalid(input, base) {
    const error = plainly(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
    error.input = input.toWellFormed();
    if (base !== undefined)
        error.base = base.toWellFormed();
    throw error;
}

const idnaOptions = { checkHyphens: false, checkBidi: true, checkJoiners: true,
    useSTD3ASCIIRules: false, transitionalProcessing: false, verifyDNSLength: false };

// Returns null if it is invalid.
const toASCII = (domain) => require('url/idna').toASCII(domain, idnaOptions);

function makeParams(url, query) {
    const params = new URLSearchParams();
    refill(params, query);
    link(params, (changed) => setQuery(url, changed));
    return params;
}

setHooks([() => { throw missing('url'); }, throwInvalid, toASCII, makeParams, refill]);

const statics = {
    createObjectURL(obj) {
        return require('web/blob').createObjectURL(obj);
    },

    revokeObjectURL(id) {
        if (arguments.length === 0)
            throw missing('url');
        require('web/blob').revokeObjectURL(id);
    },
};

const methods = {
    [custom](depth, options, inspect = require('util/inspect').inspect) {
        if (typeof depth === 'number' && depth < 0)
            return this;
        const shown = { __proto__: { constructor: this.constructor } };
        for (const key of ['href', 'origin', 'protocol', 'username', 'password',
            'host', 'hostname', 'port', 'pathname', 'search', 'searchParams',
            'hash'])
            shown[key] = this[key];
        return `${this.constructor.name} ${inspect(shown, options)
            .replace(/^[^{]*/, '')}`;
    },
};

require('core/hooks').isURL = isURL;
for (const key of ['toString', 'href', 'origin', 'protocol', 'username',
    'password', 'host', 'hostname', 'port', 'pathname', 'search',
    'searchParams', 'hash', 'toJSON'])
    Object.defineProperty(URL.prototype, key, { enumerable: true });
for (const key of ['parse', 'canParse'])
    Object.defineProperty(URL, key, { enumerable: true });
for (const key of ['createObjectURL', 'revokeObjectURL'])
    Object.defineProperty(URL, key, { value: statics[key], writable: true,
        enumerable: true, configurable: true });
Object.defineProperty(URL.prototype, custom, { value: methods[custom],
    writable: true, configurable: true });
Object.defineProperty(URL.prototype, Symbol.toStringTag,
    { value: 'URL', configurable: true });

// The components as strings, for url/pattern; null if it is invalid.
const getters = Object.getOwnPropertyDescriptors(URL.prototype);
const { parse } = URL;

function parseRecord(input, base) {
    const url = parse(input, base);
    if (url === null)
        return null;
    const get = (key) => Reflect.apply(getters[key].get, url, []);
    return { scheme: get('protocol').slice(0, -1), username: get('username'),
        password: get('password'), hostname: get('hostname'), port: get('port'),
        pathname: get('pathname'), query: get('search').slice(1),
        fragment: get('hash').slice(1), isOpaque: hasOpaquePath(url) };
}

// ---- files ----

// What Node accepts as a URL object, its own or another.
function seemsURL(value) {
    return isURL(value) || Boolean(value?.href && value.protocol &&
        value.auth === undefined && value.path === undefined);
}

function fileURLToPath(path) {
    if (typeof path === 'string')
        path = new URL(path);
    else if (!seemsURL(path))
        throw invalidArgType('path', 'of type string or an instance of URL', path);
    if (path.protocol !== 'file:')
        throw coded(TypeError, 'ERR_INVALID_URL_SCHEME',
            'The URL must be of scheme file');
    if (path.hostname !== '')
        throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST',
            'File URL host must be "localhost" or empty on linux');
    if (/%2f/i.test(path.pathname))
        throw coded(TypeError, 'ERR_INVALID_FILE_URL_PATH',
            'File URL path must not include encoded / characters');
    return decodeURIComponent(path.pathname);
}

function pathToFileURL(path) {
    if (typeof path !== 'string')
        throw invalidArgType('path', 'of type string', path);
    let file = require('fs/path').resolve(path);
    if (path.endsWith('/') && file !== '/')
        file += '/';
    return new URL(`file://${file.replace(/[%\\\n\r\t?#"<>`{}^|~[\] ]/g, (char) =>
        `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)}`);
}

// ---- other functions of Node's url ----

function domain(convert) {
    return function (name) {
        if (arguments.length === 0)
            throw missing('domain');
        return convert(text(name));
    };
}

// As in the hostname of a URL: without a port, and without a user name.
const domainToASCII = domain((name) => {
    const url = new URL('ws://x');
    return native.setHostname(url, name) ? Reflect.apply(getters.hostname.get, url, []) : '';
});

const domainToUnicode = domain((name) => {
    const ascii = domainToASCII(name);
    return ascii === '' ? '' : require('url/idna').toUnicode(ascii, {}).domain;
});

function urlToHttpOptions(url) {
    const { hostname, pathname, port, username, password, search } = url;
    const options = {
        __proto__: null, ...url, protocol: url.protocol,
        hostname: hostname && hostname.startsWith('[')
            ? hostname.slice(1, -1) : hostname,
        hash: url.hash, search, pathname,
        path: `${pathname || ''}${search || ''}`, href: url.href,
    };
    if (port !== '')
        options.port = Number(port);
    if (username || password)
        options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return options;
}

module.exports = { URL, URLSearchParams, domainToASCII, domainToUnicode,
    pathToFileURL, fileURLToPath, urlToHttpOptions };
// For inspect and url/legacy, and for url/pattern.
Object.defineProperties(module.exports,
    { isURL: { value: isURL }, parseRecord: { value: parseRecord } });
