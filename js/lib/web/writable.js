// SPDX-License-Identifier: MIT
// writable -- WritableStream: its record, its controller, and the class.
//
// A request, of a write or a close, has resolve(value) and reject(reason).
'use strict';

const { List, PENDING, attempt, checkSize, checkStrategy, fulfilled, functionOf, handled,
    highWaterMarkOf, illegalConstructor, invalidState, invalidValue, invoke, isObject,
    later, newPromise, react, rejected, resolvedWith, reveal, show, sizeOf, wrongThis } =
    require('web/base');
const { invalidArgType } = require('core/errors');

class Writable {
    object = null;
    state = 'writable';
    storedError = undefined;
    writer = null;
    controller = null;
    requests = new List();
    writing = null; // the requests that the sink works on
    closing = null;
    closeRequest = null;
    aborting = null; // {promise, resolve, reject, reason, wasErroring}
    hasBackpressure = false;
}

class Writer {
    constructor(stream) {
        this.stream = stream;
        this.closed = this.ready = null; // made when they are asked for
        this.onReady = null; // for pipes
        stream.writer = this;
    }
}

function lockWritable(stream) {
    if (stream.writer !== null)
        throw invalidState('WritableStream is locked');
    return new Writer(stream);
}

const isClosing = (stream) => stream.closeRequest !== null || stream.closing !== null;
const isOver = ({ state }) => state === 'closed' || state === 'errored';

// ---- the writer's promises: {promise, resolve, reject}, the latter while pending ----

const released = () => handled(rejected(invalidState('Writer has been released')));

function readyOf(writer) {
    if (writer.ready === null) {
        const { stream } = writer;
        writer.ready = stream === null ? { promise: released(), resolve: null }
            : stream.state === 'erroring' || stream.state === 'errored'
                ? { promise: handled(rejected(stream.storedError)), resolve: null }
                : stream.state === 'writable' && stream.hasBackpressure && !isClosing(stream)
                    ? newPromise() : { promise: fulfilled(undefined), resolve: null };
    }
    return writer.ready.promise;
}

function closedOf(writer) {
    if (writer.closed === null) {
        const { stream } = writer;
        writer.closed = stream === null ? { promise: released(), resolve: null }
            : stream.state === 'closed' ? { promise: fulfilled(undefined), resolve: null }
                : stream.state === 'errored'
                    ? { promise: handled(rejected(stream.storedError)), resolve: null }
                    : newPromise();
    }
    return writer.closed.promise;
}

function resolvePromise(one) {
    one?.resolve?.(undefined);
    if (one !== null)
        one.resolve = null;
}

// The promise is replaced by a rejected one if it was settled.
function rejectPromise(writer, key, reason) {
    const one = writer[key];
    if (one !== null && one.resolve !== null) {
        one.reject(reason);
        one.resolve = null;
        handled(one.promise);
    } else {
        writer[key] = null;
    }
}

// ---- the ends of a stream ----

function abortStream(stream, reason) {
    if (isOver(stream))
        return fulfilled(undefined);
    stream.controller.signal(reason);
    if (isOver(stream))
        return fulfilled(undefined);
    if (stream.aborting !== null)
        return stream.aborting.promise;
    const wasErroring = stream.state === 'erroring';
    stream.aborting = Object.assign(newPromise(),
        { reason: wasErroring ? undefined : reason, wasErroring });
    const { promise } = stream.aborting;
    if (!wasErroring)
        startErroring(stream, reason);
    return promise;
}

function closeStream(stream) {
    if (isOver(stream))
        return rejected(invalidState('WritableStream is closed'));
    if (isClosing(stream))
        return rejected(invalidState('Failure closing WritableStream'));
    const request = stream.closeRequest = newPromise();
    if (stream.writer !== null && stream.hasBackpressure && stream.state === 'writable')
        becomeReady(stream.writer);
    stream.controller.close();
    return request.promise;
}

function becomeReady(writer) {
    resolvePromise(writer.ready);
    if (writer.onReady !== null)
        later(writer.onReady);
}

function startErroring(stream, reason) {
    const { controller, writer } = stream;
    stream.state = 'erroring';
    stream.storedError = reason;
    if (writer !== null)
        rejectPromise(writer, 'ready', reason);
    if (stream.writing === null && stream.closing === null && controller.isStarted)
        finishErroring(stream);
}

function finishErroring(stream) {
    stream.state = 'errored';
    stream.controller.reset();
    const { requests, storedError, aborting } = stream;
    stream.requests = new List();
    while (requests.length > 0)
        requests.shift().reject(storedError);
    if (aborting === null) {
        rejectClosing(stream);
        return;
    }
    stream.aborting = null;
    if (aborting.wasErroring) {
        aborting.reject(storedError);
        rejectClosing(stream);
        return;
    }
    react(stream.controller.abortSteps(aborting.reason), () => {
        aborting.resolve(undefined);
        rejectClosing(stream);
    }, (_, reason) => {
        aborting.reject(reason);
        rejectClosing(stream);
    });
}

