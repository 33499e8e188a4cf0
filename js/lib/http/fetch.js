// SPDX-License-Identifier: MIT
// fetch -- fetch() of the Fetch standard, on the client in C.
'use strict';

const { Headers, Request, Response, hooks } = require('http/classes');
const body = require('http/body');
const { coded } = require('core/errors');
const { URL } = require('url/url');
const traced = require('http/traced');

const { start, abort, write, finish, setHooks } = native;
const streams = () => require('web/streams').hooks;

// ---- errors ----

setHooks([(code, text, hasResponse) => new TypeError(
    hasResponse ? 'terminated' : 'fetch failed', { cause: coded(Error, code, text) })]);

// ---- schemes without a network ----

function fetchData({ href }) {
    const match = /^data:([^,]*?)(;\s*base64)?,(.*)$/si.exec(href.replace(/#.*$/s, ''));
    if (match === null)
        throw new TypeError('fetch failed', { cause: new Error('invalid data: URL') });
    const { Buffer } = require('bytes/buffer');
    const raw = match[3].replace(/%([0-9a-f]{2})/gi, (all, hex) =>
        String.fromCharCode(parseInt(hex, 16)));
    const bytes = Buffer.from(raw, match[2] ? 'base64' : 'latin1');
    const type = match[1].startsWith(';') ? `text/plain${match[1]}` : match[1];
    const response = hooks.makeResponse(200, 'OK',
        new Headers({ 'Content-Type': type || 'text/plain;charset=US-ASCII' }),
        { type: 2, url: href, immutable: true });
    hooks.setBody(response, new Uint8Array(bytes));
    return response;
}

function fetchBlob({ href }) {
    const blob = require('web/blob').resolveObjectURL(href);
    if (blob === undefined)
        throw new TypeError('fetch failed', { cause: new Error('no such blob') });
    const response = hooks.makeResponse(200, 'OK', new Headers({
        'Content-Length': `${blob.size}`, 'Content-Type': blob.type }),
    { type: 2, url: href, immutable: true });
    hooks.setBody(response, blob);
    return response;
}

// ---- the network ----

// Write a stream as the body of a request.
function send(fetch, stream) {
    let isOver = false;
    streams().consume(stream, {
        write(chunk) {
            if (!ArrayBuffer.isView(chunk))
                throw new TypeError('Received non-Uint8Array chunk');
            return write(fetch, chunk);
        },
        end() {
            isOver = true;
            finish(fetch);
        },
        fail(error) {
            if (!isOver)
                abort(fetch, error);
            isOver = true;
        },
    });
    return (reason) => {
        if (!isOver)
            streams().stop(stream, reason);
        isOver = true;
    };
}

function refuseRedirect(response) {
    if (response.status >= 300 && response.status < 400 && response.headers.has('location'))
        throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    return response;
}

function encode(given) {
    return typeof given === 'string' ? require('bytes/encodings').encode(given) : given;
}

// start(), which refuses some headers.
function open(...args) {
    try {
        return start(...args);
    } catch (cause) {
        throw new TypeError('fetch failed', { cause });
    }
}

// Start a request whose body is null, a string, bytes or a stream.
function begin(given) {
    return traced === null ? beginPlainly(given) : traced.fetchWith(given, beginPlainly);
}

function beginPlainly({ method, url, headers, payload, redirect, signal }) {
    const isStream = payload !== null && typeof payload === 'object' &&
        streams().isReadable(payload);
    return new Promise((resolve, reject) => {
        let stop, answer, isStarted = false;
        const onWritable = isStream ? () => {
            if (isStarted)
                streams().resume(payload);
            else {
                isStarted = true;
                stop = send(fetch, payload);
            }
        } : undefined;
        const fetch = open(method, url, headers, isStream ? null : encode(payload),
            redirect === 'follow', onWritable, signal === null ? resolve : (response) => {
                answer = new WeakRef(response); // the signal may live longer
                resolve(response);
            }, reject);
        signal?.addEventListener('abort', () => {
            stop?.(signal.reason);
            abort(fetch, signal.reason);
            const response = answer?.deref();
            if (response !== undefined)
                body.fail(response, signal.reason);
        }, { once: true });
    });
}

function withRequest(request) {
    const { url, signal } = request;
    if (signal.aborted)
        throw signal.reason;
    const parsed = new URL(url);
    if (parsed.protocol === 'data:')
        return Promise.resolve(fetchData(parsed));
    if (parsed.protocol === 'blob:')
        return Promise.resolve(fetchBlob(parsed));
    checkScheme(parsed);
    const { redirect } = request;
    const answer = begin({ method: request.method, url: withoutFragment(parsed),
        headers: request.headers, payload: body.take(request), redirect, signal });
    return redirect === 'error' ? answer.then(refuseRedirect) : answer;
}

const withoutFragment = (url) => url.hash === '' ? url.href : url.href.slice(0, -url.hash.length);

function checkScheme({ protocol }) {
    if (protocol !== 'http:' && protocol !== 'https:')
        throw new TypeError('fetch failed', { cause: new Error('unknown scheme') });
}

function fetch(input, init = undefined) {
    try {
        if (arguments.length === 0)
            throw new TypeError('fetch: 1 argument required, but 0 found.');
        if (init === undefined && typeof input === 'string' && input.startsWith('http')) {
            const url = new URL(input);
            if (url.username === '' && url.password === '' && url.protocol.startsWith('http'))
                return begin({ method: 'GET', url: withoutFragment(url), headers: null,
                    payload: null, redirect: 'follow', signal: null });
        }
        return withRequest(new Request(input, init));
    } catch (error) {
        return Promise.reject(error);
    }
}

module.exports = { fetch };
