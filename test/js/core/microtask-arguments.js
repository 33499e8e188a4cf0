// queueMicrotask: what it refuses, and how it calls.
for (const odd of [undefined, null, 5, 'x', {}, Symbol('s'), new Map()])
    try {
        queueMicrotask(odd);
    } catch ({ name, code, message }) {
        console.log(name, code, message);
    }
try {
    queueMicrotask();
} catch ({ name, code, message }) {
    console.log(name, code, message);
}
console.log(queueMicrotask.name, queueMicrotask.length, Object.keys(globalThis).includes('queueMicrotask'), queueMicrotask(() => {}));
queueMicrotask(function () { 'use strict'; console.log('strict', this, arguments.length); });
queueMicrotask(function () { console.log('sloppy', this === globalThis); });
process.on('uncaughtException', (error) => console.log('uncaught', error.message));
queueMicrotask(() => { throw new Error('first'); });
queueMicrotask(() => console.log('second'));
process.nextTick(() => console.log('tick'));
setImmediate(() => console.log('immediate'));
