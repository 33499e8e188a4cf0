// SPDX-License-Identifier: MIT
// trace -- spans of OpenTelemetry, and the trace context of W3C that connects
// them.
//
// A span is an object of the thread that has begun it.  The one that is active is
// in an AsyncLocalStorage, so asynchronous work that it starts inherits it.  When
// a span ends, it becomes JSON, which C copies to the queue of the exporter
// (weir/net/otlp.h); nothing here knows about collectors.
//
// Whether a trace is recorded is decided where it begins, and passed on in
// `traceparent`.  A span that is not recorded exists all the same: its ids are
// passed on.
//
// Queries are left out of all attributes: they may hold secrets.
'use strict';

const process = require('program/process');
const exchange = require('http/answer');
const { AsyncLocalStorage } = require('events/async_hooks');
const { performance } = require('timers/performance');

const { apply } = Reflect;
const INTERNAL = 1, SERVER = 2, CLIENT = 3; // SpanKind
const ERROR = 2; // StatusCode
const SAMPLED = 1, KNOWS_REMOTE = 0x100, IS_REMOTE = 0x200; // of flags
const MOST_ATTRIBUTES = 128, MOST_EVENTS = 128, LONGEST_STATE = 8192;
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE',
    'PATCH']);

const kSpan = Symbol('span');
const storage = new AsyncLocalStorage();
let id, wall, add, errorName; // of C

// ---- values ----

// What a program gives to a span must not break what it does.
function textOf(value) {
    try {
        return String(value).toWellFormed();
    } catch {
        return apply(Object.prototype.toString, value, []).toWellFormed();
    }
}

function toValue(value, depth = 0) {
    switch (typeof value) {
    case 'boolean':
        return { boolValue: value };
    case 'number':
        return Number.isSafeInteger(value) ? { intValue: `${value}` }
            : { doubleValue: Number.isFinite(value) ? value : `${value}` };
    case 'bigint':
        return BigInt.asIntN(64, value) === value ? { intValue: `${value}` }
            : { stringValue: `${value}` };
    case 'string':
        return { stringValue: value.toWellFormed() };
    default:
        return Array.isArray(value) && depth === 0
            ? { arrayValue: { values: Array.from(value, (one) => toValue(one, 1)) } }
            : { stringValue: textOf(value) };
    }
}

const toAttributes = (map) =>
    [...map].map(([key, value]) => ({ key: key.toWellFormed(), value: toValue(value) }));

// Whole microseconds as nanoseconds, which a number would not hold.
const toNanoseconds = (microseconds) => `${Math.round(microseconds)}000`;

// ---- who decides ----

// The 56 bits that W3C wants to be random.
const isBelow = (ratio) => (traceId) =>
    parseInt(traceId.slice(-14), 16) >= (1 - ratio) * 2 ** 56;

function readRatio(text) {
    const ratio = text === undefined ? 1 : Number(text);
    if (ratio >= 0 && ratio <= 1)
        return ratio;
    process.emitWarning(`OTEL_TRACES_SAMPLER_ARG is not between 0 and 1: ${text}`);
    return 1;
}

// (parent, traceId) -> whether to record
function makeSampler({ OTEL_TRACES_SAMPLER: given, OTEL_TRACES_SAMPLER_ARG: arg }) {
    const name = given || 'parentbased_always_on';
    const [, follows, rule] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ??
        [];
    if (rule === undefined)
        process.emitWarning(`OTEL_TRACES_SAMPLER is unknown: ${name}`);
    const decide = rule === 'always_off' ? () => false
        : rule === 'traceidratio' ? isBelow(readRatio(arg)) : () => true;
    return (parent, traceId) => parent !== undefined && (follows || rule === undefined)
        ? parent.isSampled : decide(traceId);
}

let isSampledFor;

// ---- the context of W3C ----

// The span of another process, or undefined.
function parseContext(text, state) {
    const found = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text);
    if (found === null)
        return undefined;
    const [, version, traceId, spanId, flags, rest] = found;
    if (version === 'ff' || (version === '00' && rest !== undefined) ||
        /^0+$/.test(traceId) || /^0+$/.test(spanId))
        return undefined;
    return { traceId, spanId, isSampled: (parseInt(flags, 16) & SAMPLED) !== 0, isRemote: true,
        state: state && state.length <= LONGEST_STATE ? state : '' };
}

const formatContext = (span) => `00-${span.traceId}-${span.spanId}-${span.isRecording ? '01' : '00'}`;

// ---- spans ----

class Span {
    #kind;
    #parent;
    #began = wall();
    #clock = performance.now();
    #attributes = new Map();
    #events = [];
    #error; // the message, if it has failed
    #hasEnded = false;

