// SPDX-License-Identifier: MIT
// controller -- ReadableStreamDefaultController: a queue of any values.
'use strict';

const { List, PENDING, attempt, checkSize, illegalConstructor, invalidState, invoke, later, react,
    resolvedWith, reveal, show, wrongThis } = require('web/base');
const { closeStream, errorStream } = require('web/readablestate');

class Entry {
    constructor(chunk, size) {
        this.chunk = chunk;
        this.size = size;
        this.next = null;
    }
}

// What a controller of any kind does when its stream wants more.  The program's
// pull() is called by callPull(), a job after it ended by pulled().
function pulled(controller) {
    controller.isPulling = false;
    if (controller.isPullWanted) {
        controller.isPullWanted = false;
        callPull(controller);
    }
}

function pullFailed(controller, reason) {
    controller.error(reason);
}

function callPull(controller) {
    if (controller.pull === undefined || controller.isPullWanted ||
        !controller.shouldPull())
        return;
    if (controller.isPulling) {
        controller.isPullWanted = true;
        return;
    }
    controller.isPulling = true;
    let result;
    try {
        result = invoke(controller.pull, controller.source, controller.object ??
            objectOf(controller));
    } catch (error) {
        later(() => pullFailed(controller, error));
        return;
    }
    if (result === undefined)
        later(pulled, controller);
    else if (result !== PENDING)
        react(result, pulled, pullFailed, controller);
}

// Call start(), and begin when it is done.
function startController(controller, start) {
    react(start === undefined ? undefined : resolvedWith(
        invoke(start, controller.source, objectOf(controller))), () => {
        controller.isStarted = true;
        callPull(controller);
    }, pullFailed, controller);
}

class DefaultController {
    object = null;
    queue = new List();
    total = 0;
    isStarted = false;
    isClosing = false; // close() was called, the queue is not empty
    isPulling = false;
    isPullWanted = false;

    // size undefined: each chunk counts as 1
    constructor(stream, source, pull, cancel, highWaterMark, size) {
        this.stream = stream;
        this.source = source;
        this.pull = pull;
        this.cancel = cancel;
        this.highWaterMark = highWaterMark;
        this.size = size;
        stream.controller = this;
    }

    clear() {
        this.pull = this.cancel = this.size = this.source = undefined;
    }

    canEnqueue() {
        return !this.isClosing && this.stream.state === 'readable';
    }

    desiredSize() {
        const { state } = this.stream;
        return state === 'readable' ? this.highWaterMark - this.total
            : state === 'closed' ? 0 : null;
    }

    shouldPull() {
        const { reader, state } = this.stream;
        return this.isStarted && !this.isClosing && state === 'readable' &&
            (this.highWaterMark > this.total ||
            (reader !== null && reader.requests.length > 0));
    }

    hasBackpressure() {
        return !this.shouldPull();
    }

    enqueue(chunk) {
        const { reader } = this.stream;
        if (reader !== null && reader.requests.length > 0) {
            reader.requests.shift().chunk(chunk);
        } else {
            let size = 1;
            if (this.size !== undefined)
                try {
                    size = checkSize((0, this.size)(chunk));
                } catch (error) {
                    this.error(error);
                    throw error;
                }
            this.queue.push(new Entry(chunk, size));
            this.total += size;
        }
        callPull(this);
    }

    close() {
        this.isClosing = true;
        if (this.queue.length === 0) {
            this.clear();
            closeStream(this.stream);
        }
    }

    error(reason) {
        if (this.stream.state !== 'readable')
            return;
        this.reset();
        this.clear();
        errorStream(this.stream, reason);
    }

    reset() {
        this.queue = new List();
        this.total = 0;
    }

    hasChunk() {
        return this.queue.length > 0;
    }

    take() {
        const { chunk, size } = this.queue.shift();
        // Sums of fractions may end slightly off.
        this.total = this.queue.length === 0 ? 0 : Math.max(this.total - size, 0);
        if (this.isClosing && this.queue.length === 0) {
            this.clear();
            closeStream(this.stream);
        } else {
            callPull(this);
        }
        return chunk;
    }

    pullSteps(request) {
        if (this.queue.length > 0) {
            request.chunk(this.take());
            return;
        }
        this.stream.reader.requests.push(request);
        callPull(this);
    }

    cancelSteps(reason) {
        const { cancel, source } = this;
        this.reset();
        const result = cancel === undefined ? undefined : attempt(cancel, source, reason);
        this.clear();
        return result;
    }

    releaseSteps() {}
}

// ---- the public class ----

const kInternal = Symbol('internal');
let controllerOf, wrap;

class ReadableStreamDefaultController {
    #controller;
    static {
        controllerOf = (value) => {
            if (typeof value !== 'object' || value === null || !(#controller in value))
                throw wrongThis('ReadableStreamDefaultController');
            return value.#controller;
        };
        wrap = (controller) => new ReadableStreamDefaultController(kInternal, controller);
    }

    constructor(key = undefined, controller = undefined) {
        if (key !== kInternal)
            throw illegalConstructor();
        this.#controller = controller;
    }

    get desiredSize() { return controllerOf(this).desiredSize(); }

    close() {
        const controller = controllerOf(this);
        if (!controller.canEnqueue())
            throw invalidState('Controller is already closed');
        controller.close();
    }

    enqueue(chunk = undefined) {
        const controller = controllerOf(this);
        if (controller.isClosing || controller.stream.state !== 'readable')
            throw invalidState('Controller is already closed');
        controller.enqueue(chunk);
    }

    error(error = undefined) { controllerOf(this).error(error); }
}
reveal(ReadableStreamDefaultController, 'desiredSize', 'close', 'enqueue', 'error');
show(ReadableStreamDefaultController, () => ({}));
DefaultController.prototype.wrap = wrap;

// What the program's functions get; many controllers need none.
function objectOf(controller) {
    return controller.object ??= controller.wrap(controller);
}

module.exports = { DefaultController, ReadableStreamDefaultController, callPull, kInternal,
    objectOf, pulled, startController };
