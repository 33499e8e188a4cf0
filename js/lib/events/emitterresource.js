// SPDX-License-Identifier: MIT
// emitterresource -- Node's EventEmitterAsyncResource: an emitter whose listeners
// run in the context in which it was created.
'use strict';

const EventEmitter = require('events/events');
const { AsyncResource } = require('events/async_hooks');
const { checkObject, coded, invalidArgType } = require('core/errors');

class EventEmitterReferencingAsyncResource extends AsyncResource {
    #emitter;

    constructor(emitter, type, options) {
        super(type, options);
        this.#emitter = emitter;
    }

    get eventEmitter() {
        return this.#emitter;
    }
}

module.exports = class EventEmitterAsyncResource extends EventEmitter {
    #resource;

    constructor(options = undefined) {
        let name = options;
        if (typeof options !== 'string') {
            if (options !== undefined)
                checkObject(options, 'options');
            name = options?.name ?? new.target.name;
            if (new.target === EventEmitterAsyncResource && typeof options?.name !== 'string')
                throw invalidArgType('options.name', 'of type string', options?.name);
            if (typeof name !== 'string')
                throw invalidArgType('options.name', 'of type string', name);
        }
        super(typeof options === 'object' ? options : undefined);
        this.#resource = new EventEmitterReferencingAsyncResource(this, name,
            typeof options === 'object' ? options : undefined);
    }

    static of(value) {
        if (typeof value !== 'object' || value === null || !(#resource in value))
            throw coded(TypeError, 'ERR_INVALID_THIS',
                'Value of "this" must be of type EventEmitterAsyncResource');
        return value.#resource;
    }

    emit(event, ...args) {
        return of(this).runInAsyncScope(super.emit, this, event, ...args);
    }

    emitDestroy() {
        of(this).emitDestroy();
    }

    get asyncId() {
        return of(this).asyncId();
    }

    get triggerAsyncId() {
        return of(this).triggerAsyncId();
    }

    get asyncResource() {
        return of(this);
    }
};

const { of } = module.exports;
delete module.exports.of;
