// EventEmitterAsyncResource: listeners run in the emitter's context.
'use strict';
const { AsyncLocalStorage } = require('async_hooks');
const { EventEmitterAsyncResource: Resource } = require('events');

const show = (f) => {
    try {
        console.log(f());
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
};
const storage = new AsyncLocalStorage();
const emitter = storage.run('inside', () => new Resource({ name: 'Test' }));
emitter.on('event', (...args) => console.log(storage.getStore(), args));
storage.run('outside', () => console.log(emitter.emit('event', 1, 2), emitter.emit('none')));

class Own extends Resource {}
show(() => new Own().asyncResource.constructor.name);
show(() => new Own('name').asyncResource.eventEmitter instanceof Own);
show(() => new Own({ name: 'x' }).asyncId > 0);
show(() => typeof emitter.triggerAsyncId);
show(() => emitter.emitDestroy());
show(() => new Resource());
show(() => new Resource({}));
show(() => new Resource({ name: 5 }));
show(() => Resource.prototype.asyncId);
show(() => Object.getOwnPropertyNames(Resource.prototype));
