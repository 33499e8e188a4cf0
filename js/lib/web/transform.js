// SPDX-License-Identifier: MIT
// transform -- TransformStream.
'use strict';

const { PENDING, attempt, checkStrategy, functionOf, highWaterMarkOf, illegalConstructor,
    invalidState, invalidValue, invoke, isObject, later, newPromise, react, rejected, reveal,
    show, sizeOf, transform, wrongThis } = require('web/base');
const { invalidArgType } = require('core/errors');
const { Controller, Writable, adoptWritable, writeFailed, written } =
    require('web/writable');
const { DefaultController, pulled, startController } = require('web/controller');
const { Readable } = require('web/readablestate');

const NONE = Symbol('none');

// The record of a TransformStream and of its controller.
class Transform {
    object = null;
    controller = null; // the public one
    readable = new Readable();
    writable = new Writable();
    hasBackpressure = true;
    isPulled = false; // the readable side waits for a chunk
    waiting = NONE; // the chunk of a write that waits for the readable side
    finish = null; // {promise, resolve, reject}, once it is closed or cancelled

    constructor(transformer, functions) {
        this.transformer = transformer;
        this.functions = functions; // {transform, flush, cancel}
    }

    clear() {
        this.functions = {};
        this.transformer = undefined;
    }

    setBackpressure(isFull) {
        this.hasBackpressure = isFull;
        if (!isFull && this.waiting !== NONE)
            later(resumeWrite, this);
        if (isFull && this.isPulled) {
            this.isPulled = false;
            later(pulled, this.readable.controller);
        }
    }

    // ---- what the program's functions call ----

    enqueue(chunk) {
        const { controller } = this.readable;
        if (!controller.canEnqueue())
            throw invalidState('Unable to enqueue');
        try {
            controller.enqueue(chunk);
        } catch (error) {
            this.errorWritable(error);
            throw this.readable.storedError;
        }
        if (controller.hasBackpressure() && !this.hasBackpressure)
            this.setBackpressure(true);
    }

    error(reason) {
        this.readable.controller.error(reason);
        this.errorWritable(reason);
    }

    terminate() {
        const { controller } = this.readable;
        if (controller.canEnqueue())
            controller.close();
        this.errorWritable(invalidState('TransformStream has been terminated'));
    }

    errorWritable(reason) {
        this.clear();
        this.writable.controller.errorIfNeeded(reason);
        this.unblockWrite();
    }

    unblockWrite() {
        if (this.hasBackpressure)
            this.setBackpressure(false);
    }

    // ---- the sink of its writable side ----

    write(chunk) {
        if (!this.hasBackpressure)
            return this.perform(chunk);
        this.waiting = chunk;
        return PENDING;
    }

    perform(chunk) {
        const { functions, transformer } = this;
        if (functions.transform === undefined) {
            try {
                this.enqueue(chunk);
            } catch (error) {
                this.error(error);
                return rejected(error);
            }
            return undefined;
        }
        const result = attempt(functions.transform, transformer, chunk, this.controller);
        return result === undefined ? undefined
            : transform(result, undefined, (reason) => {
                this.error(reason);
                throw reason;
            });
    }

    close() {
        return this.finishBy('flush', this.controller, () => {
            if (this.readable.state === 'errored')
                throw this.readable.storedError;
            if (this.readable.controller.canEnqueue())
                this.readable.controller.close();
        }, (reason) => this.readable.controller.error(reason));
    }

    abort(reason) {
        return this.finishBy('cancel', reason, () => {
            if (this.readable.state === 'errored')
                throw this.readable.storedError;
            this.readable.controller.error(reason);
        }, (failure) => this.readable.controller.error(failure));
    }

    // ---- the source of its readable side ----

    pull() {
        this.isPulled = true;
        this.setBackpressure(false);
        return PENDING;
    }

    cancel(reason) {
        return this.finishBy('cancel', reason, () => {
            if (this.writable.state === 'errored')
                throw this.writable.storedError;
            this.writable.controller.errorIfNeeded(reason);
            this.unblockWrite();
        }, (failure) => {
            this.writable.controller.errorIfNeeded(failure);
            this.unblockWrite();
        });
    }

    // Call the program's last function, only once, and end the other side then.
    finishBy(name, argument, onDone, onFailed) {
        if (this.finish !== null)
            return this.finish.promise;
        const { functions, transformer } = this;
        const { promise, resolve, reject } = this.finish = newPromise();
        const result = functions[name] === undefined ? undefined
            : attempt(functions[name], transformer, argument);
        this.clear();
        react(result, () => {
            try {
                onDone();
                resolve(undefined);
            } catch (error) {
                reject(error);
            }
        }, (_, reason) => {
            onFailed(reason);
            reject(reason);
        });
        return promise;
    }
}

