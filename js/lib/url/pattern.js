// SPDX-License-Identifier: MIT
// pattern -- the class URLPattern of the URL Pattern Standard.
'use strict';

const encode = require('url/patternencode');
const { escapePattern, malformed, parseParts, sourceOf, stringOf } =
    require('url/patternsyntax');
const { parseString } = require('url/patternstring');
const { parseRecord } = require('url/url');
const { custom } = require('util/kinds');

// In the order of the standard, and in that of the dictionaries.
const names = ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search',
    'hash'];
const members = ['baseURL', ...names].sort();
const { isSpecial, ports } = encode;
const text = (value) => `${value}`.toWellFormed();

// ---- a component ----

const plain = { delimiter: '', prefix: '' };
const ofHostname = { delimiter: '.', prefix: '' };
const ofPathname = { delimiter: '/', prefix: '/' };

// Returns { pattern, names, hasRegExp, exec }.  exec(text) returns null, or an
// array with the groups from index 1.
function compile(input, encoder, options, ignoreCase = false) {
    const parts = parseParts(input, options, encoder);
    return { pattern: stringOf(parts, options), exec: matcher(parts, options, ignoreCase),
        names: parts.filter((part) => part.type !== 'text').map((part) => part.name),
        hasRegExp: parts.some((part) => part.type === 'regexp') };
}

function matcher(parts, options, ignoreCase) {
    const [first] = parts;
    const isSimple = parts.length === 1 && first.modifier === '' && first.prefix === '' &&
        first.suffix === '';
    if (isSimple && first.type === 'any')
        return (value) => [value, value]; // no component of a URL has a line end
    if (parts.length === 0 || (isSimple && first.type === 'text' && !ignoreCase)) {
        const wanted = parts.length === 0 ? '' : first.value;
        return (value) => value === wanted ? [value] : null;
    }
    let expression;
    try {
        expression = new RegExp(sourceOf(parts, options), ignoreCase ? 'vi' : 'v');
    } catch (error) {
        if (!(error instanceof SyntaxError))
            throw error;
        throw malformed(error.message);
    }
    return (value) => expression.exec(value);
}

const matchesSpecial = ({ exec }) => Object.keys(ports).some((scheme) => exec(scheme) !== null);
const compileProtocol = (pattern) => compile(pattern, encode.encodeProtocol, plain);

