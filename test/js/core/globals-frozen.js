// Globals that are loaded when they are first used, of a global object that was frozen before.
'use strict';
const { log } = console;
Object.freeze(globalThis);
log(Object.isFrozen(globalThis));
const names = ['URL', 'URLSearchParams', 'Buffer', 'Event', 'EventTarget', 'structuredClone',
    'performance', 'setTimeout', 'queueMicrotask', 'console', 'process', 'global'];
for (const name of names)
    log(name, typeof globalThis[name], globalThis[name] === globalThis[name]);
log(new URL('http://a/b').href, Buffer.from('x').length, structuredClone([1]));
log(typeof setTimeout, typeof process, typeof performance.now());
for (const name of ['URL', 'setTimeout'])
    try {
        globalThis[name] = 1;
    } catch (error) {
        log(error.name, error.message);
    }
log(URL === require('url').URL, Buffer === require('buffer').Buffer);
setTimeout(log, 1, 'later');
queueMicrotask(() => log('soon'));
