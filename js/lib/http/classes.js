// SPDX-License-Identifier: MIT
// classes -- Request and Response of the Fetch standard.  What is hot is in C
// (js/http); this adds the rest.
'use strict';

const { Headers, setImmutable } = require('http/headers');
const { reveal } = require('events/eventtarget');
const { custom } = require('util/kinds');
const body = require('http/body');
const exchange = require('http/answer');

const { Response, adoptRequest, isRequest, isResponse, makeRequest, makeResponse,
    copyResponse, setBody, extraOf, setHooks } = native;
const ERROR = 1;

function parse(url, base) {
    const { URL } = require('url/url');
    try {
        return new URL(url, base);
    } catch (cause) {
        throw new TypeError(`Failed to parse URL from ${url}`, { cause });
    }
}

const contentType = (message) => message.headers.get('content-type');

// ---- what both have ----

const mixin = {
    async blob() {
        const bytes = await Reflect.apply(Response.prototype.arrayBuffer, this, []);
        const { Blob } = require('web/blob');
        return new Blob([bytes], { type: contentType(this) ?? '' });
    },
    async formData() {
        const bytes = await Reflect.apply(Response.prototype.bytes, this, []);
        return require('web/formdata').hooks.parse(bytes, contentType(this) ?? '');
    },
};

function define(proto, members) {
    for (const name of Object.keys(members))
        Object.defineProperty(proto, name, { ...Object.getOwnPropertyDescriptor(members, name),
            enumerable: true });
}

// Give a message that was cloned the same body.
function cloneBody(from, to) {
    const simple = body.peek(from);
    if (simple === null)
        return to;
    if (simple !== undefined) {
        setBody(to, simple);
        return to;
    }
    const [mine, other] = require('web/streams').hooks.tee(from.body);
    body.replace(from, mine);
    body.replace(to, other);
    return to;
}

function checkUnused(message, name) {
    if (message.bodyUsed || (body.peek(message) === undefined &&
        require('web/streams').hooks.isLocked(message.body)))
        throw new TypeError(`${name}.clone: Body has already been consumed.`);
}

// ---- Response ----

define(Response.prototype, { ...mixin,
    clone() {
        if (!isResponse(this))
            throw new TypeError('Illegal invocation');
        checkUnused(this, 'Response');
        return cloneBody(this, copyResponse(this));
    },
});

define(Response, {
    error: () => makeResponse(0, '', null, { type: ERROR, immutable: true }),
    redirect(url, status = 302) {
        if (arguments.length === 0)
            throw new TypeError('Response.redirect: 1 argument required, but 0 found.');
        const { href } = parse(`${url}`);
        const code = Number(status) & 0xffff;
        if (![301, 302, 303, 307, 308].includes(code))
            throw new RangeError(`Invalid status code ${code}`);
        return makeResponse(code, '', new Headers({ location: href }), { immutable: true });
    },
});
Object.defineProperty(Response, 'json', { enumerable: true });
reveal(Response, 'type', 'url', 'redirected', 'status', 'ok', 'statusText', 'headers', 'body',
    'bodyUsed', 'arrayBuffer', 'text', 'json', 'bytes');

// ---- Request ----

const MODES = ['navigate', 'same-origin', 'no-cors', 'cors'];
const CREDENTIALS = ['omit', 'same-origin', 'include'];
const CACHES = ['default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached'];
const REDIRECTS = ['follow', 'manual', 'error'];
const POLICIES = ['', 'no-referrer', 'no-referrer-when-downgrade', 'same-origin', 'origin',
    'strict-origin', 'origin-when-cross-origin', 'strict-origin-when-cross-origin', 'unsafe-url'];
const TOKEN = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;

const defaults = { __proto__: null, destination: '', referrer: 'about:client',
    referrerPolicy: '', mode: 'cors', credentials: 'same-origin', cache: 'default',
    redirect: 'follow', integrity: '', keepalive: false };

function choose(init, name, list) {
    const value = init[name];
    if (value === undefined)
        return undefined;
    const text = `${value}`;
    if (!list.includes(text))
        throw new TypeError(`Request constructor: ${text} is not an accepted type. ` +
            `Expected one of ${list.join(', ')}.`);
    return text;
}

