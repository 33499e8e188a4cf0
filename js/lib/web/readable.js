// SPDX-License-Identifier: MIT
// readable -- the class ReadableStream, and its async iterators.
'use strict';

const { checkStrategy, fulfill, fulfilled, functionOf, highWaterMarkOf, invalidState,
    invalidValue, invoke, isObject, pending, reject, rejected, reveal, show, sizeOf,
    transform, wrongThis } = require('web/base');
const { coded, invalidArgType } = require('core/errors');
const { DEFAULT, Readable, cancelStream, lock, read, release } =
    require('web/readablestate');
const { DefaultController, startController } = require('web/controller');
const { ByteController } = require('web/bytestream');
const { ReadableStreamBYOBReader, ReadableStreamDefaultReader } = require('web/reader');

const kInternal = Symbol('internal');
let streamOf, adoptReadable;

class ReadableStream {
    #stream;
    static {
        streamOf = (value) => typeof value === 'object' && value !== null &&
            #stream in value ? value.#stream : undefined;
        adoptReadable = (stream) => new ReadableStream(kInternal, stream);
    }

    constructor(source = undefined, strategy = undefined) {
        if (source === kInternal) {
            this.#stream = strategy;
            strategy.object = this;
            return;
        }
        if (source !== undefined && !isObject(source))
            throw invalidArgType('source', 'of type object', source);
        checkStrategy(strategy, 'strategy');
        const stream = this.#stream = new Readable();
        stream.object = this;
        setUp(stream, source, strategy);
    }

    static from(iterable) {
        return fromIterable(iterable);
    }

    get locked() { return checked(this).reader !== null; }

    cancel(reason = undefined) {
        const stream = streamOf(this);
        if (stream === undefined)
            return rejected(wrongThis('ReadableStream'));
        return stream.reader !== null
            ? rejected(invalidState('ReadableStream is locked'))
            : cancelStream(stream, reason);
    }

    getReader(options = undefined) {
        checked(this);
        if (options != null && !isObject(options))
            throw invalidArgType('options', 'of type object', options);
        const mode = options?.mode;
        if (mode === undefined)
            return new ReadableStreamDefaultReader(this);
        if (`${mode}` !== 'byob')
            throw invalidValue(TypeError, 'options.mode', mode);
        return new ReadableStreamBYOBReader(this);
    }

    pipeThrough(pair, options = undefined) {
        const stream = checked(this);
        const { writableOf } = require('web/writable');
        const readable = pair?.readable;
        if (streamOf(readable) === undefined)
            throw invalidArgType('transform.readable', 'an instance of ReadableStream',
                readable);
        const writable = pair.writable, dest = writableOf(writable);
        if (dest === undefined)
            throw invalidArgType('transform.writable', 'an instance of WritableStream',
                writable);
        const checkedOptions = pipeOptions(options);
        if (stream.reader !== null)
            throw invalidState('The ReadableStream is locked');
        if (dest.writer !== null)
            throw invalidState('The WritableStream is locked');
        const { handled } = require('web/base');
        handled(require('web/pipe').pipe(stream, dest, checkedOptions));
        return readable;
    }

    pipeTo(destination, options = undefined) {
        try {
            const stream = checked(this);
            const dest = require('web/writable').writableOf(destination);
            if (dest === undefined)
                throw invalidArgType('transform.writable',
                    'an instance of WritableStream', destination);
            const checkedOptions = pipeOptions(options);
            if (stream.reader !== null)
                throw invalidState('The ReadableStream is locked');
            if (dest.writer !== null)
                throw invalidState('The WritableStream is locked');
            return require('web/pipe').pipe(stream, dest, checkedOptions);
        } catch (error) {
            return rejected(error);
        }
    }

    tee() {
        const stream = checked(this);
        if (stream.reader !== null)
            throw invalidState('ReadableStream is locked');
        return teeOf(stream, false);
    }

    values(options = undefined) {
        const stream = checked(this);
        if (options != null && !isObject(options))
            throw invalidArgType('options', 'of type object', options);
        const preventCancel = !!options?.preventCancel;
        const reader = lock(stream, DEFAULT);
        const iterator = Object.create(iteratorPrototype);
        walks.set(iterator, { reader, preventCancel, isDone: false, ongoing: undefined });
        return iterator;
    }
}
reveal(ReadableStream, 'locked', 'cancel', 'getReader', 'pipeThrough', 'pipeTo', 'tee',
    'values');
Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator,
    { value: ReadableStream.prototype.values, writable: true, configurable: true });
