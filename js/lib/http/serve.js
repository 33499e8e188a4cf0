// SPDX-License-Identifier: MIT
// weir:http -- serve(): an HTTP server that calls fetch(request, context), and
// that drains without losing a request.
'use strict';

const { coded, invalidArgType, outOfRange } = require('core/errors');
const { Response } = require('http/classes');
const exchange = require('http/answer');
const traced = require('http/traced');

const { open, listen, address, drain, setRef, counts, holders, setHooks } = native;
const { apply } = Reflect;

// ---- errors ----

function report(error) {
    require('program/process').stderr.write(
        `weir: an error in fetch: ${require('util/inspect').inspect(error)}\n`);
}

// Answer 500, or what `error` returns.
function failed(context, error, handle) {
    if (handle === undefined) {
        report(error);
        exchange.refuse(context, 500);
        return;
    }
    let response;
    try {
        response = handle(error);
    } catch (another) {
        failed(context, another);
        return;
    }
    if (response === undefined)
        exchange.refuse(context, 500);
    else
        later(context, response, undefined);
}

function answer(context, response, handle) {
    try {
        exchange.answer(context, response);
    } catch (error) {
        failed(context, error, handle);
    }
}

// A promise of a Response, or something like one.
async function later(context, promise, handle) {
    let response;
    try {
        response = await promise;
    } catch (error) {
        failed(context, error, handle);
        return;
    }
    answer(context, response, handle);
}

setHooks([(context, promise, handle) => { later(context, promise, handle); }, failed]);

// ---- the context of a request ----

const drains = new WeakMap(); // context -> AbortSignal
const proto = exchange.contextPrototype;

const members = {
    // Aborts when the client has left.
    get signal() { return exchange.requestOf(this).signal; },
    // Aborts when the server begins to drain: end a long response then.
    get draining() {
        let signal = drains.get(this);
        if (signal === undefined) {
            const { AbortController } = require('events/abort');
            const controller = new AbortController();
            exchange.onDrain(this, () => controller.abort(
                new DOMException('The server is draining', 'AbortError')));
            signal = controller.signal;
            drains.set(this, signal);
        }
        return signal;
    },
    get remoteAddress() { return exchange.peer(this)?.replace(/:\d+$/, '')
        .replace(/^\[(.*)\]$/, '$1'); },
    get remotePort() {
        const port = /:(\d+)$/.exec(exchange.peer(this) ?? '')?.[1];
        return port === undefined ? undefined : +port;
    },
    // Answer by opening a WebSocket: {socket, response}.
    upgrade(options) {
        return require('http/websocket').upgradeWebSocket(exchange.requestOf(this), options);
    },
    // Answer with a file below a directory; return what it returns.
    serveFile(root) {
        if (typeof root !== 'string')
            throw invalidArgType('root', 'of type string', root);
        exchange.serveFile(this, root);
        return new Response(null);
    },
};
for (const name of Object.keys(members))
    Object.defineProperty(proto, name, Object.getOwnPropertyDescriptor(members, name));
Object.defineProperty(proto, Symbol.toStringTag, { value: 'Context', configurable: true });

// ---- options ----

const LIMITS = ['maxHeaderSize', 'maxTargetSize', 'maxHeaders', 'maxConnections',
    'maxConnectionsPerAddress', 'maxRequestsPerConnection'];
const TIMES = ['headerTimeout', 'requestTimeout', 'keepAliveTimeout', 'writeTimeout'];
const DRAIN = ['delay', 'deadline', 'idle', 'linger'];

function checkNumber(value, name, most) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!(value >= 0 && value <= most))
        throw outOfRange(name, `>= 0 && <= ${most}`, value);
    return value;
}

// Milliseconds for C, where 0 means the default, and a negative value no limit.
function readTime(value, name) {
    checkNumber(value, name, Infinity);
    return value === Infinity ? -1 : Math.max(1, Math.ceil(value));
}

