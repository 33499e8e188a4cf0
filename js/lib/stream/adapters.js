// SPDX-License-Identifier: MIT
// stream/adapters -- Readable.toWeb, Readable.fromWeb and the like: Node's
// streams as those of the Streams standard, and the reverse.
//
// The names are those that readable-stream asks for.
'use strict';

const { Readable, Writable, Duplex, destroy, finished } = require('stream/stream');
const { AbortError, codes } = require('stream/errors');
const { validateBoolean, validateObject } = require('stream/check');
const { invalidArgType, invalidArgValue } = require('core/errors');
const { nextTick } = require('timers/timers');
const { Buffer } = require('bytes/buffer');
const { ReadableStream, WritableStream, CountQueuingStrategy } = require('web/streams');

const ignore = () => {};

// The other side sees an early end as an abort.
function asAbort(error) {
    return error?.code === 'ERR_STREAM_PREMATURE_CLOSE'
        ? new AbortError(undefined, { cause: error }) : error;
}

// A callback that is called from a promise: what it throws is uncaught.
function outside(callback) {
    return (error) => {
        try {
            callback(error);
        } catch (thrown) {
            nextTick(() => { throw thrown; });
        }
    };
}

function strategyFor(isObjects, highWaterMark) {
    return isObjects ? new CountQueuingStrategy({ highWaterMark }) : { highWaterMark };
}

function checkOptions(options) {
    validateObject(options, 'options');
    const { encoding, objectMode = false } = options;
    if (encoding !== undefined && !Buffer.isEncoding(encoding))
        throw invalidArgValue(encoding, 'options.encoding'); // in Node's order
    validateBoolean(objectMode, 'options.objectMode');
}

function checkKind(value, Kind, name) {
    if (!(value instanceof Kind))
        throw invalidArgType(name, `an instance of ${Kind.name}`, value);
}

// ---- to the web ----

function newReadableStreamFromStreamReadable(stream, options = {}) {
    if (typeof stream?._readableState !== 'object')
        throw new codes.ERR_INVALID_ARG_TYPE('streamReadable', 'stream.Readable', stream);
    if (stream.destroyed || !Readable.isReadable(stream)) {
        const closed = new ReadableStream();
        closed.cancel();
        return closed;
    }
    const isObjects = stream.readableObjectMode;
    let controller, isCancelled = false;
    stream.pause();
    const cleanup = finished(stream, (error) => {
        cleanup();
        stream.on('error', ignore); // it was reported
        if (isCancelled)
            return;
        if (error)
            controller.error(asAbort(error));
        else
            controller.close();
    });
    stream.on('data', (chunk) => {
        if (isCancelled)
            return;
        if (Buffer.isBuffer(chunk) && !isObjects)
            chunk = new Uint8Array(chunk);
        controller.enqueue(chunk);
        if (controller.desiredSize <= 0)
            stream.pause();
    });
    return new ReadableStream({
        start(own) { controller = own; },
        pull() { stream.resume(); },
        cancel(reason) {
            isCancelled = true;
            destroy(stream, reason);
        },
    }, options?.strategy ?? strategyFor(isObjects, stream.readableHighWaterMark));
}

function newWritableStreamFromStreamWritable(stream) {
    if (typeof stream?._writableState !== 'object')
        throw new codes.ERR_INVALID_ARG_TYPE('streamWritable', 'stream.Writable', stream);
    if (stream.destroyed || !stream.writable) {
        const closed = new WritableStream();
        closed.close();
        return closed;
    }
    let controller, drained, closing;
    const cleanup = finished(stream, (error) => {
        cleanup();
        stream.on('error', ignore); // it was reported
        error = asAbort(error);
        if (error) {
            drained?.reject(error);
            closing?.reject(error);
        } else if (closing !== undefined) {
            closing.resolve();
        }
        if (error || closing === undefined)
            controller.error(error ?? new AbortError());
        closing = undefined;
    });
    stream.on('drain', () => drained?.resolve());
    return new WritableStream({
        start(own) { controller = own; },
        write(chunk) {
            if (!stream.writableNeedDrain && stream.write(chunk))
                return undefined;
            drained = Promise.withResolvers();
            return drained.promise.finally(() => { drained = undefined; });
        },
        abort(reason) { destroy(stream, reason); },
        close() {
            if (closing === undefined && !stream.writableEnded)
                closing = Promise.withResolvers();
            stream.end();
            return closing?.promise;
        },
    }, strategyFor(stream.writableObjectMode, stream.writableHighWaterMark));
}

function newReadableWritablePairFromDuplex(duplex) {
    if (typeof duplex?._writableState !== 'object' ||
        typeof duplex?._readableState !== 'object')
        throw new codes.ERR_INVALID_ARG_TYPE('duplex', 'stream.Duplex', duplex);
    const closed = { _writableState: {}, _readableState: {}, destroyed: true };
    const writable = newWritableStreamFromStreamWritable(duplex.writable ? duplex : closed);
    const readable = newReadableStreamFromStreamReadable(
        Readable.isReadable(duplex) ? duplex : closed);
    if (duplex.destroyed || !duplex.writable)
        writable.close?.().catch?.(ignore);
    return { writable, readable };
}