Object.defineProperty(ReadableStream, 'from', { enumerable: true });
// What Node's functions of other streams ask for.
const questions = {
    get [Symbol.for('nodejs.stream.disturbed')]() { return checked(this).isDisturbed; },
    get [Symbol.for('nodejs.stream.errored')]() { return checked(this).state === 'errored'; },
    get [Symbol.for('nodejs.stream.readable')]() {
        return checked(this).state === 'readable';
    },
};
for (const key of Object.getOwnPropertySymbols(questions))
    Object.defineProperty(ReadableStream.prototype, key,
        { ...Object.getOwnPropertyDescriptor(questions, key), enumerable: false });
show(ReadableStream, (object) => {
    const stream = streamOf(object);
    return { locked: object.locked, state: stream.state,
        supportsBYOB: stream.controller instanceof ByteController };
});

function checked(object) {
    const stream = streamOf(object);
    if (stream === undefined)
        throw wrongThis('ReadableStream');
    return stream;
}

function pipeOptions(options) {
    if (options != null && !isObject(options))
        throw invalidArgType('options', 'of type object', options);
    const preventAbort = !!options?.preventAbort, preventCancel = !!options?.preventCancel,
        preventClose = !!options?.preventClose, signal = options?.signal;
    if (signal !== undefined && !require('events/abort').isSignal(signal))
        throw invalidArgType('options.signal', 'an instance of AbortSignal', signal);
    return { preventAbort, preventCancel, preventClose, signal };
}

function teeOf(stream, isCloned) {
    return require('web/tee').tee(stream, isCloned, adoptReadable)
        .map((branch) => branch.object);
}

// ---- the source of a program ----

function allocationOf(value) {
    if (value === undefined)
        return undefined;
    const number = Math.trunc(+value);
    if (!Number.isFinite(number) || number < 0 || number > Number.MAX_SAFE_INTEGER)
        throw new TypeError(`${value} is outside the range of an unsigned long long`);
    if (number === 0)
        throw invalidValue(TypeError, 'source.autoAllocateChunkSize', value);
    return number;
}

function setUp(stream, source, strategy) {
    const { autoAllocateChunkSize, cancel, pull, start, type } = source ?? {};
    const mark = strategy?.highWaterMark, size = strategy?.size;
    for (const [name, value] of Object.entries({ start, pull, cancel }))
        functionOf(value, `source.${name}`);
    if (type !== undefined && `${type}` !== 'bytes')
        throw invalidValue(TypeError, 'source.type', type);
    if (type === undefined) {
        const sizeFunction = sizeOf(size), highWaterMark = highWaterMarkOf(mark, 1);
        startController(new DefaultController(stream, source, pull, cancel,
            highWaterMark, sizeFunction), start);
        return;
    }
    if (size !== undefined)
        throw invalidValue(RangeError, 'strategy.size', size);
    const highWaterMark = highWaterMarkOf(mark, 0);
    startController(new ByteController(stream, source, pull, cancel, highWaterMark,
        allocationOf(autoAllocateChunkSize), false), start);
}

// ---- from ----

function notIterable(value) {
    return coded(TypeError, 'ERR_ARG_NOT_ITERABLE',
        `${require('util/inspect').inspect(value)} must be iterable`);
}

// {next, iterator} of what is async iterable, or iterable.
function iteratorOf(iterable) {
    if (iterable == null)
        throw notIterable(iterable);
    let method = iterable[Symbol.asyncIterator];
    const isAsync = method != null;
    if (!isAsync)
        method = iterable[Symbol.iterator];
    if (typeof method !== 'function')
        throw notIterable(iterable);
    const iterator = invoke(method, iterable);
    if (!isObject(iterator))
        throw coded(TypeError, 'ERR_INVALID_STATE',
            'Invalid state: The iterator method must return an object');
    return { iterator, next: iterator.next, isAsync };
}

