// SPDX-License-Identifier: MIT
// url -- URL, and the functions of Node's url that belong to it.
//
// The parser is npm's whatwg-url, which is bundled when weir is built.  The
// common form of a URL is parsed in C (js/url/parse.c).
'use strict';

const whatwg = require('bundle/whatwg-url');
const { URLSearchParams, link, refill } = require('url/searchparams');
const { coded, invalidArgType, plainly } = require('core/errors');
const { custom } = require('util/kinds');

const { basicURLParse: parse } = whatwg;

function missing(name) {
    return coded(TypeError, 'ERR_MISSING_ARGS',
        `The "${name}" argument must be specified`);
}

const text = (value) => `${value}`.toWellFormed();

// Returns null if it is invalid.
function parseBoth(input, base) {
    input = text(input);
    if (base === undefined)
        return native.parse(input) ?? parse(input);
    base = text(base);
    const common = native.parse(input, base);
    if (common !== undefined)
        return common;
    const from = native.parse(base) ?? parse(base);
    return from === null ? null : parse(input, { baseURL: from });
}

function canParse(input, base) {
    input = text(input);
    if (base !== undefined)
        base = text(base);
    return native.canParse(input, base) ?? parseBoth(input, base) !== null;
}

function invalid(input, base) {
    const error = plainly(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
    error.input = input;
    if (base !== undefined)
        error.base = base;
    return error;
}

class URL {
    #url; #params;

    constructor(input, base = undefined) {
        if (arguments.length === 0)
            throw missing('url');
        const url = parseBoth(input, base);
        if (url === null)
            throw invalid(`${input}`, base === undefined ? base : `${base}`);
        this.#url = url;
    }

    static parse(input, base = undefined) {
        if (arguments.length === 0)
            throw missing('url');
        const url = parseBoth(input, base);
        if (url === null)
            return null;
        const made = new URL('a:');
        made.#url = url;
        return made;
    }

    static canParse(input, base = undefined) {
        if (arguments.length === 0)
            throw missing('url');
        return canParse(input, base);
    }

    static createObjectURL(obj) {
        return require('web/blob').createObjectURL(obj);
    }

    static revokeObjectURL(id) {
        if (arguments.length === 0)
            throw missing('url');
        require('web/blob').revokeObjectURL(id);
    }

    #set(value, state) {
        parse(text(value), { url: this.#url, stateOverride: state });
    }

    toString() { return whatwg.serializeURL(this.#url); }

    get href() { return whatwg.serializeURL(this.#url); }
    set href(value) {
        value = text(value);
        const url = native.parse(value) ?? parse(value);
        if (url === null)
            throw invalid(value);
        this.#url = url;
        if (this.#params !== undefined)
            refill(this.#params, url.query ?? '');
    }

    get origin() { return whatwg.serializeURLOrigin(this.#url); }

    get protocol() { return `${this.#url.scheme}:`; }
    set protocol(value) { this.#set(`${value}:`, 'scheme start'); }

    get username() { return this.#url.username; }
    set username(value) {
        value = text(value);
        if (!whatwg.cannotHaveAUsernamePasswordPort(this.#url))
            whatwg.setTheUsername(this.#url, value);
    }

    get password() { return this.#url.password; }
    set password(value) {
        value = text(value);
        if (!whatwg.cannotHaveAUsernamePasswordPort(this.#url))
            whatwg.setThePassword(this.#url, value);
    }

    get host() {
        const { host, port } = this.#url;
        if (host === null)
            return '';
        return whatwg.serializeHost(host) + (port === null ? '' : `:${port}`);
    }
    set host(value) {
        value = text(value);
        if (!whatwg.hasAnOpaquePath(this.#url))
            this.#set(value, 'host');
    }

    get hostname() {
        const { host } = this.#url;
        return host === null ? '' : whatwg.serializeHost(host);
    }
    set hostname(value) {
        value = text(value);
        if (!whatwg.hasAnOpaquePath(this.#url))
            this.#set(value, 'hostname');
    }

    get port() { return `${this.#url.port ?? ''}`; }
    set port(value) {
        value = text(value);
        if (whatwg.cannotHaveAUsernamePasswordPort(this.#url))
            return;
        if (value === '')
            this.#url.port = null;
        else
            this.#set(value, 'port');
    }

    get pathname() { return whatwg.serializePath(this.#url); }
    set pathname(value) {
        value = text(value);
        if (whatwg.hasAnOpaquePath(this.#url))
            return;
        this.#url.path = [];
        this.#set(value, 'path start');
    }

    get search() {
        const { query } = this.#url;
        return query === null || query === '' ? '' : `?${query}`;
    }
    set search(value) {
        value = text(value);
        const query = value.startsWith('?') ? value.slice(1) : value;
        if (value === '') {
            this.#url.query = null;
        } else {
            this.#url.query = '';
            this.#set(query, 'query');
        }
        if (this.#params !== undefined)
            refill(this.#params, query);
    }

    get searchParams() {
        const url = this.#url;
        if (this.#params === undefined) {
            this.#params = new URLSearchParams();
            refill(this.#params, url.query ?? '');
            link(this.#params, (query) => {
                this.#url.query = query === '' ? null : query;
            });
        }
        return this.#params;
    }

    get hash() {
        const { fragment } = this.#url;
        return fragment === null || fragment === '' ? '' : `#${fragment}`;
    }
    set hash(value) {
        value = text(value);
        if (value === '') {
            this.#url.fragment = null;
            return;
        }
        this.#url.fragment = '';
        this.#set(value.startsWith('#') ? value.slice(1) : value, 'fragment');
    }

    toJSON() { return whatwg.serializeURL(this.#url); }

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
    }

    static isURL(value) {
        return typeof value === 'object' && value !== null && #url in value;
    }
}

const { isURL } = URL;
require('core/hooks').isURL = isURL;
delete URL.isURL;
for (const key of ['toString', 'href', 'origin', 'protocol', 'username',
    'password', 'host', 'hostname', 'port', 'pathname', 'search',
    'searchParams', 'hash', 'toJSON'])
    Object.defineProperty(URL.prototype, key, { enumerable: true });
for (const key of ['parse', 'canParse', 'createObjectURL', 'revokeObjectURL'])
    Object.defineProperty(URL, key, { enumerable: true });
Object.defineProperty(URL.prototype, custom, { enumerable: false });
Object.defineProperty(URL.prototype, Symbol.toStringTag,
    { value: 'URL', configurable: true });

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
    const url = parse('ws://x');
    return parse(name, { url, stateOverride: 'hostname' }) === null ? ''
        : whatwg.serializeHost(url.host);
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
    { isURL: { value: isURL }, parseRecord: { value: parseBoth } });