// ---- from the web ----

function newStreamReadableFromReadableStream(source, options = {}) {
    checkKind(source, ReadableStream, 'readableStream');
    checkOptions(options);
    const { highWaterMark, encoding, objectMode = false, signal } = options;
    const reader = source.getReader();
    let isClosed = false;
    const stream = new Readable({
        objectMode, highWaterMark, encoding, signal,
        read() {
            reader.read().then(({ value, done }) => stream.push(done ? null : value),
                (error) => destroy(stream, error));
        },
        destroy(error, callback) {
            const done = outside(() => callback(error));
            if (isClosed)
                done();
            else
                reader.cancel(error).then(done, done);
        },
    });
    reader.closed.then(() => { isClosed = true; }, (error) => {
        isClosed = true;
        destroy(stream, error);
    });
    return stream;
}

// The methods of a Writable that writes to a WritableStream.
function writing(writer, { decodeStrings = true, objectMode = false }, state) {
    function encoded(chunk, encoding) {
        return typeof chunk === 'string' && decodeStrings && !objectMode
            ? new Uint8Array(Buffer.from(chunk, encoding)) : chunk;
    }
    return {
        write(chunk, encoding, callback) {
            const done = outside(callback);
            writer.ready.then(() => writer.write(encoded(chunk, encoding)))
                .then(() => done(), done);
        },
        writev(chunks, callback) {
            const done = outside(callback);
            writer.ready.then(() => Promise.all(chunks.map(({ chunk, encoding }) =>
                writer.write(encoded(chunk, encoding))))).then(() => done(), done);
        },
        final(callback) {
            const done = outside(callback);
            if (state.isClosed)
                done();
            else
                writer.close().then(() => done(), done);
        },
        // Returns a promise that does not fail.
        end(error) {
            if (state.isClosed)
                return Promise.resolve();
            return (error == null ? writer.close() : writer.abort(error))
                .then(ignore, ignore);
        },
    };
}

function newStreamWritableFromWritableStream(target, options = {}) {
    checkKind(target, WritableStream, 'writableStream');
    validateObject(options, 'options');
    const { highWaterMark, decodeStrings = true, objectMode = false, signal } = options;
    validateBoolean(objectMode, 'options.objectMode');
    validateBoolean(decodeStrings, 'options.decodeStrings');
    const writer = target.getWriter(), state = { isClosed: false };
    const { write, writev, final, end } = writing(writer, options, state);
    const stream = new Writable({ highWaterMark, objectMode, decodeStrings, signal,
        write, writev, final,
        destroy(error, callback) { end(error).then(outside(() => callback(error))); },
    });
    writer.closed.then(() => {
        state.isClosed = true;
        if (!stream.writableEnded)
            destroy(stream, new codes.ERR_STREAM_PREMATURE_CLOSE());
    }, (error) => {
        state.isClosed = true;
        destroy(stream, error);
    });
    return stream;
}

function newStreamDuplexFromReadableWritablePair(pair, options = {}) {
    validateObject(pair, 'pair');
    validateObject(options, 'options');
    checkKind(pair.readable, ReadableStream, 'pair.readable');
    checkKind(pair.writable, WritableStream, 'pair.writable');
    const { allowHalfOpen = false, objectMode = false, encoding, decodeStrings = true,
        highWaterMark, signal } = options;
    checkOptions(options);
    const reader = pair.readable.getReader(), writer = pair.writable.getWriter();
    const state = { isClosed: false };
    let isEnded = false;
    const { write, writev, final, end } = writing(writer, options, state);
    const stream = new Duplex({ allowHalfOpen, highWaterMark, objectMode, encoding,
        decodeStrings, signal, write, writev, final,
        read() {
            reader.read().then(({ value, done }) => stream.push(done ? null : value),
                (error) => destroy(stream, error));
        },
        destroy(error, callback) {
            const reading = isEnded ? Promise.resolve() : reader.cancel(error);
            Promise.all([reading.then(ignore, ignore), end(error)])
                .then(outside(() => callback(error)));
        },
    });
    writer.closed.then(() => { state.isClosed = true; }, (error) => {
        state.isClosed = true;
        destroy(stream, error);
    });
    reader.closed.then(() => { isEnded = true; }, (error) => {
        isEnded = true;
        destroy(stream, error);
    });
    return stream;
}

module.exports = { newReadableStreamFromStreamReadable,
    newStreamReadableFromReadableStream, newWritableStreamFromStreamWritable,
    newStreamWritableFromWritableStream, newReadableWritablePairFromDuplex,
    newStreamDuplexFromReadableWritablePair };
