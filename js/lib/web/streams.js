// SPDX-License-Identifier: MIT
// streams -- the classes of the Streams Standard, and `hooks`, by which sources
// and sinks in C take part in them without a promise for each chunk.
//
// web/readable, web/bytestream, web/writable and web/transform have the classes,
// web/pipe has pipeTo() and tee().  Each public object has a private field with
// its record, a plain object that all functions work on.
//
// ---- the hooks ----
//
// const { hooks } = require('web/streams');
//
// A source is any object with the methods below, normally one with a C struct
// behind it.  The hooks call its methods synchronously, with the async context
// of whoever reads.
//
//   hooks.openReadable(source, highWaterMark = 0) -> ReadableStream, of bytes
//       No job is queued and nothing is called until somebody reads, so an
//       unread body costs one object.  highWaterMark is the number of bytes that
//       may be read ahead once somebody has read.
//
//   source.pull(stream)
//       Bytes are wanted: call push() now or later.  It is called again only
//       after a push() has returned false.
//   source.cancel(reason, stream)
//       The reader has lost interest; nothing is called after this.  A promise
//       that it returns delays the one of stream.cancel().
//
//   hooks.push(stream, bytes) -> boolean
//       Give a Uint8Array, whose buffer becomes the stream's: it may be detached.
//       True: more is wanted now.  False: stop until source.pull() is called.
//       Bytes that are pushed nevertheless are queued, or dropped if the stream
//       has ended.
//   hooks.space(stream) -> Uint8Array or undefined
//       The memory of a BYOB reader that waits, to be filled in place; follow it
//       by hooks.filled(stream, count) -> boolean, as for push(), in the same
//       callback.
//   hooks.end(stream), hooks.fail(stream, error)
//       The end of the bytes.  A second end is ignored.
//
//   The stream has a reference to its source, and the source usually to the
//   stream: a class in C marks it for the garbage collector (gc_mark).  Keep the
//   source alive while an operation of the system is outstanding, and not
//   otherwise; then a stream that was abandoned is collected with its source.
//
// A sink takes the chunks of a stream.
//
//   hooks.consume(stream, sink)
//       Lock the stream and pass its chunks on; throws if it is locked.
//   sink.write(chunk) -> boolean
//       Any value that the source has enqueued.  True: go on.  False: wait for
//       hooks.resume(stream).  Throwing cancels the stream with the error, and
//       calls sink.fail() with it.
//   sink.end(), sink.fail(error)
//       Called once, at the end.
//   hooks.resume(stream)
//       The next chunk may come: now, if one is queued.
//   hooks.stop(stream, reason)
//       The sink has failed: cancel the stream.  Neither write(), end() nor
//       fail() is called any more.
//
//   hooks.openWritable(sink, highWaterMark = 1) -> WritableStream
//   sink.write(chunk, stream), sink.close(stream), sink.abort(reason, stream)
//       True: done.  False: not yet; call hooks.done(stream) later, or
//       hooks.fail(stream, error).  One call at a time is outstanding, except
//       abort(), which comes after it.
//
// Whole bodies:
//
//   hooks.bytesOf(stream) -> promise of a Uint8Array
//       Lock it and read it to its end.  Rejects with a TypeError for a chunk
//       that is not a Uint8Array, and cancels the stream then.
//   hooks.fromBytes(bytes) -> ReadableStream of one chunk
//   hooks.tee(stream) -> [ReadableStream, ReadableStream]
//       As for the clone of a body: the second gets copies.
//   hooks.isReadable(value), hooks.isWritable(value), hooks.isDisturbed(stream),
//   hooks.isLocked(stream), hooks.stateOf(stream) -> 'readable', 'closed', ...
//       None of these can be faked or replaced by a program.
'use strict';

const { PENDING, later, newPromise, rejected } = require('web/base');
const { coded } = require('core/errors');
const { DEFAULT, Readable, cancelStream, lock, read } = require('web/readablestate');
const { ReadableStreamDefaultController } = require('web/controller');
const { ByteController } = require('web/bytestream');
const { ReadableByteStreamController, ReadableStreamBYOBRequest } =
    require('web/bytecontroller');
const { ReadableStreamBYOBReader, ReadableStreamDefaultReader } = require('web/reader');
const { ReadableStream, adoptReadable, streamOf, teeOf } = require('web/readable');
const { Controller, Writable, WritableStream, WritableStreamDefaultController,
    adoptWritable, writableOf, writeFailed, written } = require('web/writable');
const { WritableStreamDefaultWriter } = require('web/writer');
const { TransformStream, TransformStreamDefaultController } = require('web/transform');
const { ByteLengthQueuingStrategy, CountQueuingStrategy } = require('web/strategies');
const { concat, isView, partsOf } = require('web/views');

// ---- sources ----

function openReadable(source, highWaterMark = 0) {
    const stream = new Readable();
    const controller = new ByteController(stream, source, undefined, source.cancel,
        highWaterMark, undefined, true);
    controller.isStarted = true;
    return adoptReadable(stream);
}

// After a source has given bytes: whether it should go on.
function wants(controller) {
    return controller.isPulling = controller.shouldPull();
}

function push(object, bytes) {
    const { controller, state } = streamOf(object);
    if (state !== 'readable' || controller.isClosing)
        return false;
    const { byteLength } = bytes;
    controller.isPulling = true; // do not ask again meanwhile
    if (byteLength > 0)
        controller.enqueue(bytes.buffer, bytes.byteOffset, byteLength, bytes);
    return wants(controller);
}

