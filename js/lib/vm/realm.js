// SPDX-License-Identifier: MIT
// realm -- prepare the global object of a new context of node:vm.  It runs there,
// as this file does nowhere else, with `native` as what the contexts share.
'use strict';

// What Node's contexts do not have.
for (const name of ['queueMicrotask', 'atob', 'btoa', 'performance', 'DOMException'])
    delete globalThis[name];

const define = (object, name, value) => Object.defineProperty(object, name,
    { value, writable: true, configurable: true });

// V8 gives each context a console, which without an inspector writes nothing.
const console = {};
for (const name of ('debug error info log warn dir dirxml table trace group groupCollapsed ' +
    'groupEnd clear count countReset assert profile profileEnd time timeLog timeEnd ' +
    'timeStamp context').split(' '))
    console[name] = { [name]() {} }[name];
define(console, Symbol.toStringTag, 'console');
define(globalThis, 'console', console);

// Shared memory is the host's: how code waits on it, and which buffers it sees grow.
define(globalThis, 'SharedArrayBuffer', native.SharedArrayBuffer);
define(globalThis, 'Atomics', native.Atomics);

// Intl too, which is loaded by its first use.
if (native.intl !== undefined)
    Object.defineProperty(globalThis, 'Intl', {
        get: () => native.intl(), // a value would appear in the program's object
        set(value) {
            define(globalThis, 'Intl', value);
        },
        configurable: true,
    });