function readMethod(given) {
    const method = `${given}`;
    if (!TOKEN.test(method))
        throw new TypeError(`'${method}' is not a valid HTTP method.`);
    const upper = method.toUpperCase();
    if (upper === 'CONNECT' || upper === 'TRACE' || upper === 'TRACK')
        throw new TypeError(`'${method}' HTTP method is unsupported.`);
    return ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'].includes(upper)
        ? upper : method;
}

function readReferrer(init) {
    if (init.referrer === undefined)
        return undefined;
    const text = `${init.referrer}`;
    if (text === '')
        return 'no-referrer';
    const url = parse(text);
    return url.href;
}

function readExtra(init, before) {
    const extra = { ...defaults, ...before };
    const given = { mode: choose(init, 'mode', MODES),
        credentials: choose(init, 'credentials', CREDENTIALS),
        cache: choose(init, 'cache', CACHES), redirect: choose(init, 'redirect', REDIRECTS),
        referrerPolicy: choose(init, 'referrerPolicy', POLICIES),
        referrer: readReferrer(init),
        integrity: init.integrity === undefined ? undefined : `${init.integrity}`,
        keepalive: init.keepalive === undefined ? undefined : !!init.keepalive };
    if (given.mode === 'navigate')
        throw new TypeError('Request constructor: invalid request mode navigate.');
    for (const key of Object.keys(given))
        if (given[key] !== undefined)
            extra[key] = given[key];
    if (extra.cache === 'only-if-cached' && extra.mode !== 'same-origin')
        throw new TypeError("'only-if-cached' can be set only with 'same-origin' mode");
    return extra;
}

function readSignal(init, input) {
    const { AbortSignal, AbortController } = require('events/abort');
    const given = init.signal === undefined ? isRequest(input) ? input.signal : null
        : init.signal;
    if (given === null)
        return new AbortController().signal;
    if (!(given instanceof AbortSignal))
        throw new TypeError("Failed to construct 'Request': member signal is not of type " +
            'AbortSignal.');
    return AbortSignal.any([given]);
}

function readUrl(input) {
    if (isRequest(input))
        return input.url;
    const url = parse(`${input}`);
    if (url.username !== '' || url.password !== '')
        throw new TypeError('Request cannot be constructed from a URL that includes ' +
            `credentials: ${input}`);
    return url.href;
}

// The body of the input moves to the new request.
function moveBody(input, request) {
    if (input.bodyUsed)
        throw new TypeError('Cannot construct a Request with a Request object that has ' +
            'already been used.');
    const taken = body.take(input);
    if (taken === null)
        return;
    if (typeof taken === 'object' && require('web/streams').hooks.isReadable(taken)) {
        const { TransformStream } = require('web/streams');
        body.replace(request, taken.pipeThrough(new TransformStream()));
    } else
        setBody(request, taken);
}

function giveBody(request, init, method) {
    const probe = new Response(init.body, { headers: request.headers });
    const stream = body.peek(probe) === undefined;
    if (stream && init.duplex == null && require('web/streams').hooks.isReadable(init.body))
        throw new TypeError('RequestInit: duplex option is required when sending a body.');
    const type = contentType(probe);
    if (type !== null && !request.headers.has('content-type'))
        request.headers.append('Content-Type', type);
    if (stream)
        body.replace(request, probe.body);
    else
        setBody(request, body.peek(probe));
}

class Request {
    constructor(input, init = {}) {
        if (arguments.length === 0)
            throw new TypeError('Request constructor: 1 argument required, but 0 found.');
        if (init === null)
            init = {};
        if (typeof init !== 'object' && typeof init !== 'function')
            throw new TypeError('Request constructor: init is not an object');
        const url = readUrl(input);
        const isCopy = isRequest(input);
        const extra = readExtra(init, isCopy ? extraOf(input) : undefined);
        const method = init.method !== undefined ? readMethod(init.method)
            : isCopy ? input.method : 'GET';
        const signal = readSignal(init, input);
        const headers = new Headers(init.headers ?? (isCopy ? input.headers : undefined));
        const hasBody = init.body != null;
        if ((method === 'GET' || method === 'HEAD') &&
            (hasBody || (isCopy && init.method !== undefined && input.body !== null)))
            throw new TypeError('Request with GET/HEAD method cannot have body.');
        extra.duplex = 'half';
        const request = makeRequest(new.target.prototype, method, url, headers, signal, extra);
        if (hasBody)
            giveBody(request, init, method);
        else if (isCopy && init.body === undefined)
            moveBody(input, request);
        return request;
    }
}

