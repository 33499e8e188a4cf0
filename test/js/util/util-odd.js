// What odd arguments have shown to differ from Node once.
const util = require('util');
const path = require('path');
const EventEmitter = require('events');
const show = (make) => {
    try {
        console.log(make());
    } catch (error) {
        console.log(error.name, error.code, error.code && error.message);
    }
};
for (const value of [undefined, null, 5, {}, () => {}]) {
    show(() => util.formatWithOptions(value, 'x'));
    show(() => util.stripVTControlCharacters(value));
    show(() => { util.inspect.defaultOptions = value; });
    show(() => typeof util.debuglog(value));
    show(() => util.inherits(value, EventEmitter));
    show(() => util.inherits(EventEmitter, value));
    show(() => path.basename(value, null));
    show(() => new EventTarget().removeEventListener('x', value));
    show(() => new EventTarget().addEventListener('x', () => {}, value));
    show(() => AbortSignal.timeout(value));
    show(() => AbortSignal.any(value));
    show(() => Buffer.alloc(3).fill('a', value));
}
show(() => AbortSignal.timeout(-1));
show(() => AbortSignal.timeout(1.5));
show(() => Buffer.alloc(3).fill('a', 1.5));
const called = util.callbackify(async function named(a, b) {});
console.log(called.name, called.length, util.callbackify(async () => {}));
console.log(util.inspect.defaultOptions.breakLength);
util.inspect.defaultOptions = { depth: 0 };
console.log({ a: { b: 1 } });
util.inspect.defaultOptions = { depth: 2 };

// Listeners as an emitter shows them.
const emitter = new EventEmitter().setMaxListeners(2);
emitter.on('one', () => {});
for (let i = 0; i < 2; i++)
    emitter.on('two', function listener() {});
console.log(emitter);
emitter.off('two', emitter.listeners('two')[0]);
console.log(emitter._events, emitter.rawListeners('two'), emitter.listenerCount('one'));