// There is room for the chunk that waits, or the stream has ended.  If both
// happen at once, the second call finds no chunk.
function resumeWrite(record) {
    const { waiting, writable } = record;
    if (waiting === NONE)
        return;
    record.waiting = NONE;
    react(writable.state === 'erroring' ? rejected(writable.storedError)
        : record.perform(waiting), written, writeFailed, writable);
}

// ---- the classes ----

const kInternal = Symbol('internal');
let controlled;

class TransformStreamDefaultController {
    #transform;
    static {
        controlled = (value) => {
            if (typeof value !== 'object' || value === null || !(#transform in value))
                throw wrongThis('TransformStreamDefaultController');
            return value.#transform;
        };
    }

    constructor(key = undefined, record = undefined) {
        if (key !== kInternal)
            throw illegalConstructor();
        this.#transform = record;
    }

    get desiredSize() { return controlled(this).readable.controller.desiredSize(); }
    enqueue(chunk = undefined) { controlled(this).enqueue(chunk); }
    error(reason = undefined) { controlled(this).error(reason); }
    terminate() { controlled(this).terminate(); }
}
reveal(TransformStreamDefaultController, 'desiredSize', 'enqueue', 'error', 'terminate');
show(TransformStreamDefaultController, (object) => ({
    stream: controlled(object).object }));

let transformOf, adoptTransform;

class TransformStream {
    #transform;
    static {
        transformOf = (value) => typeof value === 'object' && value !== null &&
            #transform in value ? value.#transform : undefined;
        adoptTransform = (record) => new TransformStream(kInternal, record);
    }

    constructor(transformer = undefined, writableStrategy = undefined,
        readableStrategy = undefined) {
        if (transformer === kInternal) {
            this.#transform = writableStrategy;
            writableStrategy.object = this;
            return;
        }
        if (transformer !== undefined && !isObject(transformer))
            throw invalidArgType('transformer', 'of type object', transformer);
        checkStrategy(writableStrategy, 'writableStrategy');
        checkStrategy(readableStrategy, 'readableStrategy');
        const { cancel, flush, readableType, start, transform: fn, writableType } =
            transformer ?? {};
        for (const [name, value] of Object.entries({ start, transform: fn, flush, cancel }))
            functionOf(value, `transformer.${name}`);
        if (readableType !== undefined)
            throw invalidValue(RangeError, 'transformer.readableType', readableType);
        if (writableType !== undefined)
            throw invalidValue(RangeError, 'transformer.writableType', writableType);
        const record = this.#transform = new Transform(transformer,
            { transform: fn, flush, cancel });
        record.object = this;
        setUp(record, start, strategyOf(readableStrategy, 0),
            strategyOf(writableStrategy, 1));
    }

    get readable() { return checked(this).readable.object; }
    get writable() { return checked(this).writable.object; }
}
reveal(TransformStream, 'readable', 'writable');
show(TransformStream, (object) => ({ readable: object.readable, writable: object.writable,
    backpressure: transformOf(object).hasBackpressure }));

function checked(object) {
    const record = transformOf(object);
    if (record === undefined)
        throw wrongThis('TransformStream');
    return record;
}

function strategyOf(strategy, mark) {
    return { size: sizeOf(strategy?.size),
        highWaterMark: highWaterMarkOf(strategy?.highWaterMark, mark) };
}

// Both sides begin when start() is done.
function setUp(record, start, readableStrategy, writableStrategy) {
    const { readable, writable } = record;
    const begun = newPromise(), starting = () => begun.promise;
    const { write, close, abort, pull, cancel } = record;
    require('web/readable').adoptReadable(readable);
    adoptWritable(writable);
    new Controller(writable, record, write, close, abort, writableStrategy.highWaterMark,
        writableStrategy.size).start(starting);
    startController(new DefaultController(readable, record, pull, cancel,
        readableStrategy.highWaterMark, readableStrategy.size), starting);
    record.controller = new TransformStreamDefaultController(kInternal, record);
    begun.resolve(start === undefined ? undefined
        : invoke(start, record.transformer, record.controller));
}

// A TransformStream of the host's own; functions as of a transformer.
function newTransform(functions) {
    const record = new Transform(undefined, functions);
    adoptTransform(record);
    setUp(record, undefined, { size: undefined, highWaterMark: 0 },
        { size: undefined, highWaterMark: 1 });
    return record;
}

require('messages/host').defineTransfer(TransformStream.prototype, function () {
    return transformOf(this) === undefined ? undefined
        : require('web/transfer').sendTransform(this);
});

module.exports = { Transform, TransformStream, TransformStreamDefaultController, adoptTransform,
    newTransform, transformOf };
