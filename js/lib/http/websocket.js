// SPDX-License-Identifier: MIT
// websocket -- the class WebSocket of the WebSockets standard, for clients and,
// by upgradeWebSocket(), for servers.
'use strict';

const { Event, EventTarget, defineHandler, fire, reveal } = require('events/eventtarget');
const { ErrorEvent } = require('events/errorevent');
const { hooks } = require('http/classes');

const { upgrade, connect, send, close, queued, extensions } = native;
const OPENED = 0, FAILED = 1, MESSAGE = 2, CLOSED_NOW = 3;
const CONNECTING = 0, OPEN = 1, CLOSING = 2, CLOSED = 3;
const TOKEN = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;

class CloseEvent extends Event {
    #code;
    #reason;
    #wasClean;
    constructor(type, init = undefined) {
        if (arguments.length === 0)
            throw new TypeError('CloseEvent constructor: 1 argument required, but 0 found.');
        super(type, init);
        this.#code = init?.code & 0xffff;
        this.#reason = init?.reason === undefined ? '' : `${init.reason}`;
        this.#wasClean = Boolean(init?.wasClean);
    }
    get wasClean() { return this.#wasClean; }
    get code() { return this.#code; }
    get reason() { return this.#reason; }
}
reveal(CloseEvent, 'wasClean', 'code', 'reason');

const syntaxError = (text) => new DOMException(text, 'SyntaxError');

function readUrl(given) {
    const { URL } = require('url/url');
    let url;
    try {
        url = new URL(given);
    } catch {
        throw syntaxError(`Invalid URL: ${given}`);
    }
    if (url.protocol === 'http:' || url.protocol === 'https:')
        url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
    if (url.protocol !== 'ws:' && url.protocol !== 'wss:')
        throw syntaxError(`Expected a ws: or wss: protocol, got ${url.protocol}`);
    if (url.hash !== '' || url.href.endsWith('#'))
        throw syntaxError('Got fragment');
    return url.href;
}

function readProtocols(given) {
    const list = typeof given === 'string' ? [given]
        : given == null ? [] : [...given].map(String);
    if (new Set(list.map((one) => one.toLowerCase())).size !== list.length ||
        !list.every((one) => TOKEN.test(one)))
        throw syntaxError('Invalid Sec-WebSocket-Protocol value');
    return list.join(', ');
}

const kAccept = Symbol('accept');

class WebSocket extends EventTarget {
    #handle = null;
    #state = CONNECTING;
    #url = '';
    #protocol = '';
    #binaryType = 'blob';

    constructor(url, protocols = []) {
        super();
        if (arguments.length === 0)
            throw new TypeError('WebSocket constructor: 1 argument required, but 0 found.');
        if (url === kAccept)
            return;
        const options = typeof protocols === 'object' && protocols !== null &&
            !Array.isArray(protocols) && typeof protocols[Symbol.iterator] !== 'function'
            ? protocols : { protocols };
        this.#url = readUrl(`${url}`);
        this.#handle = connect(this.#url, readProtocols(options.protocols),
            (event, first, second, third) => this.#on(event, first, second, third));
    }

    #on(event, first, second, third) {
        if (event === OPENED) {
            this.#protocol = first;
            if (this.#state === CONNECTING)
                this.#open();
        } else if (event === MESSAGE)
            this.#receive(first);
        else if (event === FAILED) {
            this.#state = CLOSED;
            fire(this, new ErrorEvent('error', { message: first, error: new Error(first) }));
        } else if (event === CLOSED_NOW) {
            this.#state = CLOSED;
            fire(this, new CloseEvent('close', { code: first, reason: second, wasClean: third }));
        }
    }

    #open() {
        this.#state = OPEN;
        fire(this, new Event('open'));
    }

    #receive(data) {
        if (this.#state !== OPEN)
            return;
        const { MessageEvent } = require('messages/messaging');
        const shown = typeof data === 'string' || this.#binaryType === 'arraybuffer' ? data
            : new (require('web/blob').Blob)([data]);
        fire(this, new MessageEvent('message', { data: shown, origin: this.#url }));
    }

    static {
        // The server's side of a request.
        WebSocket[kAccept] = (request, protocol, isDeflated) => {
            const socket = new WebSocket(kAccept);
            socket.#handle = upgrade(request, protocol, (event, first, second, third) =>
                socket.#on(event, first, second, third), isDeflated);
            if (socket.#handle === null)
                return null;
            socket.#url = request.url.replace(/^http/, 'ws');
            socket.#protocol = protocol ?? '';
            queueMicrotask(() => {
                if (socket.#state === CONNECTING)
                    socket.#open();
            });
            return socket;
        };
    }

    get url() { return this.#url; }
    get readyState() { return this.#state; }
    get bufferedAmount() { return this.#handle === null ? 0 : queued(this.#handle); }
    get extensions() { return this.#handle === null ? '' : extensions(this.#handle); }
    get protocol() { return this.#protocol; }
    get binaryType() { return this.#binaryType; }
    set binaryType(type) {
        if (type === 'blob' || type === 'arraybuffer')
            this.#binaryType = type;
    }

    send(data) {
        if (arguments.length === 0)
            throw new TypeError('WebSocket.send: 1 argument required, but 0 found.');
        if (this.#state === CONNECTING)
            throw new DOMException('Sent before connected.', 'InvalidStateError');
        if (this.#state !== OPEN)
            return;
        if (ArrayBuffer.isView(data))
            send(this.#handle, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
        else if (data instanceof ArrayBuffer)
            send(this.#handle, data);
        else if (typeof data === 'object' && data !== null &&
            require('web/blob').hooks.isBlob(data))
            data.arrayBuffer().then((bytes) => this.#state === OPEN && send(this.#handle, bytes));
        else
            send(this.#handle, `${data}`);
    }

    close(code = undefined, reason = '') {
        if (code !== undefined) {
            code = Math.min(65535, Math.max(0, Math.round(Number(code)) || 0));
            if (code !== 1000 && (code < 3000 || code > 4999))
                throw new DOMException('invalid code', 'InvalidAccessError');
        }
        const text = `${reason}`;
        if (require('bytes/encodings').encode(text).length > 123)
            throw syntaxError('Reason must be less than 123 bytes');
        if (this.#state >= CLOSING)
            return;
        this.#state = CLOSING;
        if (this.#handle !== null)
            close(this.#handle, code ?? 0, code === undefined ? '' : text);
    }
}
for (const [name, value] of Object.entries({ CONNECTING, OPEN, CLOSING, CLOSED }))
    for (const object of [WebSocket, WebSocket.prototype])
        Object.defineProperty(object, name, { value, enumerable: true });
for (const name of ['open', 'error', 'close', 'message'])
    defineHandler(WebSocket.prototype, name);
reveal(WebSocket, 'url', 'readyState', 'bufferedAmount', 'extensions', 'protocol',
    'binaryType', 'send', 'close');

const accept = WebSocket[kAccept];
delete WebSocket[kAccept];

// Answer a request by opening a WebSocket.  Return the response from fetch.
function upgradeWebSocket(request, { protocol, perMessageDeflate = false } = {}) {
    if (!hooks.isRequest(request))
        throw new TypeError('upgradeWebSocket: the first argument is not a Request');
    const socket = accept(request, protocol === undefined ? null : `${protocol}`,
        Boolean(perMessageDeflate));
    if (socket === null)
        throw new TypeError('The request does not ask for a WebSocket');
    return { socket, response: hooks.makeResponse(101, 'Switching Protocols', null, {}) };
}

module.exports = { WebSocket, CloseEvent, upgradeWebSocket };
