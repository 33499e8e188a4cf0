// SPDX-License-Identifier: MIT
// eventsource -- EventSource of the HTML Standard (9.2, Server-sent events), on
// fetch().
'use strict';

const { Event, EventTarget, defineHandler, fire, reveal } = require('events/eventtarget');
const { fetch } = require('http/fetch');
const { Headers } = require('http/classes');
const { URL } = require('url/url');

const CONNECTING = 0, OPEN = 1, CLOSED = 2;
const RETRY_MS = 3000, MAX_RETRY_MS = 2 ** 31 - 1; // of a timer
const ACCEPT = 'text/event-stream';
const SCHEMES = ['http:', 'https:', 'data:', 'blob:'];

// Reads an event stream.  onEvent(type, data) is called for each event, and the id
// and the delay before the next connection are in `id` and `retry`.
class Reader {
    rest = '';
    scanned = 0; // of `rest`, without the end of a line
    afterReturn = false;
    type = '';
    data = [];

    constructor(id, retry, onEvent) {
        this.id = this.idBuffer = id;
        this.retry = retry;
        this.onEvent = onEvent;
    }

    read(text) {
        if (text === '')
            return;
        if (this.afterReturn && text.startsWith('\n')) // the rest of CR LF
            text = text.slice(1);
        this.afterReturn = false;
        const all = this.rest + text, end = /\r\n?|\n/g;
        let start = 0;
        end.lastIndex = this.scanned;
        for (let found = end.exec(all); found !== null; found = end.exec(all)) {
            this.afterReturn = found[0] === '\r' && end.lastIndex === all.length;
            this.line(all.slice(start, found.index));
            start = end.lastIndex;
        }
        this.rest = all.slice(start);
        this.scanned = this.rest.length;
    }

    line(line) {
        if (line === '') {
            this.dispatch();
            return;
        }
        const colon = line.indexOf(':');
        if (colon === 0) // a comment
            return;
        const name = colon < 0 ? line : line.slice(0, colon);
        let value = colon < 0 ? '' : line.slice(colon + 1);
        if (value.startsWith(' '))
            value = value.slice(1);
        if (name === 'data')
            this.data.push(value);
        else if (name === 'event')
            this.type = value;
        else if (name === 'id' && !value.includes('\0'))
            this.idBuffer = value;
        else if (name === 'retry' && /^[0-9]+$/.test(value))
            this.retry = Math.min(Number(value), MAX_RETRY_MS);
    }

    dispatch() {
        this.id = this.idBuffer;
        const { type, data } = this;
        this.type = '';
        this.data = [];
        if (data.length > 0)
            this.onEvent(type === '' ? 'message' : type, data.join('\n'));
    }
}

class EventSource extends EventTarget {
    #url;
    #withCredentials;
    #state = CONNECTING;
    #id = '';
    #retry = RETRY_MS;
    #controller = null;
    #timer = null;

    constructor(url, init = undefined) {
        if (arguments.length === 0)
            throw new TypeError('EventSource constructor: 1 argument required, but 0 found.');
        super();
        const text = `${url}`;
        if (init != null && typeof init !== 'object' && typeof init !== 'function')
            throw new TypeError('EventSource constructor: the second argument is not an object.');
        this.#withCredentials = Boolean(init?.withCredentials);
        try {
            this.#url = new URL(text);
        } catch {
            throw new DOMException(`Invalid URL: ${text}`, 'SyntaxError');
        }
        this.#connect();
    }

    get url() { return this.#url.href; }
    get withCredentials() { return this.#withCredentials; }
    get readyState() { return this.#state; }

    close() {
        this.#state = CLOSED;
        this.#controller?.abort();
        clearTimeout(this.#timer);
    }

    async #connect() {
        if (!SCHEMES.includes(this.#url.protocol)) { // trying again is futile
            await undefined;
            this.#fail();
            return;
        }
        this.#controller = new AbortController();
        try {
            const response = await this.#request();
            if (this.#state === CLOSED)
                return;
            if (response.status !== 200 || !isEventStream(response.headers)) {
                this.#fail();
                return;
            }
            await this.#receive(response);
        } catch {
            // A connection that fails is made again, like one that ends.
        }
        this.#reconnect();
    }

    #request() {
        const url = new URL(this.#url.href);
        const headers = new Headers({ 'Accept': ACCEPT, 'Cache-Control': 'no-cache',
            'Pragma': 'no-cache' });
        if (this.#id !== '')
            headers.set('Last-Event-ID', bytesOf(this.#id));
        if (url.username !== '' || url.password !== '') {
            headers.set('Authorization', `Basic ${credentialsOf(url)}`);
            url.username = url.password = '';
        }
        return fetch(url.href, { headers, signal: this.#controller.signal, cache: 'no-store',
            credentials: this.#withCredentials ? 'include' : 'same-origin' });
    }

    async #receive(response) {
        const { MessageEvent } = require('messages/messaging');
        const { TextDecoder } = require('bytes/encoding');
        const { origin } = new URL(response.url);
        const decoder = new TextDecoder(), body = response.body?.getReader();
        const reader = new Reader(this.#id, this.#retry, (type, data) => {
            if (this.#state !== CLOSED)
                fire(this, new MessageEvent(type, { data, origin, lastEventId: reader.id }));
        });
        this.#state = OPEN;
        fire(this, new Event('open'));
        while (this.#state === OPEN && body !== undefined) {
            const { value, done } = await body.read();
            if (done)
                break;
            reader.read(decoder.decode(value, { stream: true }));
            this.#id = reader.id;
            this.#retry = reader.retry;
        }
    }

    #fail() {
        if (this.#state === CLOSED)
            return;
        this.close();
        fire(this, new Event('error'));
    }

    #reconnect() {
        if (this.#state === CLOSED)
            return;
        this.#state = CONNECTING;
        fire(this, new Event('error'));
        if (this.#state === CONNECTING)
            this.#timer = setTimeout(() => this.#connect(), this.#retry);
    }
}
const { setTimeout, clearTimeout } = require('timers/timers');
const { AbortController } = require('events/abort');

// The value of a header has a byte in each character.
const bytesOf = (text) => require('bytes/buffer').Buffer.from(text).latin1Slice();
const credentialsOf = ({ username, password }) => require('bytes/buffer').Buffer.from(
    `${username}:${password}`.replace(/%([0-9a-f]{2})/gi, (all, hex) =>
        String.fromCharCode(parseInt(hex, 16))), 'latin1').toString('base64');
const isEventStream = (headers) =>
    /^[\t ]*text\/event-stream[\t ]*(?:;|$)/i.test(headers.get('content-type') ?? '');

for (const [name, value] of Object.entries({ CONNECTING, OPEN, CLOSED }))
    for (const object of [EventSource, EventSource.prototype])
        Object.defineProperty(object, name, { value, enumerable: true });
for (const name of ['open', 'message', 'error'])
    defineHandler(EventSource.prototype, name);
reveal(EventSource, 'url', 'withCredentials', 'readyState', 'close');

module.exports = { EventSource };
