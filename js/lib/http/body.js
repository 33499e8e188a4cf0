// SPDX-License-Identifier: MIT
// body -- bodies of requests and responses, as far as streams are concerned.
//
// js/http/body.c has the rest, and calls the functions of `setHooks`.
'use strict';

const exchange = require('http/answer');

const { TEXT, BYTES, STREAM, setHooks, form, start, pause, resume, cancel } = native;
const streams = () => require('web/streams').hooks;
const FORM_BYTES = 3;

const encode = (text) => require('bytes/encodings').encode(text);

// ---- making ----

const toBytes = (chunk) => typeof chunk === 'string' ? encode(chunk)
    : chunk instanceof ArrayBuffer ? new Uint8Array(chunk)
        : ArrayBuffer.isView(chunk) ? new Uint8Array(chunk.buffer, chunk.byteOffset,
            chunk.byteLength) : undefined;

// A source of what a program yields.
class Yielding {
    #iterable;
    #iterator;

    constructor(iterable) {
        this.#iterable = iterable;
    }

    async pull(stream) {
        try {
            this.#iterator ??= this.#iterable[Symbol.asyncIterator]();
            for (let wantsMore = true; wantsMore;) {
                const { value, done } = await this.#iterator.next();
                if (done) {
                    streams().end(stream);
                    return;
                }
                const bytes = toBytes(value);
                if (bytes === undefined)
                    throw new TypeError('Received non-Uint8Array chunk');
                if (bytes.byteLength > 0)
                    wantsMore = streams().push(stream, bytes.slice());
            }
        } catch (error) {
            streams().fail(stream, error);
        }
    }

    async cancel(reason) {
        await this.#iterator?.return?.(reason);
    }
}

const iterables = new WeakMap(); // the stream of a Yielding -> what it iterates

const isBlob = (value) => require('web/blob').hooks.isBlob(value);
const isForm = (value) => require('web/formdata').hooks.isFormData(value);

// (value) -> [kind, value, type]
function extract(value) {
    if (typeof value !== 'object' && typeof value !== 'function')
        return [TEXT, `${value}`];
    if (ArrayBuffer.isView(value))
        return [BYTES, toBytes(value).slice()];
    if (streams().isReadable(value)) {
        if (streams().isDisturbed(value) || streams().isLocked(value))
            throw new TypeError('Response body object should not be disturbed or locked');
        return [STREAM, value];
    }
    if (value instanceof require('url/url').URLSearchParams)
        return [TEXT, value.toString(), 'application/x-www-form-urlencoded;charset=UTF-8'];
    if (typeof value[Symbol.asyncIterator] === 'function') {
        const stream = streams().openReadable(new Yielding(value));
        iterables.set(stream, value);
        return [STREAM, stream];
    }
    if (isBlob(value))
        return [STREAM, value.stream(), require('web/blob').hooks.typeOf(value) || undefined];
    if (isForm(value)) {
        const { type, body } = require('web/formdata').hooks.encode(value);
        return [STREAM, body.stream(), type];
    }
    return [TEXT, `${value}`];
}

// ---- reading ----

const departures = new WeakSet(); // errors of peers that have left

// A source for the stream of a message whose body arrives from the network.
class Incoming {
    #message;
    #hasBegun = false;
    #isPaused = false;

    constructor(message) {
        this.#message = message;
    }