function compileAll(init, ignoreCase) {
    const { hostname } = init, all = {};
    all.protocol = compileProtocol(init.protocol);
    all.username = compile(init.username, encode.encodeUsername, plain);
    all.password = compile(init.password, encode.encodePassword, plain);
    all.hostname = compile(hostname, /^(?:\[.|\{\[|\\\[)/su.test(hostname)
        ? encode.encodeIPv6 : encode.encodeHostname, ofHostname);
    all.port = compile(init.port, encode.encodePort, plain);
    all.pathname = matchesSpecial(all.protocol)
        ? compile(init.pathname, encode.encodePathname, ofPathname, ignoreCase)
        : compile(init.pathname, encode.encodeOpaque, plain, ignoreCase);
    all.search = compile(init.search, encode.encodeSearch, plain, ignoreCase);
    all.hash = compile(init.hash, encode.encodeHash, plain, ignoreCase);
    return all;
}

// ---- a URLPatternInit ----

// The dictionary: what an object has of its members, as strings.
function readInit(object) {
    const init = {};
    for (const name of members) {
        const value = object == null ? undefined : object[name];
        if (value !== undefined)
            init[name] = text(value);
    }
    return init;
}

const isObject = (value) => typeof value === 'function' || typeof value === 'object';
const readInput = (value) => value == null || isObject(value) ? readInit(value) : text(value);

// Take from the base URL what the init has neither itself nor more specific.
function inherit(init, base, result, isPattern) {
    const keep = isPattern ? escapePattern : (value) => value;
    const lacks = (...keys) => keys.every((key) => init[key] === undefined);
    if (lacks('protocol'))
        result.protocol = keep(base.scheme);
    if (!isPattern && lacks('protocol', 'hostname', 'port', 'username')) {
        result.username = base.username;
        if (lacks('password'))
            result.password = base.password;
    }
    if (!lacks('protocol', 'hostname'))
        return;
    result.hostname = keep(base.hostname);
    if (!lacks('port'))
        return;
    result.port = base.port;
    if (!lacks('pathname'))
        return;
    result.pathname = keep(base.pathname);
    if (!lacks('search'))
        return;
    result.search = keep(base.query);
    if (lacks('hash'))
        result.hash = keep(base.fragment);
}

const isAbsolute = (path, isPattern) => isPattern ? /^(?:\/|[\\{]\/)/.test(path)
    : path.startsWith('/');

function resolve(path, base, isPattern) {
    if (base === null || base.isOpaque || isAbsolute(path, isPattern))
        return path;
    const from = base.pathname;
    const dir = isPattern ? escapePattern(from) : from;
    return dir.slice(0, dir.lastIndexOf('/') + 1) + path;
}

const unprefixed = (value, prefix) => value.startsWith(prefix) ? value.slice(1) : value;

// "Process a URLPatternInit": add to the result what the init says about each
// component.
function processInit(init, isPattern, result) {
    let base = null;
    if (init.baseURL !== undefined) {
        base = parseRecord(init.baseURL);
        if (base === null)
            throw malformed(`the base URL "${init.baseURL}"`);
        inherit(init, base, result, isPattern);
    }
    const take = (name, encoder, value = init[name]) => {
        if (value !== undefined)
            result[name] = isPattern ? value : encoder(value);
    };
    take('protocol', encode.encodeProtocol, init.protocol?.replace(/:$/, ''));
    take('username', encode.encodeUsername);
    take('password', encode.encodePassword);
    take('hostname', encode.encodeHostname);
    const scheme = result.protocol ?? '';
    take('port', (value) => encode.encodePort(value, scheme));
    if (init.pathname !== undefined)
        take('pathname', scheme === '' || isSpecial(scheme) ? encode.encodePathname
            : encode.encodeOpaque, resolve(init.pathname, base, isPattern));
    if (init.search !== undefined)
        take('search', encode.encodeSearch, unprefixed(init.search, '?'));
    if (init.hash !== undefined)
        take('hash', encode.encodeHash, unprefixed(init.hash, '#'));
    return result;
}

function create(input, baseURL, ignoreCase) {
    let init = input;
    if (typeof input === 'string') {
        init = parseString(input, (pattern) => matchesSpecial(compileProtocol(pattern)));
        if (baseURL !== undefined)
            init.baseURL = baseURL;
        else if (init.protocol === undefined)
            throw malformed(`"${input}" is relative, and there is no base URL`);
    } else if (baseURL !== undefined) {
        throw malformed('a base URL beside an object; make it the property baseURL');
    }
    const all = processInit(init, true, {});
    for (const name of names)
        all[name] ??= '*';
    if (isSpecial(all.protocol) && all.port.replace(/^0+(?=\d)/, '') === ports[all.protocol])
        all.port = '';
    return compileAll(all, ignoreCase);
}

// ---- matches ----

// The components of what is to be matched, or null.
function componentsOf(input, baseURL) {
    if (typeof input !== 'string') {
        try {
            return processInit(input, false, { protocol: '', username: '', password: '',
                hostname: '', port: '', pathname: '', search: '', hash: '' });
        } catch (error) {
            if (!(error instanceof TypeError))
                throw error;
            return null;
        }
    }
    const url = parseRecord(input, baseURL);
    return url === null ? null : { protocol: url.scheme, username: url.username,
        password: url.password, hostname: url.hostname, port: url.port,
        pathname: url.pathname, search: url.query, hash: url.fragment };
}

function resultOf(component, input, match) {
    const groups = {};
    for (const [i, name] of component.names.entries())
        Object.defineProperty(groups, name, { value: match[i + 1], writable: true,
            enumerable: true, configurable: true });
    return { groups, input };
}

class URLPattern {
    #components;

    constructor(input = {}, baseURL = undefined, options = undefined) {
        if (arguments.length < 3 && (baseURL == null || isObject(baseURL)))
            [baseURL, options] = [undefined, baseURL];
        else
            baseURL = text(baseURL);
        const given = readInput(input);
        if (options != null && !isObject(options))
            throw new TypeError('The options of a URLPattern must be an object');
        this.#components = create(given, baseURL, Boolean(options?.ignoreCase));
    }

    // Each component, what it has to match, and the match; or null.
    #match(input, baseURL) {
        const given = readInput(input);
        if (baseURL !== undefined) {
            baseURL = text(baseURL);
            if (typeof given !== 'string')
                throw new TypeError(
                    'A base URL beside an object; make it the property baseURL');
        }
        const values = componentsOf(given, baseURL);
        if (values === null)
            return null;
        const matches = {};
        for (const name of names) {
            matches[name] = this.#components[name].exec(values[name]);
            if (matches[name] === null)
                return null;
        }
        return { inputs: baseURL === undefined ? [given] : [given, baseURL], values, matches };
    }

    test(input = {}, baseURL = undefined) {
        return this.#match(input, baseURL) !== null;
    }

    exec(input = {}, baseURL = undefined) {
        const found = this.#match(input, baseURL);
        if (found === null)
            return null;
        const { inputs, values, matches } = found, result = {};
        for (const name of [...names, 'inputs'].sort())
            result[name] = name === 'inputs' ? inputs
                : resultOf(this.#components[name], values[name], matches[name]);
        return result;
    }

    get hasRegExpGroups() {
        return names.some((name) => this.#components[name].hasRegExp);
    }

    get protocol() { return this.#components.protocol.pattern; }
    get username() { return this.#components.username.pattern; }
    get password() { return this.#components.password.pattern; }
    get hostname() { return this.#components.hostname.pattern; }
    get port() { return this.#components.port.pattern; }
    get pathname() { return this.#components.pathname.pattern; }
    get search() { return this.#components.search.pattern; }
    get hash() { return this.#components.hash.pattern; }

    [custom](depth, options, inspect = require('util/inspect').inspect) {
        if (depth < 0)
            return this;
        const shown = {};
        for (const name of names)
            shown[name] = this[name];
        return `${this.constructor.name} ${inspect(shown, options)}`;
    }
}
for (const name of ['test', 'exec', 'hasRegExpGroups', ...names])
    Object.defineProperty(URLPattern.prototype, name, { enumerable: true });
Object.defineProperty(URLPattern.prototype, Symbol.toStringTag,
    { value: 'URLPattern', configurable: true });

module.exports = { URLPattern };
