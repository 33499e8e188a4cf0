// SPDX-License-Identifier: MIT
// reader -- ReadableStreamDefaultReader and ReadableStreamBYOBReader.
'use strict';

const { invalidState, invalidValue, isObject, rejected, reveal, show, wrongThis } =
    require('web/base');
const { coded, invalidArgType, outOfRange } = require('core/errors');
const { BYOB, DEFAULT, PromisedRead, cancelStream, closedOf, lock, readPromise,
    release } = require('web/readablestate');
const { checkView } = require('web/bytecontroller');
const { ByteController } = require('web/bytestream');
const { isDetached, lengthOf, partsOf } = require('web/views');

let streamOf; // of web/readable, which needs this file

function recordOf(stream) {
    streamOf ??= require('web/readable').streamOf;
    const record = streamOf(stream);
    if (record === undefined)
        throw invalidArgType('stream', 'an instance of ReadableStream', stream);
    return record;
}

function cancel(reader, reason) {
    return reader.stream === null
        ? rejected(invalidState('The reader is not attached to a stream'))
        : cancelStream(reader.stream, reason);
}

// ---- any values ----

let defaultOf;

class ReadableStreamDefaultReader {
    #reader;
    static {
        defaultOf = (value) => typeof value === 'object' && value !== null &&
            #reader in value ? value.#reader : undefined;
    }

    constructor(stream) {
        this.#reader = lock(recordOf(stream), DEFAULT);
    }

    read() {
        const reader = defaultOf(this);
        if (reader === undefined)
            return rejected(wrongThis('ReadableStreamDefaultReader'));
        return reader.stream === null
            ? rejected(invalidState('The reader is not attached to a stream'))
            : readPromise(reader.stream);
    }

    releaseLock() {
        const reader = defaultOf(this);
        if (reader === undefined)
            throw wrongThis('ReadableStreamDefaultReader');
        if (reader.stream !== null)
            release(reader);
    }

    get closed() {
        const reader = defaultOf(this);
        return reader === undefined ? rejected(wrongThis('ReadableStreamDefaultReader'))
            : closedOf(reader);
    }

    cancel(reason = undefined) {
        const reader = defaultOf(this);
        return reader === undefined ? rejected(wrongThis('ReadableStreamDefaultReader'))
            : cancel(reader, reason);
    }
}

// ---- into memory of the reader's own ----

// [EnforceRange] unsigned long long min = 1
function minimumOf(options) {
    if (options != null && !isObject(options))
        throw invalidArgType('options', 'of type object', options);
    const min = options?.min;
    if (min === undefined)
        return 1;
    const number = Math.trunc(+min);
    if (!Number.isFinite(number) || number < 0 || number > Number.MAX_SAFE_INTEGER)
        throw new TypeError(`${min} is outside the range of an unsigned long long`);
    return number;
}

function checkInto(view, min) {
    const { buffer, length, elementSize } = partsOf(view);
    if (length === 0)
        throw invalidState('View or Viewed ArrayBuffer is zero-length or detached');
    if (lengthOf(buffer) === 0)
        throw invalidState('View or Viewed ArrayBuffer is zero-length or detached');
    if (isDetached(buffer))
        throw invalidState('View or Viewed ArrayBuffer is zero-length or detached');
    if (min === 0)
        throw invalidValue(TypeError, 'options.min', min, 'must be greater than 0');
    if (min > length / elementSize)
        throw outOfRange('options.min', '<= view.length', min);
}

let byobOf;

class ReadableStreamBYOBReader {
    #reader;
    static {
        byobOf = (value) => typeof value === 'object' && value !== null &&
            #reader in value ? value.#reader : undefined;
    }

    constructor(stream) {
        const record = recordOf(stream);
        if (record.reader !== null)
            throw invalidState('ReadableStream is locked');
        if (!(record.controller instanceof ByteController))
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
                'The argument \'stream\' must be a byte stream. Received ' +
                require('util/inspect').inspect(stream));
        this.#reader = lock(record, BYOB);
    }

    read(view, options = undefined) {
        const reader = byobOf(this);
        if (reader === undefined)
            return rejected(wrongThis('ReadableStreamBYOBReader'));
        const { stream } = reader;
        let min;
        try {
            checkView('view', view);
            min = minimumOf(options);
            checkInto(view, min);
        } catch (error) {
            return rejected(error);
        }
        if (stream === null)
            return rejected(invalidState('The reader is not attached to a stream'));
        const request = new PromisedRead();
        readInto(stream, view, min, request);
        return request.promise;
    }

    releaseLock() {
        const reader = byobOf(this);
        if (reader === undefined)
            throw wrongThis('ReadableStreamBYOBReader');
        if (reader.stream !== null)
            release(reader);
    }

    get closed() {
        const reader = byobOf(this);
        return reader === undefined ? rejected(wrongThis('ReadableStreamBYOBReader'))
            : closedOf(reader);
    }

    cancel(reason = undefined) {
        const reader = byobOf(this);
        return reader === undefined ? rejected(wrongThis('ReadableStreamBYOBReader'))
            : cancel(reader, reason);
    }
}

function readInto(stream, view, min, request) {
    stream.isDisturbed = true;
    if (stream.state === 'errored')
        request.error(stream.storedError);
    else
        stream.controller.pullInto(view, min, request);
}

reveal(ReadableStreamDefaultReader, 'read', 'releaseLock', 'closed', 'cancel');
reveal(ReadableStreamBYOBReader, 'read', 'releaseLock', 'closed', 'cancel');
show(ReadableStreamDefaultReader, (object) => shownFields(defaultOf(object),
    'readRequests'));
show(ReadableStreamBYOBReader, (object) => shownFields(byobOf(object),
    'readIntoRequests'));

function shownFields(reader, name) {
    return { stream: reader.stream?.object, [name]: reader.requests.length,
        close: closedOf(reader) };
}

module.exports = { ReadableStreamDefaultReader, ReadableStreamBYOBReader, readInto };