    pull(stream) {
        if (!this.#hasBegun)
            this.#begin(stream);
        else if (this.#isPaused) {
            this.#isPaused = false;
            resume(this.#message);
        }
    }

    #begin(stream) {
        this.#hasBegun = true;
        start(this.#message, (status, value) => {
            if (status === 1)
                streams().end(stream);
            else if (status !== 0) {
                departures.add(value);
                streams().fail(stream, value);
            }
            else if (!streams().push(stream, value) && !this.#isPaused) {
                this.#isPaused = true;
                pause(this.#message);
            }
        });
    }

    cancel() {
        if (!this.#hasBegun)
            start(this.#message, () => {});
        cancel(this.#message);
    }
}

const incoming = new WeakMap(); // a message whose body arrives -> its stream

// Fail the stream of a message, if there is one, even if nobody reads.
function fail(message, error) {
    const stream = incoming.get(message);
    if (stream !== undefined)
        streams().fail(stream, error);
}

// (message, value, isUsed) -> stream
function make(message, value, isUsed) {
    const stream = value === undefined
        ? streams().openReadable(new Incoming(message))
        : streams().fromBytes(typeof value === 'string' ? encode(value) : value.slice());
    if (value === undefined)
        incoming.set(message, stream);
    if (isUsed && value !== undefined)
        streams().bytesOf(stream);
    else if (isUsed)
        stream.getReader(); // text() and the like have the source
    return stream;
}

// (stream, form) -> promise
async function consume(stream, wanted) {
    if (streams().isLocked(stream))
        throw new TypeError('Body is unusable: Body has already been read');
    const bytes = await streams().bytesOf(stream);
    return wanted === FORM_BYTES ? bytes : form(bytes, wanted);
}

// ---- sending ----

function failed(of, error) {
    exchange.abort(of);
    if (typeof error !== 'object' || error === null || !departures.has(error))
        require('http/serve').hooks.report(error);
}

// Nobody wants what an iterator yields, nor why it cannot end.
async function giveUp(iterator) {
    try {
        await iterator.return?.();
    } catch {
        // The client has left.
    }
}

// Write what a program yields, without a stream.
async function sendIterable(of, iterable) {
    let isOver = false, wake;
    exchange.onWritable(of, () => wake?.());
    try {
        const iterator = iterable[Symbol.asyncIterator]();
        exchange.onSent(of, () => {
            wake?.();
            if (!isOver)
                giveUp(iterator);
            isOver = true;
        });
        for (;;) {
            const { value, done } = await iterator.next();
            if (done || isOver)
                break;
            const bytes = toBytes(value);
            if (bytes === undefined)
                throw new TypeError('Received non-Uint8Array chunk');
            if (bytes.byteLength > 0 && !exchange.write(of, bytes))
                await new Promise((resolve) => { wake = resolve; });
        }
        if (!isOver)
            exchange.finish(of);
    } catch (error) {
        if (!isOver)
            failed(of, error);
    }
    isOver = true;
}

const clientLeft = () => require('core/errors').coded(Error, 'ECONNRESET',
    'The client has left');

// Cancel the stream of a response whose body nobody receives.
function discard(stream, hasLeft) {
    stream.cancel(hasLeft ? clientLeft() : undefined).catch(() => {});
}

// Write a stream as the body of the response of an exchange.
function send(of, stream) {
    const iterable = iterables.get(stream);
    if (iterable !== undefined && !streams().isDisturbed(stream) && !streams().isLocked(stream)) {
        stream.getReader(); // nobody else reads it
        sendIterable(of, iterable);
        return;
    }
    let isOver = false;
    exchange.onWritable(of, () => {
        if (!isOver)
            streams().resume(stream);
    });
    exchange.onSent(of, () => {
        if (isOver)
            return;
        isOver = true;
        streams().stop(stream, clientLeft());
    });
    streams().consume(stream, {
        write(chunk) {
            const bytes = toBytes(chunk);
            if (bytes === undefined)
                throw new TypeError('Received non-Uint8Array chunk');
            return exchange.write(of, bytes);
        },
        end() {
            isOver = true;
            exchange.finish(of);
        },
        fail(error) {
            if (isOver)
                return;
            isOver = true;
            failed(of, error);
        },
    });
}

setHooks([extract, consume, make, (stream) => streams().isDisturbed(stream), send,
    (stream) => streams().isLocked(stream), discard]);

module.exports = Object.assign(native, { fail });
