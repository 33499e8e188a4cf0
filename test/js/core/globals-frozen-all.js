// weir only
// Also those that Node itself fails to load from a frozen global object; and a sealed one.
'use strict';
const { log } = console;
Object.seal(globalThis);
const names = ['TextEncoder', 'TextDecoder', 'AbortController', 'PerformanceMark', 'atob', 'MessageChannel', 'BroadcastChannel', 'crypto'];
for (const name of names)
    log(name, typeof globalThis[name], globalThis[name] === globalThis[name]);
Object.freeze(globalThis);
log(new TextDecoder().decode(new TextEncoder().encode('text')), atob('eA=='), new AbortController().signal.aborted);
