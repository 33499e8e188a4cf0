// Globals that are loaded when they are first used: seen, replaced, deleted.
const names = ['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'Buffer', 'Event', 'EventTarget', 'AbortController', 'structuredClone',
    'performance', 'crypto', 'Crypto', 'PerformanceMark', 'setTimeout', 'queueMicrotask', 'console', 'process', 'global', 'atob'];
for (const name of names)
    console.log(name, name in globalThis, Object.hasOwn(globalThis, name), Object.prototype.propertyIsEnumerable.call(globalThis, name),
        Object.getOwnPropertyDescriptor(globalThis, name).configurable, typeof globalThis[name], globalThis[name] === globalThis[name]);
URL = 'mine';
console.log(URL, Object.keys(Object.getOwnPropertyDescriptor(globalThis, 'URL')).join());
globalThis.TextEncoder = 5;
console.log(TextEncoder);
console.log(delete globalThis.Buffer, typeof Buffer);
Object.defineProperty(globalThis, 'Event', { value: 1, configurable: true });
console.log(Event);
const { TextDecoder: taken } = globalThis;
console.log(taken === TextDecoder, new taken().encoding, new (require('url').URL)('http://a').href);
