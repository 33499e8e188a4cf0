// Names whose library is not loaded yet behave like any other property.
'use strict';
const { log } = console;
const { hasOwn, getOwnPropertyDescriptor: describe, defineProperty: define } = Object;
const own = 'global clearImmediate setImmediate clearInterval clearTimeout setInterval setTimeout queueMicrotask structuredClone atob btoa ' +
    'performance fetch crypto';
log(Object.keys(globalThis).slice(0, 14).join(' ') === own);
log('Blob' in globalThis, hasOwn(globalThis, 'Blob'), Reflect.has(globalThis, 'Blob'), Reflect.ownKeys(globalThis).includes('Blob'),
    Object.prototype.propertyIsEnumerable.call(globalThis, 'Blob'), Object.prototype.propertyIsEnumerable.call(globalThis, 'fetch'));

// Examined, then used; get and set once more after that.
const { get, set, enumerable, configurable } = describe(globalThis, 'Blob');
log(typeof get, typeof set, enumerable, configurable);
log(typeof Blob, new Blob(['ab']).size, get() === Blob);
set(7);
log(Blob, describe(globalThis, 'Blob'));

// Assigned, deleted and declared before the first use.
globalThis.CountQueuingStrategy = 1;
log(CountQueuingStrategy, describe(globalThis, 'CountQueuingStrategy'));
MessageChannel = 2;
log(MessageChannel, describe(globalThis, 'MessageChannel'));
log(delete globalThis.Headers, typeof Headers, hasOwn(globalThis, 'Headers'));
globalThis.Headers = 3;
log(Headers, describe(globalThis, 'Headers'));
(0, eval)('function Request() { return 4 } var Response; let FormData = 5;');
log(Request(), describe(globalThis, 'Request').writable, typeof Response, FormData === 5, typeof globalThis.FormData);

// Only attributes change, or another accessor takes the place.
define(globalThis, 'TextEncoder', { enumerable: true });
log(Object.keys(globalThis).includes('TextEncoder'), new TextEncoder().encode('a'), describe(globalThis, 'TextEncoder').enumerable);
define(globalThis, 'AbortController', { get: () => 6 });
log(AbortController, describe(globalThis, 'AbortController').set !== undefined);
define(globalThis, 'AbortSignal', { value: 8 });
log(AbortSignal, describe(globalThis, 'AbortSignal').configurable);

// Inherited, and called with another object.
const heir = Object.create(globalThis);
log(typeof heir.MessagePort, hasOwn(heir, 'MessagePort'), heir.MessagePort === MessagePort);
log(Reflect.get(globalThis, 'BroadcastChannel', {}) === BroadcastChannel);

// All at once.
const all = Object.getOwnPropertyDescriptors(globalThis);
log(typeof all.TextDecoderStream.get, typeof TextDecoderStream, all.TextDecoderStream.get() === TextDecoderStream);
