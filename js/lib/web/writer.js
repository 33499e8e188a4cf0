// SPDX-License-Identifier: MIT
// writer -- WritableStreamDefaultWriter.
'use strict';

const { fulfill, invalidState, pending, reject, rejected, reveal, show, wrongThis } =
    require('web/base');
const { invalidArgType } = require('core/errors');
const { abortStream, closeStream, closedOf, isClosing, lockWritable, readyOf,
    rejectPromise, writableOf } = require('web/writable');

const unattached = () => invalidState('Writer is not bound to a WritableStream');

function desiredSize({ state, controller }) {
    return state === 'errored' || state === 'erroring' ? null
        : state === 'closed' ? 0 : controller.highWaterMark - controller.total;
}

class PromisedWrite {
    constructor() {
        this.promise = pending();
        this.next = null;
    }
    resolve() { fulfill(this.promise, undefined); }
    reject(reason) { reject(this.promise, reason); }
}

// Write a chunk for a request that has resolve(), reject() and next.
function write(writer, chunk, request) {
    const { stream } = writer, { controller } = stream;
    const size = controller.sizeOf(chunk);
    if (writer.stream !== stream) // released by size()
        request.reject(unattached());
    else if (stream.state === 'errored')
        request.reject(stream.storedError);
    else if (isClosing(stream) || stream.state === 'closed')
        request.reject(invalidState('WritableStream is closed'));
    else if (stream.state === 'erroring')
        request.reject(stream.storedError);
    else {
        stream.requests.push(request);
        controller.write(chunk, size);
    }
}

function release(writer) {
    const { stream } = writer;
    const error = invalidState('Writer has been released');
    rejectPromise(writer, 'ready', error);
    rejectPromise(writer, 'closed', error);
    stream.writer = null;
    writer.stream = null;
    writer.onReady = null;
}

let writerOf;

class WritableStreamDefaultWriter {
    #writer;
    static {
        writerOf = (value) => typeof value === 'object' && value !== null &&
            #writer in value ? value.#writer : undefined;
    }

    constructor(stream) {
        const record = writableOf(stream);
        if (record === undefined)
            throw invalidArgType('stream', 'an instance of WritableStream', stream);
        this.#writer = lockWritable(record);
    }

    get closed() {
        const writer = writerOf(this);
        return writer === undefined ? rejected(wrongThis('WritableStreamDefaultWriter'))
            : closedOf(writer);
    }

    get desiredSize() {
        const { stream } = checked(this);
        if (stream === null)
            throw unattached();
        return desiredSize(stream);
    }

    get ready() {
        const writer = writerOf(this);
        return writer === undefined ? rejected(wrongThis('WritableStreamDefaultWriter'))
            : readyOf(writer);
    }

    abort(reason = undefined) {
        const writer = writerOf(this);
        if (writer === undefined)
            return rejected(wrongThis('WritableStreamDefaultWriter'));
        return writer.stream === null ? rejected(unattached())
            : abortStream(writer.stream, reason);
    }

    close() {
        const writer = writerOf(this);
        if (writer === undefined)
            return rejected(wrongThis('WritableStreamDefaultWriter'));
        if (writer.stream === null)
            return rejected(unattached());
        return isClosing(writer.stream)
            ? rejected(invalidState('Failure to close WritableStream'))
            : closeStream(writer.stream);
    }

    releaseLock() {
        const writer = checked(this);
        if (writer.stream !== null)
            release(writer);
    }

    write(chunk = undefined) {
        const writer = writerOf(this);
        if (writer === undefined)
            return rejected(wrongThis('WritableStreamDefaultWriter'));
        if (writer.stream === null)
            return rejected(unattached());
        const request = new PromisedWrite();
        write(writer, chunk, request);
        return request.promise;
    }
}
reveal(WritableStreamDefaultWriter, 'closed', 'desiredSize', 'ready', 'abort', 'close',
    'releaseLock', 'write');
show(WritableStreamDefaultWriter, (object) => {
    const writer = writerOf(object), { stream } = writer;
    return { stream: stream?.object, close: closedOf(writer), ready: readyOf(writer),
        desiredSize: stream === null ? undefined : desiredSize(stream) };
});

function checked(object) {
    const writer = writerOf(object);
    if (writer === undefined)
        throw wrongThis('WritableStreamDefaultWriter');
    return writer;
}

module.exports = { WritableStreamDefaultWriter, desiredSize, release, write };