    constructor(name, kind, parent) {
        this.name = name;
        this.#kind = kind;
        this.#parent = parent;
        this.traceId = parent?.traceId ?? id(16);
        this.spanId = id(8);
        this.state = parent?.state ?? '';
        this.isRecording = isSampledFor(parent, this.traceId);
        for (const key of ['traceId', 'spanId', 'isRecording'])
            Object.defineProperty(this, key, { writable: false, configurable: false });
        Object.defineProperty(this, 'state', { writable: false, enumerable: false });
    }

    // What a child takes over.
    get isSampled() { return this.isRecording; }

    get #now() { return this.#began + (performance.now() - this.#clock) * 1000; }

    setAttribute(key, value) {
        if (this.isRecording && !this.#hasEnded && value !== undefined && value !== null &&
            (this.#attributes.size < MOST_ATTRIBUTES || this.#attributes.has(key)))
            this.#attributes.set(String(key), value);
        return this;
    }

    getAttribute(key) { return this.#attributes.get(key); }

    // The span has failed, by an exception.
    recordError(error) {
        if (!this.isRecording || this.#hasEnded)
            return this;
        const isError = error instanceof Error;
        const type = isError ? textOf(error.code ?? error.name) : typeof error;
        const message = textOf(isError ? error.message : error);
        this.fail(type, message);
        if (this.#events.length < MOST_EVENTS)
            this.#events.push({ name: 'exception', timeUnixNano: toNanoseconds(this.#now),
                attributes: toAttributes(new Map([
                    ['exception.type', isError ? textOf(error.name) : typeof error],
                    ['exception.message', message],
                    ...isError ? [['exception.stacktrace', textOf(error.stack)]] : []])) });
        return this;
    }

    // The span has failed.  The first reason stays.
    fail(type, message = '') {
        if (this.#error !== undefined)
            return;
        this.setAttribute('error.type', type);
        this.#error = message;
    }

    end() {
        if (this.#hasEnded)
            return;
        const ended = this.#now;
        this.#hasEnded = true;
        if (this.isRecording)
            add(JSON.stringify(this.#toJson(ended)));
    }

    #toJson(ended) {
        const parent = this.#parent;
        return { traceId: this.traceId, spanId: this.spanId,
            ...this.state ? { traceState: this.state.toWellFormed() } : {},
            ...parent ? { parentSpanId: parent.spanId } : {},
            flags: SAMPLED | KNOWS_REMOTE | (parent?.isRemote ? IS_REMOTE : 0),
            name: textOf(this.name), kind: this.#kind,
            startTimeUnixNano: toNanoseconds(this.#began),
            endTimeUnixNano: toNanoseconds(Math.max(ended, this.#began)),
            attributes: toAttributes(this.#attributes), events: this.#events,
            status: this.#error === undefined ? {}
                : { code: ERROR, ...this.#error ? { message: this.#error.toWellFormed() } : {} } };
    }
}
Object.defineProperty(Span.prototype, Symbol.toStringTag, { value: 'Span', configurable: true });

const activeSpan = () => storage.getStore();

// Call fn(span) in a new span, which ends when fn has returned, or when the promise
// that it returned is settled.
function span(name, attributes, fn) {
    const made = new Span(name, INTERNAL, activeSpan());
    for (const key of Object.keys(attributes))
        made.setAttribute(key, attributes[key]);
    const failed = (error) => {
        made.recordError(error);
        made.end();
        throw error;
    };
    let result;
    try {
        result = storage.run(made, fn, made);
    } catch (error) {
        return failed(error);
    }
    if (typeof result?.then === 'function')
        return Promise.resolve(result).then((value) => {
            made.end();
            return value;
        }, failed);
    made.end();
    return result;
}

// ---- HTTP, by the semantic conventions ----

const isKnown = (method) => METHODS.has(method);

function setMethod(made, method) {
    made.setAttribute('http.request.method', isKnown(method) ? method : '_OTHER');
    if (!isKnown(method))
        made.setAttribute('http.request.method_original', method);
}

const nameOf = (method) => isKnown(method) ? method : 'HTTP';

// A host and an optional port, such as "[::1]:80".
function setServer(made, authority, scheme) {
    const [, address, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(authority) ?? [];
    if (!address)
        return;
    made.setAttribute('server.address', address.replace(/^\[(.*)\]$/, '$1'));
    made.setAttribute('server.port', port ? +port : scheme === 'https' ? 443 : 80);
}

const withoutQuery = (target) => /^[^?#]*/.exec(target)[0];

function beginServer(method, headers, target, scheme) {
    const made = new Span(nameOf(method), SERVER,
        parseContext(headers('traceparent'), headers('tracestate')));
    if (!made.isRecording)
        return made;
    setMethod(made, method);
    made.setAttribute('url.path', withoutQuery(target));
    made.setAttribute('url.scheme', scheme);
    setServer(made, headers('host') ?? '', scheme);
    made.setAttribute('user_agent.original', headers('user-agent') ?? undefined);
    return made;
}

function setPeer(made, address, port) {
    made.setAttribute('client.address', address);
    made.setAttribute('network.peer.address', address);
    made.setAttribute('network.peer.port', port);
}

// The response has left, or never will: `reason` is an error of weir.
function endServer(made, status, reason) {
    const route = made.getAttribute('http.route');
    if (route !== undefined && isKnown(made.name))
        made.name = `${made.name} ${route}`;
    if (status !== 0)
        made.setAttribute('http.response.status_code', status);
    if (status >= 500)
        made.fail(`${status}`);
    if (reason !== 0)
        made.fail(errorName(reason));
    made.end();
}

// The function of serve().
function wrapFetch(fetch) {
    return function (request, context) {
        const { headers, method } = request, url = /^([a-z]+):\/\/[^/?#]*(.*)$/s.exec(request.url);
        const made = beginServer(method, (name) => headers.get(name), url?.[2] || '/',
            url?.[1] ?? 'http');
        const end = (reason) => endServer(made, exchange.status(context), reason);
        if (made.isRecording)
            setPeer(made, context.remoteAddress, context.remotePort);
        const ended = exchange.onTraced(context, end);
        if (ended !== undefined)
            end(ended);
        try {
            const result = storage.run(made, () => apply(fetch, this, [request, context]));
            if (result instanceof Promise)
                result.then(undefined, (error) => { made.recordError(error); });
            return result;
        } catch (error) {
            made.recordError(error);
            throw error;
        }
    };
}

// A request of node:http, which `handle` emits.
function serveNode(server, req, res, handle) {
    const { headers, method } = req;
    const made = beginServer(method, (name) => headers[name], req.url,
        server._isSecure ? 'https' : 'http');
    if (made.isRecording) {
        made.setAttribute('network.protocol.version', req.httpVersion);
        setPeer(made, req.socket?.remoteAddress, req.socket?.remotePort);
    }
    res[kSpan] = made;
    res._events ??= { __proto__: null }; // so that C tells of its end
    try {
        storage.run(made, handle, server, req, res);
    } catch (error) {
        made.recordError(error);
        throw error;
    }
}

function endNode(res, reason) {
    const made = res[kSpan];
    if (made !== undefined)
        endServer(made, res._header ? res.statusCode : 0, reason);
}

// ---- requests that the program makes ----

function beginClient(method, scheme, authority, target) {
    const made = new Span(nameOf(method), CLIENT, activeSpan());
    if (!made.isRecording)
        return made;
    setMethod(made, method);
    made.setAttribute('url.full', `${scheme}://${authority}${withoutQuery(target)}`);
    setServer(made, authority, scheme);
    return made;
}

function endClient(made, status) {
    made.setAttribute('http.response.status_code', status);
    if (status >= 400)
        made.fail(`${status}`);
    made.end();
}

function failClient(made, error) {
    made.recordError(error?.cause instanceof Error ? error.cause : error);
    made.end();
}

// fetch(), with the function that begins a request.
function fetchWith(given, begin) {
    const { Headers } = require('http/classes');
    const [, scheme, authority, target] =
        /^([a-z]+):\/\/([^/?#]*)(.*)$/s.exec(given.url);
    const made = beginClient(given.method, scheme, authority, target || '/');
    const headers = new Headers(given.headers ?? undefined);
    if (!headers.has('traceparent')) {
        headers.set('traceparent', formatContext(made));
        if (made.state)
            headers.set('tracestate', made.state);
    }
    return begin({ ...given, headers }).then((response) => {
        endClient(made, response.status);
        return response;
    }, (error) => {
        failClient(made, error);
        throw error;
    });
}

// A request of node:http that is being made, whose headers are not yet set.
function beginNode(req, options) {
    const { headers = {} } = options, scheme = req.protocol.replace(/:$/, '');
    const made = beginClient(req.method, scheme, `${req.host.includes(':') ? `[${req.host}]`
        : req.host}:${options.port}`, req.path);
    const more = { traceparent: formatContext(made) };
    const names = Array.isArray(headers) ? headers.flat().filter((_, i) => i % 2 === 0)
        : Object.keys(headers ?? {});
    req[kSpan] = made;
    if (names.some((name) => String(name).toLowerCase() === 'traceparent'))
        return;
    if (made.state)
        more.tracestate = made.state;
    options.headers = !Array.isArray(headers) ? { ...headers, ...more }
        : [...headers, ...Array.isArray(headers[0]) ? Object.entries(more)
            : Object.entries(more).flat()];
}

const answerNode = (req, status) => {
    if (req[kSpan] !== undefined)
        endClient(req[kSpan], status);
};

const failNode = (req, error) => {
    if (req[kSpan] !== undefined)
        failClient(req[kSpan], error ?? new Error('aborted'));
};

// ---- start ----

function start(native) {
    ({ id, wall, add, errorName } = native);
    isSampledFor = makeSampler(process.env);
    return { span, activeSpan, wrapFetch, serveNode, endNode, fetchWith, beginNode, answerNode,
        failNode, flush: native.flush };
}

module.exports = { start };
