// SPDX-License-Identifier: MIT
// legacy -- url.parse, url.format, url.resolve and Url, which predate the URL
// Standard.  What they accept and how they split it is Node's.
'use strict';

const { invalidArgType, plainly } = require('core/errors');
const querystring = require('url/querystring');

const withColon = (...names) => new Set(names.flatMap((name) => [name, `${name}:`]));
const slashed = withColon('http', 'https', 'ftp', 'gopher', 'file', 'ws', 'wss');
const hostless = withColon('javascript'); // nor is anything in them escaped

function Url() {
    for (const key of keys)
        this[key] = null;
}
const keys = ['protocol', 'slashes', 'auth', 'host', 'port', 'hostname', 'hash', 'search',
    'query', 'pathname', 'path', 'href'];

function invalid(input) {
    const error = plainly(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
    error.input = input;
    return error;
}

// ---- parse ----

// Without white space at both ends, and with slashes for backslashes, up to the
// query or the fragment.
function clean(url) {
    const text = url.replace(/^[\t\n\f\r \u00a0\ufeff]+|[\t\n\f\r \u00a0\ufeff]+$/g, '');
    const end = text.search(/[?#]/);
    return end < 0 ? text.replaceAll('\\', '/')
        : text.slice(0, end).replaceAll('\\', '/') + text.slice(end);
}

function setQuery(url, search, isParsed) {
    url.search = search;
    url.query = isParsed ? querystring.parse(search.slice(1)) : search.slice(1);
}

function setNoQuery(url, isParsed) {
    if (isParsed) {
        url.search = null;
        url.query = { __proto__: null };
    }
}

// A path, perhaps with a query: what servers parse.
function parseSimple(url, text, isParsed) {
    const found = /^(\/\/?(?!\/)[^?\s]*)(\?[^\s]*)?$/.exec(text);
    if (found === null)
        return false;
    url.path = url.href = text;
    url.pathname = found[1];
    if (found[2])
        setQuery(url, found[2], isParsed);
    else
        setNoQuery(url, isParsed);
    return true;
}

// Where the host ends: at the first character that none has, after the last "@".
// Line ends and tabs before the path are dropped.
function findHost(text) {
    const path = text.search(/[#/?]/), start = path < 0 ? text : text.slice(0, path);
    const authority = start.replace(/[\t\n\r]/g, ''), at = authority.lastIndexOf('@');
    const end = authority.slice(at + 1).search(/[ "%';<>\\^`{|}]/);
    return { text: authority + (path < 0 ? '' : text.slice(path)), at,
        end: end < 0 ? authority.length : at + 1 + end };
}

let hasWarned = false;

// A host ends at a colon that begins no port; the rest becomes part of the path.
function splitHost(url, hostname, rest, input) {
    const at = hostname.search(/[/\\#?:]/);
    if (at < 0)
        return rest;
    if (hostname[at] === ':' && !hasWarned) {
        hasWarned = true;
        require('program/process').emitWarning(
            `The URL ${input} is invalid. Future versions of Node.js will throw an error.`,
            'DeprecationWarning', 'DEP0170');
    }
    url.hostname = hostname.slice(0, at);
    return `/${hostname.slice(at)}${rest}`;
}

const isBracketed = (hostname) => hostname.startsWith('[') && hostname.endsWith(']');

function checkHostname(hostname, input) {
    if (isBracketed(hostname)) {
        if (/[\0\t\n\r #%/<>?@\\^|]/.test(hostname))
            throw invalid(input);
        return hostname;
    }
    const ascii = toASCII(hostname);
    if (ascii === '' || /[\0\t\n\r #%/:<>?@[\\\]^|]/.test(ascii))
        throw invalid(input);
    return ascii;
}

// '' if it cannot be converted.
function toASCII(hostname) {
    return /^[\0-\x7f]*$/.test(hostname) ? hostname
        : require('url/idna').toASCII(hostname, { checkBidi: true, checkJoiners: true }) ?? '';
}

// Take the authority from `text`, and return what follows it.
function parseHost(url, given, input) {
    const { text, at, end } = findHost(given);
    if (at >= 0)
        url.auth = decodeURIComponent(text.slice(0, at));
    let host = text.slice(at + 1, end), rest = text.slice(end);
    const port = /:[0-9]*$/.exec(host);
    if (port !== null) {
        if (port[0] !== ':')
            url.port = port[0].slice(1);
        host = host.slice(0, port.index);
    }
    url.hostname = host;
    const isAddress = isBracketed(host);
    if (!isAddress)
        rest = splitHost(url, host, rest, input);
    url.hostname = url.hostname.length > 255 ? '' : url.hostname.toLowerCase();
    if (url.hostname !== '')
        url.hostname = checkHostname(url.hostname, input);
    url.host = url.hostname + (url.port ? `:${url.port}` : '');
    if (isAddress) {
        url.hostname = url.hostname.slice(1, -1);
        if (rest[0] !== '/')
            rest = `/${rest}`;
    }
    return rest;
}

const escapeChars = (text) => text.replace(/[\t\n\r "'<>\\^`{|}]/g, (char) =>
    `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

function parsePath(url, text, isParsed) {
    const hashAt = text.indexOf('#');
    if (hashAt >= 0)
        url.hash = text.slice(hashAt);
    const before = hashAt < 0 ? text : text.slice(0, hashAt);
    const queryAt = before.indexOf('?');
    if (queryAt >= 0)
        setQuery(url, before.slice(queryAt), isParsed);
    else
        setNoQuery(url, isParsed);
    const path = queryAt < 0 ? before : before.slice(0, queryAt);
    if (path !== '')
        url.pathname = path;
}

Url.prototype.parse = function parse(url, parseQueryString, slashesDenoteHost) {
    if (typeof url !== 'string')
        throw invalidArgType('url', 'of type string', url);
    let rest = clean(url);
    if (!slashesDenoteHost && !rest.includes('#') && !rest.includes('@') &&
        parseSimple(this, rest, parseQueryString))
        return this;
    const scheme = /^[a-z0-9.+-]+:/i.exec(rest)?.[0], lower = scheme?.toLowerCase();
    if (scheme !== undefined) {
        this.protocol = lower;
        rest = rest.slice(scheme.length);
    }
    let hasSlashes = false;
    if (slashesDenoteHost || scheme !== undefined || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
        hasSlashes = rest.startsWith('//');
        if (hasSlashes && !hostless.has(lower)) {
            rest = rest.slice(2);
            this.slashes = true;
        }
    }
    if (!hostless.has(lower) &&
        (hasSlashes || (scheme !== undefined && !slashed.has(scheme))))
        rest = parseHost(this, rest, url);
    if (!hostless.has(lower))
        rest = escapeChars(rest);
    parsePath(this, rest, parseQueryString);
    if (slashed.has(lower) && this.hostname && !this.pathname)
        this.pathname = '/';
    setPath(this);
    this.href = this.format();
    return this;
};

function setPath(url) {
    if (url.pathname || url.search)
        url.path = (url.pathname || '') + (url.search || '');
}

function urlParse(url, parseQueryString, slashesDenoteHost) {
    return url instanceof Url ? url
        : new Url().parse(url, parseQueryString, slashesDenoteHost);
}

// ---- format ----

const encodeAuth = (auth) => encodeURIComponent(auth).replaceAll('%3A', ':');

Url.prototype.format = function format() {
    const auth = this.auth ? `${encodeAuth(this.auth)}@` : '';
    let { protocol, pathname, hash, host, hostname } = this, search;
    protocol = protocol || '';
    pathname = pathname || '';
    hash = hash || '';
    if (host) {
        host = auth + host;
    } else if (hostname) {
        host = auth + (hostname.includes(':') && !isBracketed(hostname)
            ? `[${hostname}]` : hostname) + (this.port ? `:${this.port}` : '');
    } else {
        host = '';
    }
    const { query } = this;
    const queryText = query !== null && typeof query === 'object'
        ? querystring.stringify(query) : '';
    search = this.search || (queryText && `?${queryText}`) || '';
    if (protocol && !protocol.endsWith(':'))
        protocol += ':';
    pathname = pathname.replace(/[?#]/g, (char) => char === '#' ? '%23' : '%3F');
    if (this.slashes || slashed.has(protocol)) {
        if (this.slashes || host) {
            if (pathname && !pathname.startsWith('/'))
                pathname = `/${pathname}`;
            host = `//${host}`;
        } else if (protocol.startsWith('file')) {
            host = '//';
        }
    }
    search = search.replaceAll('#', '%23');
    if (hash && !hash.startsWith('#'))
        hash = `#${hash}`;
    if (search && !search.startsWith('?'))
        search = `?${search}`;
    return protocol + host + pathname + search + hash;
};

function formatURL(url, options) {
    if (options != null && typeof options !== 'object')
        throw invalidArgType('options', 'of type object', options);
    const wants = (key, fallback) => options?.[key] == null ? fallback
        : Boolean(options[key]);
    const { hash, host, password, pathname, protocol, search, username } = url;
    const hostname = wants('unicode', false) ? require('url/url').domainToUnicode(
        url.hostname) + (url.port === '' ? '' : `:${url.port}`) : host;
    const auth = wants('auth', true) && (username !== '' || password !== '')
        ? `${username}${password === '' ? '' : `:${password}`}@` : '';
    const start = host === '' && !url.href.startsWith(`${protocol}//`)
        ? protocol + (pathname.startsWith('//') ? '/.' : '') : `${protocol}//${auth}${hostname}`;
    return start + pathname + (wants('search', true) ? search : '') +
        (wants('fragment', true) ? hash : '');
}

function urlFormat(url, options) {
    if (typeof url === 'string')
        url = urlParse(url);
    else if (typeof url !== 'object' || url === null)
        throw invalidArgType('urlObject', 'one of type object or string', url);
    else if (require('core/hooks').isURL(url))
        return formatURL(url, options);
    return Url.prototype.format.call(url);
}

// ---- resolve ----

const copyAll = (to, from) => Object.assign(to, from);
const splitPath = (url) => url.pathname ? url.pathname.split('/') : [];

function finish(url) {
    url.href = url.format();
    return url;
}

// Of another scheme.
function resolveScheme(result, relative) {
    if (!slashed.has(relative.protocol))
        return finish(copyAll(result, relative));
    result.protocol = relative.protocol;
    if (!relative.host && !/^file:?$/.test(relative.protocol) &&
        !hostless.has(relative.protocol)) {
        const path = (relative.pathname || '').split('/');
        while (path.length > 0 && !(relative.host = path.shift()));
        relative.host ||= '';
        relative.hostname ||= '';
        if (path[0] !== '')
            path.unshift('');
        if (path.length < 2)
            path.unshift('');
        result.pathname = path.join('/');
    } else {
        result.pathname = relative.pathname;
    }
    const { search, query, auth, port } = relative;
    copyAll(result, { search, query, auth, port, host: relative.host || '',
        hostname: relative.hostname || relative.host });
    setPath(result);
    result.slashes = result.slashes || relative.slashes;
    return finish(result);
}

// A host that is part of the path, in a scheme without slashes.
function hostIntoPath(path, host) {
    if (!host)
        return;
    if (path[0] === '')
        path[0] = host;
    else
        path.unshift(host);
}

function hostOutOfPath(result, host) {
    result.hostname = result.host = host;
    const parts = host && host.indexOf('@') > 0 ? host.split('@') : undefined;
    if (parts !== undefined) {
        result.auth = parts.shift();
        result.host = result.hostname = parts.shift();
    }
}

// Remove "." and ".."; return how many ".." are left over.
function removeDots(path) {
    let up = 0;
    for (let i = path.length - 1; i >= 0; i--) {
        if (path[i] === '.') {
            path.splice(i, 1);
        } else if (path[i] === '..') {
            path.splice(i, 1);
            up++;
        } else if (up > 0) {
            path.splice(i, 1);
            up--;
        }
    }
    return up;
}

function takeHost(result, relative) {
    const { host, hostname, port } = relative;
    if (host || host === '') {
        if (result.host !== host)
            result.auth = null;
        result.host = host;
        result.port = port;
    }
    if (hostname || hostname === '') {
        if (result.hostname !== hostname)
            result.auth = null;
        result.hostname = hostname;
    }
}

function resolvePath(result, relative) {
    const startsAtRoot = result.pathname?.startsWith('/');
    const isAbsolute = relative.host || relative.pathname?.startsWith('/');
    let mustBeAbsolute = isAbsolute || startsAtRoot || (result.host && relative.pathname);
    const removesAllDots = mustBeAbsolute;
    const isOpaque = result.protocol && !slashed.has(result.protocol);
    let path = splitPath(result);
    const more = splitPath(relative);
    if (isOpaque) {
        result.hostname = '';
        result.port = null;
        hostIntoPath(path, result.host);
        result.host = '';
        if (relative.protocol) {
            relative.hostname = relative.port = null;
            result.auth = null;
            hostIntoPath(more, relative.host);
            relative.host = null;
        }
        mustBeAbsolute = mustBeAbsolute && (more[0] === '' || path[0] === '');
    }
    const { search, query } = relative;
    if (isAbsolute) {
        takeHost(result, relative);
        copyAll(result, { search, query });
        path = more;
    } else if (more.length > 0) {
        path.pop();
        path = path.concat(more);
        copyAll(result, { search, query });
    } else if (search != null) {
        if (isOpaque)
            hostOutOfPath(result, path.shift());
        copyAll(result, { search, query });
        if (result.pathname !== null || result.search !== null)
            result.path = (result.pathname || '') + (result.search || '');
        return finish(result);
    }
    return joinPath(result, relative, path, { mustBeAbsolute, removesAllDots, isOpaque });
}

function joinPath(result, relative, path, { mustBeAbsolute, removesAllDots, isOpaque }) {
    if (path.length === 0) {
        result.pathname = null;
        result.path = result.search ? `/${result.search}` : null;
        return finish(result);
    }
    const last = path.at(-1), endsInSlash = last === '' || ((result.host || relative.host ||
        path.length > 1) && (last === '.' || last === '..'));
    let up = removeDots(path);
    if (!mustBeAbsolute && !removesAllDots)
        for (; up > 0; up--)
            path.unshift('..');
    if (mustBeAbsolute && path[0] !== '' && !path[0]?.startsWith('/'))
        path.unshift('');
    if (endsInSlash && !path.join('/').endsWith('/'))
        path.push('');
    const isAbsolute = path[0] === '' || path[0]?.startsWith('/');
    if (isOpaque)
        hostOutOfPath(result, isAbsolute ? '' : path.length > 0 ? path.shift() : '');
    mustBeAbsolute = mustBeAbsolute || (result.host && path.length > 0);
    if (mustBeAbsolute && !isAbsolute)
        path.unshift('');
    if (path.length === 0)
        result.pathname = result.path = null;
    else
        result.pathname = path.join('/');
    if (result.pathname !== null || result.search !== null)
        result.path = (result.pathname || '') + (result.search || '');
    result.auth = relative.auth || result.auth;
    result.slashes = result.slashes || relative.slashes;
    return finish(result);
}

Url.prototype.resolve = function resolve(relative) {
    return this.resolveObject(urlParse(relative, false, true)).format();
};

Url.prototype.resolveObject = function resolveObject(relative) {
    if (typeof relative === 'string')
        relative = urlParse(relative, false, true);
    const result = copyAll(new Url(), this);
    result.hash = relative.hash;
    if (relative.href === '')
        return finish(result);
    if (relative.slashes && !relative.protocol) {
        const { protocol } = result;
        copyAll(result, relative).protocol = protocol;
        if (slashed.has(protocol) && result.hostname && !result.pathname)
            result.path = result.pathname = '/';
        return finish(result);
    }
    return relative.protocol && relative.protocol !== result.protocol
        ? resolveScheme(result, relative) : resolvePath(result, relative);
};

Url.prototype.parseHost = function parseHost() {
    const port = /:[0-9]*$/.exec(this.host);
    let { host } = this;
    if (port !== null) {
        if (port[0] !== ':')
            this.port = port[0].slice(1);
        host = host.slice(0, host.length - port[0].length);
    }
    if (host)
        this.hostname = host;
};

function urlResolve(source, relative) {
    return urlParse(source, false, true).resolve(relative);
}

function urlResolveObject(source, relative) {
    return source ? urlParse(source, false, true).resolveObject(relative) : relative;
}

module.exports = { Url, parse: urlParse, resolve: urlResolve,
    resolveObject: urlResolveObject, format: urlFormat };