// The values of a synchronous iterator may be promises.
function step({ iterator, next, isAsync }) {
    const result = invoke(next, iterator);
    if (isAsync || !isObject(result))
        return result;
    const { done, value } = result;
    return transform(Promise.resolve(value), (one) => ({ done, value: one }), (reason) => {
        if (!done)
            closeQuietly(iterator);
        throw reason;
    });
}

function closeQuietly(iterator) {
    try {
        iterator.return?.();
    } catch {} // the reason is the promise's
}

function fromIterable(iterable) {
    const record = iteratorOf(iterable), stream = new Readable();
    adoptReadable(stream);
    const { iterator } = record;
    const controller = new DefaultController(stream, undefined, () => {
        let result;
        try {
            result = step(record);
        } catch (error) {
            return rejected(error);
        }
        return transform(Promise.resolve(result), (one) => {
            if (!isObject(one))
                throw coded(TypeError, 'ERR_INVALID_STATE', 'Invalid state: The iterator' +
                    '.next() method must return an object');
            if (one.done)
                controller.close();
            else
                controller.enqueue(one.value);
        });
    }, (reason) => {
        const method = iterator.return;
        if (method == null)
            return undefined;
        return transform(Promise.resolve(invoke(method, iterator, reason)), (one) => {
            if (!isObject(one))
                throw coded(TypeError, 'ERR_INVALID_STATE', 'Invalid state: The promise ' +
                    'returned by the iterator.return() method must fulfill with an object');
        });
    }, 0, undefined);
    startController(controller, undefined);
    return stream.object;
}

// ---- async iteration ----

const walks = new WeakMap(); // iterator -> {reader, preventCancel, isDone, ongoing}

class IteratorRead {
    constructor(walk) {
        this.walk = walk;
        this.promise = pending();
        this.isPending = true;
        this.next = null;
    }
    settle() {
        this.isPending = false;
        if (this.walk.ongoing === this.promise)
            this.walk.ongoing = undefined;
    }
    chunk(value) {
        this.settle();
        fulfill(this.promise, { value, done: false });
    }
    close() {
        this.settle();
        this.walk.isDone = true;
        release(this.walk.reader);
        fulfill(this.promise, { done: true, value: undefined });
    }
    error(reason) {
        this.settle();
        this.walk.isDone = true;
        release(this.walk.reader);
        reject(this.promise, reason);
    }
}

function nextOf(walk) {
    if (walk.isDone)
        return fulfilled({ done: true, value: undefined });
    const { stream } = walk.reader;
    if (stream === null)
        return rejected(invalidState('The reader is not attached to a stream'));
    const request = new IteratorRead(walk);
    read(stream, request);
    if (request.isPending && walk.ongoing === undefined)
        walk.ongoing = request.promise;
    return request.promise;
}

function returnOf(walk, value) {
    const result = { done: true, value };
    if (walk.isDone)
        return fulfilled(result);
    walk.isDone = true;
    const { reader } = walk, { stream } = reader;
    if (stream === null)
        return rejected(invalidState('The reader is not attached to a stream'));
    if (walk.preventCancel) {
        release(reader);
        return fulfilled(result);
    }
    const cancelled = cancelStream(stream, value);
    release(reader);
    return transform(cancelled, () => result);
}

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(
    Object.getPrototypeOf((async function* () {})())));

// Calls take their turns.
function queue(iterator, steps) {
    const walk = walks.get(iterator);
    if (walk === undefined)
        return rejected(wrongThis('ReadableStreamAsyncIterator'));
    if (walk.ongoing === undefined)
        return steps(walk);
    const after = () => steps(walk);
    const promise = walk.ongoing = transform(walk.ongoing, after, after);
    const ended = () => {
        if (walk.ongoing === promise)
            walk.ongoing = undefined;
    };
    transform(promise, ended, ended);
    return promise;
}

const iteratorPrototype = Object.create(AsyncIteratorPrototype, {
    next: { writable: true, enumerable: true, configurable: true,
        value: { next() { return queue(this, nextOf); } }.next },
    return: { writable: true, enumerable: true, configurable: true,
        value: { return(value = undefined) {
            return queue(this, (walk) => returnOf(walk, value));
        } }.return },
});

require('messages/host').defineTransfer(ReadableStream.prototype, function () {
    return streamOf(this) === undefined ? undefined
        : require('web/transfer').sendReadable(this);
});

module.exports = { ReadableStream, adoptReadable, streamOf, teeOf };