function toPem(value, name) {
    if (typeof value === 'string')
        return require('bytes/encodings').encode(value);
    if (ArrayBuffer.isView(value))
        return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    throw invalidArgType(name, 'of type string or an instance of Buffer or Uint8Array', value);
}

function readTls(tls, to) {
    if (tls === null || typeof tls !== 'object')
        throw invalidArgType('options.tls', 'of type object', tls);
    to.cert = toPem(tls.cert, 'options.tls.cert');
    to.key = toPem(tls.key, 'options.tls.key');
    if (tls.ca !== undefined)
        to.ca = toPem(tls.ca, 'options.tls.ca');
    if (tls.requestCert)
        to.clients = tls.rejectUnauthorized === false ? 1 : 2;
}

function readOptions(options) {
    const to = { __proto__: null, health: options.health ? 1 : 0,
        allowHalfOpen: options.allowHalfOpen ? 1 : 0 };
    for (const name of LIMITS)
        if (options[name] !== undefined)
            to[name] = checkNumber(options[name], `options.${name}`, 2 ** 31 - 1);
    if (options.maxBodySize !== undefined)
        to.maxBodySize = readTime(options.maxBodySize, 'options.maxBodySize');
    for (const name of TIMES)
        if (options[name] !== undefined)
            to[name] = readTime(options[name], `options.${name}`);
    for (const name of DRAIN)
        if (options.drain?.[name] !== undefined)
            to[`drain${name[0].toUpperCase()}${name.slice(1)}`] =
                readTime(options.drain[name], `options.drain.${name}`);
    if (options.tls !== undefined)
        readTls(options.tls, to);
    return to;
}

function checkOptions(options) {
    if (options === null || typeof options !== 'object')
        throw invalidArgType('options', 'of type object', options);
    if (options.static === undefined && typeof options.fetch !== 'function')
        throw invalidArgType('options.fetch', 'of type function', options.fetch);
    if (options.static !== undefined && typeof options.static !== 'string')
        throw invalidArgType('options.static', 'of type string', options.static);
    if (options.signal != null &&
        !(options.signal instanceof require('events/abort').AbortSignal))
        throw invalidArgType('options.signal', 'an instance of AbortSignal', options.signal);
    if (options.error !== undefined && typeof options.error !== 'function')
        throw invalidArgType('options.error', 'of type function', options.error);
}

async function addressOf({ port = 8080, hostname = '0.0.0.0', path }) {
    if (path !== undefined) {
        if (typeof path !== 'string' || path === '')
            throw invalidArgType('options.path', 'a non-empty string', path);
        return /^[/@]/.test(path) ? path : `./${path}`;
    }
    const number = checkNumber(port, 'options.port', 65535);
    if (typeof hostname !== 'string')
        throw invalidArgType('options.hostname', 'of type string', hostname);
    const host = hostname === 'localhost' ? '127.0.0.1'
        : hostname.replace(/^\[(.*)\]$/, '$1');
    return host.includes(':') ? `[${host}]:${number}` : `${host}:${number}`;
}

// The function that C calls.
function handlerOf(options) {
    const { error, static: root } = options;
    let { fetch } = options;
    if (root !== undefined && fetch === undefined)
        fetch = (request, context) => context.serveFile(root);
    if (traced !== null)
        fetch = traced.wrapFetch(fetch);
    if (error === undefined)
        return fetch;
    const handle = (thrown) => apply(error, options, [thrown]);
    return (request, context) => {
        try {
            const result = apply(fetch, options, [request, context]);
            if (result instanceof Response)
                return result;
            later(context, result, handle);
        } catch (thrown) {
            failed(context, thrown, handle);
        }
        return new Promise(() => {}); // it is answered here
    };
}

// ---- servers ----

const kFill = Symbol('fill');
const DEADLINE_MS = 10_000; // of the C server

class Server {
    #native;
    #draining;
    #finished = Promise.withResolvers();
    #host;
    #port;
    #scheme;
    #participant = { signals: ['SIGTERM', 'SIGINT'], rank: 0,
        phase: () => this.#report !== undefined ? 'over'
            : this.draining.aborted ? 'draining' : 'running',
        stop: () => this.#stop() };
    #report;