function space(object) {
    const { controller, state } = streamOf(object), { first } = controller.places;
    return first === null || first.isOrphan || state !== 'readable' ? undefined
        : new Uint8Array(first.buffer, first.offset + first.filled,
            first.length - first.filled);
}

function filled(object, count) {
    const { controller } = streamOf(object);
    controller.isPulling = true;
    if (count > 0)
        controller.respondWith(count);
    return wants(controller);
}

function end(object) {
    const { controller, state } = streamOf(object);
    if (state !== 'readable')
        return;
    try {
        controller.close();
    } catch {} // half an element is left: the stream has failed
    if (controller.places.length > 0 && controller.stream.state === 'closed')
        controller.respondWith(0);
}

function fail(object, error) {
    const readable = streamOf(object);
    if (readable !== undefined)
        readable.controller.error(error);
    else
        failWritable(writableOf(object), error);
}

// ---- sinks of readable streams ----

class Consumer {
    next = null;
    isReading = false;
    isFull = false;
    isRunning = false;
    isOver = false;

    constructor(stream, sink) {
        this.stream = stream;
        this.sink = sink;
        this.reader = lock(stream, DEFAULT);
    }

    run() {
        if (this.isRunning)
            return;
        this.isRunning = true;
        while (!this.isReading && !this.isFull && !this.isOver) {
            this.isReading = true;
            read(this.stream, this);
        }
        this.isRunning = false;
    }

    chunk(chunk) {
        this.isReading = false;
        if (this.isOver)
            return;
        try {
            this.isFull = !this.sink.write(chunk);
        } catch (error) {
            this.finish('fail', error);
            cancelStream(this.stream, error).catch(() => {});
            return;
        }
        this.run();
    }

    close() {
        this.finish('end');
    }

    error(reason) {
        this.finish('fail', reason);
    }

    finish(method, reason) {
        this.isReading = false;
        if (this.isOver)
            return;
        this.isOver = true;
        this.sink[method](reason);
    }
}

const consumers = new WeakMap(); // ReadableStream -> Consumer

function consume(object, sink) {
    const consumer = new Consumer(streamOf(object), sink);
    consumers.set(object, consumer);
    consumer.run();
}

function resume(object) {
    const consumer = consumers.get(object);
    consumer.isFull = false;
    consumer.run();
}

function stop(object, reason) {
    const consumer = consumers.get(object);
    if (consumer.isOver)
        return;
    consumer.isOver = true;
    cancelStream(consumer.stream, reason).catch(() => {});
}

// ---- writable streams whose sink is the host's ----

// Call close() or abort(); the controller keeps {resolve, reject} until it is done.
function callLast(controller, sink, method, ...args) {
    if (sink[method](...args))
        return undefined;
    const { promise, resolve, reject } = newPromise();
    controller.working = { resolve, reject };
    return promise;
}

function openWritable(sink, highWaterMark = 1) {
    const stream = new Writable(), object = adoptWritable(stream);
    const controller = new Controller(stream, sink,
        (chunk) => sink.write(chunk, object) ? undefined : PENDING,
        () => callLast(controller, sink, 'close', object),
        (reason) => callLast(controller, sink, 'abort', reason, object), highWaterMark,
        undefined);
    controller.working = null;
    controller.isStarted = true;
    return object;
}

function done(object) {
    const stream = writableOf(object), { controller } = stream, { working } = controller;
    controller.working = null;
    if (working !== null)
        working.resolve(undefined);
    else if (stream.writing !== null)
        later(written, stream);
}

function failWritable(stream, error) {
    const { controller } = stream, { working } = controller;
    controller.working = null;
    if (working !== null)
        working.reject(error);
    else if (stream.writing !== null)
        later(() => writeFailed(stream, error));
    else
        controller.errorIfNeeded(error);
}

// ---- whole bodies ----

class Collector {
    chunks = [];
    total = 0;
    constructor(resolve, reject) {
        this.resolve = resolve;
        this.fail = reject;
    }
    write(chunk) {
        if (!isView(chunk) || partsOf(chunk).View !== Uint8Array)
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE',
                'Received non-Uint8Array chunk');
        this.chunks.push(chunk);
        this.total += partsOf(chunk).length;
        return true;
    }
    end() {
        const { chunks, total } = this;
        this.resolve(chunks.length === 1 ? chunks[0] : concat(chunks, total));
    }
}

function bytesOf(object) {
    const { promise, resolve, reject } = newPromise();
    try {
        consume(object, new Collector(resolve, reject));
    } catch (error) {
        return rejected(error);
    }
    return promise;
}

function fromBytes(bytes) {
    const object = openReadable({ pull() {}, cancel() {} });
    if (bytes.byteLength > 0)
        push(object, bytes);
    end(object);
    return object;
}

const hooks = {
    openReadable, push, space, filled, end, fail, consume, resume, stop, openWritable, done,
    bytesOf, fromBytes,
    tee: (object) => teeOf(streamOf(object), true),
    isReadable: (value) => streamOf(value) !== undefined,
    isWritable: (value) => writableOf(value) !== undefined,
    isDisturbed: (object) => streamOf(object).isDisturbed,
    isLocked: (object) => streamOf(object).reader !== null,
    stateOf: (object) => (streamOf(object) ?? writableOf(object)).state,
};

module.exports = { ReadableStream, ReadableStreamDefaultReader, ReadableStreamBYOBReader,
    ReadableStreamBYOBRequest, ReadableByteStreamController,
    ReadableStreamDefaultController, TransformStream, TransformStreamDefaultController,
    WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController,
    ByteLengthQueuingStrategy, CountQueuingStrategy };
Object.defineProperty(module.exports, 'hooks', { value: hooks });