const requestPrototype = Request.prototype;
adoptRequest(requestPrototype);
define(requestPrototype, { ...mixin,
    get destination() { return extraOf(this)?.destination ?? ''; },
    get referrer() {
        const referrer = extraOf(this)?.referrer ?? 'about:client';
        return referrer === 'no-referrer' ? '' : referrer;
    },
    get referrerPolicy() { return (extraOf(this) ?? defaults).referrerPolicy; },
    get mode() { return (extraOf(this) ?? defaults).mode; },
    get credentials() { return (extraOf(this) ?? defaults).credentials; },
    get cache() { return (extraOf(this) ?? defaults).cache; },
    get redirect() { return (extraOf(this) ?? defaults).redirect; },
    get integrity() { return (extraOf(this) ?? defaults).integrity; },
    get keepalive() { return (extraOf(this) ?? defaults).keepalive; },
    get isReloadNavigation() { extraOf(this); return false; },
    get isHistoryNavigation() { extraOf(this); return false; },
    get duplex() { extraOf(this); return 'half'; },
    clone() {
        if (!isRequest(this))
            throw new TypeError('Illegal invocation');
        checkUnused(this, 'Request');
        const { AbortSignal } = require('events/abort');
        return cloneBody(this, makeRequest(requestPrototype, this.method, this.url,
            new Headers(this.headers), AbortSignal.any([this.signal]),
            { ...defaults, ...extraOf(this) }));
    },
});
reveal(Request, 'method', 'url', 'headers', 'signal', 'body', 'bodyUsed', 'arrayBuffer', 'text',
    'json', 'bytes');

// ---- for requests of a server ----

// The URL of a request whose target or host has to be normalised.
function urlOf(base, target) {
    const { URL } = require('url/url');
    try {
        return new URL(/^[a-z][a-z0-9+.-]*:/i.test(target) ? target
            : base + (target.startsWith('/') ? target : `/${target}`)).href;
    } catch {
        return `http://localhost${target.startsWith('/') ? target : '/'}`;
    }
}

// It aborts when the client leaves, or when the drain's deadline is over.
function signalOf(request) {
    const { AbortController } = require('events/abort');
    const controller = new AbortController();
    const end = (status) => {
        if (status !== 0)
            controller.abort(new DOMException('The client has left', 'AbortError'));
    };
    const ended = exchange.onEnd(request, end);
    if (ended !== undefined)
        end(ended);
    return controller.signal;
}
setHooks([urlOf, signalOf]);

// ---- how they are shown ----

const shown = (proto, names, isOne) => Object.defineProperty(proto, custom, {
    value(depth, options, inspect) {
        if (!isOne(this))
            return inspect({}, options);
        if (depth < 0)
            return `[${this.constructor.name}]`;
        const fields = {};
        for (const name of names)
            fields[name] = this[name];
        return `${this.constructor.name} ${inspect(fields, { ...options,
            depth: options.depth == null ? options.depth : options.depth - 1 })}`;
    }, writable: true, configurable: true });
shown(Response.prototype, ['status', 'statusText', 'headers', 'body', 'bodyUsed', 'ok',
    'redirected', 'type', 'url'], isResponse);
shown(requestPrototype, ['method', 'url', 'headers', 'destination', 'referrer', 'referrerPolicy',
    'mode', 'credentials', 'cache', 'redirect', 'integrity', 'keepalive', 'isReloadNavigation',
    'isHistoryNavigation', 'signal'], isRequest);

module.exports = { Headers, Request, Response };
Object.defineProperty(module.exports, 'hooks',
    { value: { isRequest, isResponse, makeResponse, setBody, setImmutable, extraOf } });
