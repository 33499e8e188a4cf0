// SPDX-License-Identifier: MIT
// readablestate -- the record of a ReadableStream and of its reader: closing,
// failing, cancelling, and the requests of those who read.
//
// A stream's controller has pullSteps(request), cancelSteps(reason),
// releaseSteps() and take(), which is called while hasChunk() is true.  A request
// has chunk(value), close(value) and error(reason).
'use strict';

const { List, fulfill, fulfilled, handled, invalidState, newPromise, nothing, pending,
    reject, rejected, transform } = require('web/base');

const DEFAULT = 0, BYOB = 1; // readers

class Readable {
    object = null; // the ReadableStream
    state = 'readable';
    reader = null;
    storedError = undefined;
    isDisturbed = false;
    controller = null;
}

class Reader {
    constructor(stream, kind) {
        this.stream = stream;
        this.kind = kind;
        this.requests = new List();
        this.closed = null; // made when it is asked for
        this.resolve = this.reject = null; // while `closed` is pending
        stream.reader = this;
    }
}

function lock(stream, kind) {
    if (stream.reader !== null)
        throw invalidState('ReadableStream is locked');
    return new Reader(stream, kind);
}

// ---- the promise `closed` ----

function closedOf(reader) {
    if (reader.closed !== null)
        return reader.closed;
    const { stream } = reader;
    if (stream === null) {
        reader.closed = handled(rejected(invalidState('Reader released')));
    } else if (stream.state === 'readable') {
        const { promise, resolve, reject } = newPromise();
        Object.assign(reader, { closed: promise, resolve, reject });
    } else {
        reader.closed = stream.state === 'closed' ? fulfilled(undefined)
            : handled(rejected(stream.storedError));
    }
    return reader.closed;
}

function resolveClosed(reader) {
    reader.resolve?.(undefined);
    reader.resolve = reader.reject = null;
}

function rejectClosed(reader, reason) {
    if (reader.reject !== null) {
        reader.reject(reason);
        handled(reader.closed);
        reader.resolve = reader.reject = null;
    }
}

// ---- the ends of a stream ----

function endRequests(reader, method, value) {
    const { requests } = reader;
    reader.requests = new List();
    while (requests.length > 0)
        requests.shift()[method](value);
}

function closeStream(stream) {
    stream.state = 'closed';
    const { reader } = stream;
    if (reader === null)
        return;
    resolveClosed(reader);
    if (reader.kind === DEFAULT && reader.requests.length > 0)
        endRequests(reader, 'close', undefined);
}

function errorStream(stream, reason) {
    stream.state = 'errored';
    stream.storedError = reason;
    const { reader } = stream;
    if (reader === null)
        return;
    rejectClosed(reader, reason);
    if (reader.requests.length > 0)
        endRequests(reader, 'error', reason);
}

function cancelStream(stream, reason) {
    stream.isDisturbed = true;
    if (stream.state === 'closed')
        return fulfilled(undefined);
    if (stream.state === 'errored')
        return rejected(stream.storedError);
    closeStream(stream);
    const { reader } = stream;
    if (reader !== null && reader.kind === BYOB)
        endRequests(reader, 'close', undefined);
    return transform(stream.controller.cancelSteps(reason), nothing);
}

// ---- reading ----

const hasRequests = ({ reader }) => reader !== null && reader.requests.length > 0;
const hasDefaultReader = ({ reader }) => reader !== null && reader.kind === DEFAULT;
const hasByobReader = ({ reader }) => reader !== null && reader.kind === BYOB;

// Give a chunk to the first who waits.
function fulfillRequest({ reader }, chunk, isDone) {
    const request = reader.requests.shift();
    if (isDone)
        request.close(chunk);
    else
        request.chunk(chunk);
}

// Pass the next chunk, the end or the error to the request.
function read(stream, request) {
    stream.isDisturbed = true;
    if (stream.state === 'closed')
        request.close(undefined);
    else if (stream.state === 'errored')
        request.error(stream.storedError);
    else
        stream.controller.pullSteps(request);
}

// A request whose answer is a promise.
class PromisedRead {
    constructor() {
        this.promise = pending();
        this.next = null;
    }
    chunk(value) { fulfill(this.promise, { value, done: false }); }
    close(value) { fulfill(this.promise, { value, done: true }); }
    error(reason) { reject(this.promise, reason); }
}

function readPromise(stream) {
    const request = new PromisedRead();
    if (stream.state === 'readable') {
        stream.isDisturbed = true;
        stream.controller.pullSteps(request);
    } else {
        read(stream, request);
    }
    return request.promise;
}

// ---- releasing ----

function detach(reader) {
    const { stream } = reader;
    if (reader.reject !== null)
        rejectClosed(reader, invalidState('Reader released'));
    else
        reader.closed = null;
    stream.controller.releaseSteps();
    stream.reader = null;
    reader.stream = null;
}

function release(reader) {
    detach(reader);
    if (reader.requests.length > 0)
        endRequests(reader, 'error', invalidState('Releasing reader'));
}

module.exports = { BYOB, DEFAULT, PromisedRead, Readable, cancelStream, closeStream,
    closedOf, errorStream, fulfillRequest, hasByobReader, hasDefaultReader, hasRequests,
    lock, read, readPromise, release };