function rejectClosing(stream) {
    if (stream.closeRequest !== null) {
        stream.closeRequest.reject(stream.storedError);
        stream.closeRequest = null;
    }
    if (stream.writer !== null)
        rejectPromise(stream.writer, 'closed', stream.storedError);
}

function dealWithRejection(stream, reason) {
    if (stream.state === 'writable')
        startErroring(stream, reason);
    else
        finishErroring(stream);
}

function closed(stream) {
    stream.closing.resolve(undefined);
    stream.closing = null;
    if (stream.state === 'erroring') {
        stream.storedError = undefined;
        stream.aborting?.resolve(undefined);
        stream.aborting = null;
    }
    stream.state = 'closed';
    if (stream.writer !== null)
        resolvePromise(stream.writer.closed);
}

function closeFailed(stream, reason) {
    stream.closing.reject(reason);
    stream.closing = null;
    stream.aborting?.reject(reason);
    stream.aborting = null;
    dealWithRejection(stream, reason);
}

function written(stream) {
    const { controller, writing } = stream;
    stream.writing = null;
    writing.resolve(undefined);
    controller.dequeue();
    if (!isClosing(stream) && stream.state === 'writable')
        controller.updateBackpressure();
    controller.advance();
}

function writeFailed(stream, reason) {
    const { controller, writing } = stream;
    if (stream.state === 'writable')
        controller.clear();
    stream.writing = null;
    writing.reject(reason);
    dealWithRejection(stream, reason);
}

// ---- the controller ----

class Entry {
    constructor(chunk, size) {
        this.chunk = chunk;
        this.size = size;
        this.next = null;
    }
}

const CLOSE = Symbol('close'); // the last entry of a queue

class Controller {
    object = null;
    queue = new List();
    total = 0;
    isStarted = false;
    abortController = null; // made when its signal is asked for
    isAborted = false;
    abortReason = undefined;

    // size undefined: each chunk counts as 1
    constructor(stream, sink, write, close, abort, highWaterMark, size) {
        this.stream = stream;
        this.sink = sink;
        this.sinkWrite = write;
        this.sinkClose = close;
        this.sinkAbort = abort;
        this.highWaterMark = highWaterMark;
        this.size = size;
        stream.controller = this;
        stream.hasBackpressure = highWaterMark <= 0;
    }

    clear() {
        this.sinkWrite = this.sinkClose = this.sinkAbort = this.size = undefined;
        this.sink = undefined;
    }

    start(start) {
        const { stream } = this;
        react(start === undefined ? undefined : resolvedWith(
            invoke(start, this.sink, objectOf(this))), () => {
            this.isStarted = true;
            this.advance();
        }, (_, reason) => {
            this.isStarted = true;
            dealWithRejection(stream, reason);
        });
    }

    signal(reason) {
        this.isAborted = true;
        this.abortReason = reason;
        this.abortController?.abort(reason);
    }

    signalOf() {
        if (this.abortController === null) {
            this.abortController = new (require('events/abort').AbortController)();
            if (this.isAborted)
                this.abortController.abort(this.abortReason);
        }
        return this.abortController.signal;
    }

    sizeOf(chunk) {
        if (this.size === undefined)
            return 1;
        try {
            return (0, this.size)(chunk);
        } catch (error) {
            this.errorIfNeeded(error);
            return 1;
        }
    }

    write(chunk, size) {
        const { stream } = this;
        if (size !== 1)
            try {
                size = checkSize(size);
            } catch (error) {
                this.errorIfNeeded(error);
                return;
            }
        this.queue.push(new Entry(chunk, size));
        this.total += size;
        if (!isClosing(stream) && stream.state === 'writable')
            this.updateBackpressure();
        this.advance();
    }

    close() {
        this.queue.push(new Entry(CLOSE, 0));
        this.advance();
    }

    dequeue() {
        if (this.queue.length === 0) // errored meanwhile
            return;
        const { size } = this.queue.shift();
        this.total = this.queue.length === 0 ? 0 : Math.max(this.total - size, 0);
    }

    reset() {
        this.queue = new List();
        this.total = 0;
    }

    updateBackpressure() {
        const { stream } = this, { writer } = stream;
        const isFull = this.highWaterMark - this.total <= 0;
        if (isFull === stream.hasBackpressure)
            return;
        stream.hasBackpressure = isFull;
        if (writer === null)
            return;
        if (isFull)
            writer.ready = null;
        else
            becomeReady(writer);
    }

    advance() {
        const { stream } = this;
        if (!this.isStarted || stream.writing !== null)
            return;
        if (stream.state === 'erroring') {
            finishErroring(stream);
            return;
        }
        if (this.queue.length === 0 || stream.closing !== null || isOver(stream))
            return;
        const { chunk } = this.queue.first;
        if (chunk === CLOSE)
            this.processClose();
        else
            this.processWrite(chunk);
    }

