// SPDX-License-Identifier: MIT
// transform -- TransformStream.
'use strict';

const { apply, attempt, checkStrategy, functionOf, highWaterMarkOf, illegalConstructor,
    invalidState, invalidValue, isObject, newPromise, react, rejected, reveal, show, sizeOf,
    transform, wrongThis } = require('web/base');
const { invalidArgType } = require('core/errors');
const { Controller, Writable, adoptWritable } = require('web/writable');
const { DefaultController, startController } = require('web/controller');
const { Readable } = require('web/readablestate');

// The record of a TransformStream and of its controller.
class Transform {
    object = null;
    controller = null; // the public one
    readable = new Readable();
    writable = new Writable();
    hasBackpressure = true;
    change = newPromise(); // of hasBackpressure
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
        this.change.resolve(undefined);
        this.change = newPromise();
        this.hasBackpressure = isFull;
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
        return transform(this.change.promise, () => {
            if (this.writable.state === 'erroring')
                throw this.writable.storedError;
            return this.perform(chunk);
        });
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
        this.setBackpressure(false);
        return this.change.promise;
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

// ---- the classes ----

const kInternal = Symbol('internal');
let controlled;

class TransformStreamDefaultController {
    #transform;
    static {
        controlled = (value) => {
            if (!isObject(value) || !(#transform in value))
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
        transformOf = (value) => isObject(value) && #transform in value
            ? value.#transform : undefined;
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
        : apply(start, record.transformer, [record.controller]));
}

// A TransformStream of the host's own; functions as of a transformer.
function newTransform(functions) {
    const record = new Transform(undefined, functions);
    adoptTransform(record);
    setUp(record, undefined, { size: undefined, highWaterMark: 0 },
        { size: undefined, highWaterMark: 1 });
    return record;
}

module.exports = { TransformStream, TransformStreamDefaultController, newTransform,
    transformOf };