    constructor(kind) {
        if (kind !== kFill)
            throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
        const { AbortController } = require('events/abort');
        this.#draining = new AbortController();
    }

    [kFill](options, place) {
        const given = readOptions(options);
        this.#native = open(given, handlerOf(options), options, (status) => this.#end(status));
        try {
            listen(this.#native, place, { reusePort: options.reusePort ? 1 : 0,
                ipv6Only: options.ipv6Only ? 1 : 0, mode: options.mode ?? 0,
                backlog: options.backlog ?? 0 });
        } catch (error) {
            drain(this.#native, 0);
            throw error;
        }
        [this.#host, this.#port] = address(this.#native);
        this.#scheme = options.tls ? 'https' : 'http';
        this.#participant.deadline = options.drain?.deadline ?? DEADLINE_MS;
        if (options.signals !== false)
            require('program/term').join(this.#participant);
        this.#follow(options.signal);
    }

    #follow(signal) {
        if (signal == null)
            return;
        if (signal.aborted)
            this.drain();
        else
            signal.addEventListener('abort', () => this.drain(), { once: true });
    }

    #end(status) {
        const forced = status !== 0;
        this.#begin();
        this.#report = { forced, ...counts(this.#native) };
        require('program/term').leave(this.#participant);
        this.#finished.resolve(this.#report);
    }

    #begin() {
        if (!this.#draining.signal.aborted)
            this.#draining.abort(new DOMException('The server is draining', 'AbortError'));
    }

    // After a signal.  Resolves to whether nothing was cut off.
    async #stop() {
        const { cut } = await this.drain();
        const { threadName } = require('program/term');
        if (cut > 0)
            require('program/process').stderr.write(`weir: ${threadName()}serve ` +
                `${this.url ?? this.path}: cut off at the deadline: ${cut}\n`);
        return cut === 0;
    }

    get hostname() { return this.#port === 0 ? undefined : this.#host; }
    get port() { return this.#port === 0 ? undefined : this.#port; }
    get path() { return this.#port === 0 ? this.#host : undefined; }
    get url() {
        if (this.#port === 0)
            return undefined;
        const host = this.#host === '0.0.0.0' || this.#host === '::' ? 'localhost' : this.#host;
        const { URL } = require('url/url');
        return new URL(`${this.#scheme}://${host.includes(':') ? `[${host}]` : host}:` +
            `${this.#port}/`);
    }

    // An AbortSignal.
    get draining() { return this.#draining.signal; }
    // Resolves to the report of the drain.
    get finished() { return this.#finished.promise; }

    // Answer what has arrived, then end.  What is left at the deadline is cut off.
    drain({ deadline } = {}) {
        const time = deadline === undefined ? -1
            : checkNumber(deadline, 'deadline', Infinity);
        this.#begin();
        drain(this.#native, time === Infinity ? 2 ** 53 : Math.ceil(time));
        return this.finished;
    }

    // End at once.
    close() { return this.drain({ deadline: 0 }); }

    // The connections, the busy ones first.
    report() {
        return { ...counts(this.#native), holders: holders(this.#native) };
    }

    ref() {
        setRef(this.#native, true);
        return this;
    }

    unref() {
        setRef(this.#native, false);
        return this;
    }

    async [Symbol.asyncDispose]() { await this.drain(); }

    get [Symbol.toStringTag]() { return 'Server'; }
}

async function serve(options) {
    if (typeof options === 'function')
        options = { fetch: options };
    checkOptions(options);
    const place = await addressOf(options);
    const server = new Server(kFill);
    server[kFill](options, place);
    return server;
}

module.exports = { serve, Server,
    upgradeWebSocket: (request, options) =>
        require('http/websocket').upgradeWebSocket(request, options) };
Object.defineProperty(module.exports, 'hooks', { value: { report } });