    processClose() {
        const { stream, sink, sinkClose } = this;
        stream.closing = stream.closeRequest;
        stream.closeRequest = null;
        this.dequeue();
        const result = sinkClose === undefined ? undefined : attempt(sinkClose, sink);
        this.clear();
        react(result, closed, closeFailed, stream);
    }

    processWrite(chunk) {
        const { stream, sink, sinkWrite } = this;
        stream.writing = stream.requests.shift();
        const result = sinkWrite === undefined ? undefined
            : attempt(sinkWrite, sink, chunk, objectOf(this));
        if (result === undefined)
            later(written, stream);
        else if (result !== PENDING)
            react(result, written, writeFailed, stream);
    }

    abortSteps(reason) {
        const { sink, sinkAbort } = this;
        const result = sinkAbort === undefined ? undefined : attempt(sinkAbort, sink, reason);
        this.clear();
        return result;
    }

    error(reason) {
        this.clear();
        startErroring(this.stream, reason);
    }

    errorIfNeeded(reason) {
        if (this.stream.state === 'writable')
            this.error(reason);
    }
}

const kInternal = Symbol('internal');
let controllerOf, wrap;

class WritableStreamDefaultController {
    #controller;
    static {
        controllerOf = (value) => {
            if (typeof value !== 'object' || value === null || !(#controller in value))
                throw wrongThis('WritableStreamDefaultController');
            return value.#controller;
        };
        wrap = (controller) => new WritableStreamDefaultController(kInternal, controller);
    }

    constructor(key = undefined, controller = undefined) {
        if (key !== kInternal)
            throw illegalConstructor();
        this.#controller = controller;
    }

    get signal() { return controllerOf(this).signalOf(); }

    error(error = undefined) {
        const controller = controllerOf(this);
        if (controller.stream.state === 'writable')
            controller.error(error);
    }
}
reveal(WritableStreamDefaultController, 'signal', 'error');
show(WritableStreamDefaultController, (object) => ({
    stream: controllerOf(object).stream.object }));

function objectOf(controller) {
    return controller.object ??= wrap(controller);
}

// ---- the class ----

let writableOf, adoptWritable;

class WritableStream {
    #stream;
    static {
        writableOf = (value) => typeof value === 'object' && value !== null &&
            #stream in value ? value.#stream : undefined;
        adoptWritable = (stream) => new WritableStream(kInternal, stream);
    }

    constructor(sink = undefined, strategy = undefined) {
        if (sink === kInternal) {
            this.#stream = strategy;
            strategy.object = this;
            return;
        }
        if (sink !== undefined && !isObject(sink))
            throw invalidArgType('sink', 'of type object', sink);
        checkStrategy(strategy, 'strategy');
        const stream = this.#stream = new Writable();
        stream.object = this;
        setUp(stream, sink, strategy);
    }

    get locked() { return checked(this).writer !== null; }

    abort(reason = undefined) {
        const stream = writableOf(this);
        if (stream === undefined)
            return rejected(wrongThis('WritableStream'));
        return stream.writer !== null
            ? rejected(invalidState('WritableStream is locked'))
            : abortStream(stream, reason);
    }

    close() {
        const stream = writableOf(this);
        if (stream === undefined)
            return rejected(wrongThis('WritableStream'));
        if (stream.writer !== null)
            return rejected(invalidState('WritableStream is locked'));
        return isClosing(stream)
            ? rejected(invalidState('Failure closing WritableStream'))
            : closeStream(stream);
    }

    getWriter() {
        checked(this);
        const { WritableStreamDefaultWriter } = require('web/writer');
        return new WritableStreamDefaultWriter(this);
    }
}
reveal(WritableStream, 'locked', 'abort', 'close', 'getWriter');
show(WritableStream, (object) => ({ locked: object.locked,
    state: writableOf(object).state }));

function checked(object) {
    const stream = writableOf(object);
    if (stream === undefined)
        throw wrongThis('WritableStream');
    return stream;
}

function setUp(stream, sink, strategy) {
    const { abort, close, start, type, write } = sink ?? {};
    if (type !== undefined)
        throw invalidValue(RangeError, 'type', type);
    const mark = strategy?.highWaterMark, size = strategy?.size;
    for (const [name, value] of Object.entries({ start, write, close, abort }))
        functionOf(value, `sink.${name}`);
    new Controller(stream, sink, write, close, abort, highWaterMarkOf(mark, 1),
        sizeOf(size)).start(start);
}

require('messages/host').defineTransfer(WritableStream.prototype, function () {
    return writableOf(this) === undefined ? undefined
        : require('web/transfer').sendWritable(this);
});

module.exports = { Controller, Writable, WritableStream, WritableStreamDefaultController,
    abortStream, adoptWritable, closeStream, closedOf, isClosing, isOver, lockWritable, readyOf,
    rejectPromise, writableOf, written, writeFailed };
