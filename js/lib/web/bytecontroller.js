// SPDX-License-Identifier: MIT
// bytecontroller -- ReadableByteStreamController and ReadableStreamBYOBRequest,
// the objects that a program's source of bytes gets.
'use strict';

const { illegalConstructor, invalidState, isObject, reveal, show, wrongThis } =
    require('web/base');
const { invalidArgType } = require('core/errors');
const { kInternal, objectOf } = require('web/controller');
const { ByteController } = require('web/bytestream');
const { isDetached, isView, lengthOf, partsOf, transfer } = require('web/views');

function checkView(name, value) {
    if (!isView(value))
        throw invalidArgType(name,
            'an instance of Buffer, TypedArray, or DataView', value);
}

class ReadableStreamBYOBRequest {
    #controller; #view;

    constructor(key = undefined, controller = undefined, view = undefined) {
        if (key !== kInternal)
            throw illegalConstructor();
        this.#controller = controller;
        this.#view = view;
    }

    static invalidate(request) {
        request.#controller = undefined;
        request.#view = null;
    }

    static controllerOf(request) {
        const controller = request.#controller;
        return controller === undefined ? undefined : objectOf(controller);
    }

    static isOne(value) {
        return isObject(value) && #view in value;
    }

    get view() {
        if (!isRequest(this))
            throw wrongThis('ReadableStreamBYOBRequest');
        return this.#view;
    }

    respond(bytesWritten) {
        if (!isRequest(this))
            throw wrongThis('ReadableStreamBYOBRequest');
        const controller = this.#controller;
        if (controller === undefined)
            throw invalidState('This BYOB request has been invalidated');
        if (isDetached(partsOf(this.#view).buffer))
            throw invalidState('Viewed ArrayBuffer is detached');
        controller.respond(countOf(bytesWritten));
    }

    respondWithNewView(view) {
        if (!isRequest(this))
            throw wrongThis('ReadableStreamBYOBRequest');
        const controller = this.#controller;
        if (controller === undefined)
            throw invalidState('This BYOB request has been invalidated');
        checkView('view', view);
        if (isDetached(partsOf(view).buffer))
            throw invalidState('Viewed ArrayBuffer is detached');
        controller.respondWithView(view);
    }
}
const { controllerOf: controllerOfRequest, invalidate, isOne: isRequest } =
    ReadableStreamBYOBRequest;
delete ReadableStreamBYOBRequest.controllerOf;
delete ReadableStreamBYOBRequest.invalidate;
delete ReadableStreamBYOBRequest.isOne;

// [EnforceRange] unsigned long long
function countOf(value) {
    const number = +value;
    if (!Number.isFinite(number) || Math.trunc(number) < 0 ||
        Math.trunc(number) > Number.MAX_SAFE_INTEGER)
        throw new TypeError(`${number} is outside the range of an unsigned long long`);
    return Math.trunc(number) + 0;
}

// ---- the controller ----

let controllerOf, wrap;

class ReadableByteStreamController {
    #controller;
    static {
        controllerOf = (value) => {
            if (typeof value !== 'object' || value === null || !(#controller in value))
                throw wrongThis('ReadableByteStreamController');
            return value.#controller;
        };
        wrap = (controller) => new ReadableByteStreamController(kInternal, controller);
    }

    constructor(key = undefined, controller = undefined) {
        if (key !== kInternal)
            throw illegalConstructor();
        this.#controller = controller;
    }

    get byobRequest() { return requestOf(controllerOf(this)); }

    get desiredSize() { return controllerOf(this).desiredSize(); }

    close() {
        const controller = controllerOf(this);
        if (controller.isClosing)
            throw invalidState('Controller is already closed');
        if (controller.stream.state !== 'readable')
            throw invalidState('ReadableStream is already closed');
        controller.close();
    }

    enqueue(chunk) {
        const controller = controllerOf(this);
        checkView('buffer', chunk);
        const { buffer, offset, length } = partsOf(chunk);
        if (length === 0)
            throw invalidState('chunk ArrayBuffer is zero-length or detached');
        if (lengthOf(buffer) === 0)
            throw invalidState('chunk ArrayBuffer is zero-length or detached');
        if (controller.isClosing)
            throw invalidState('Controller is already closed');
        if (controller.stream.state !== 'readable')
            throw invalidState('ReadableStream is already closed');
        if (isDetached(buffer))
            throw invalidState('ArrayBuffer is detached');
        controller.enqueue(transfer(buffer), offset, length);
    }

    error(error = undefined) { controllerOf(this).error(error); }
}
reveal(ReadableStreamBYOBRequest, 'view', 'respond', 'respondWithNewView');
reveal(ReadableByteStreamController, 'byobRequest', 'desiredSize', 'close', 'enqueue',
    'error');
show(ReadableStreamBYOBRequest, (object) => ({ view: object.view,
    controller: controllerOfRequest(object) }));
show(ReadableByteStreamController, () => ({}));
ByteController.prototype.wrap = wrap;

function requestOf(controller) {
    const { first } = controller.places;
    if (controller.request === null && first !== null)
        controller.request = { object: newRequest(controller, first),
            invalidate() { invalidate(this.object); } };
    return controller.request === null ? null : controller.request.object;
}

function newRequest(controller, place) {
    return new ReadableStreamBYOBRequest(kInternal, controller, new Uint8Array(
        place.buffer, place.offset + place.filled, place.length - place.filled));
}

module.exports = { ReadableByteStreamController, ReadableStreamBYOBRequest, checkView,
    requestOf };
