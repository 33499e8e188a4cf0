// SPDX-License-Identifier: MIT
// AsyncLocalStorage: the store follows a program through whatever it waits for.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';

const a = new AsyncLocalStorage(), b = new AsyncLocalStorage();
const show = (what) => console.log(what, a.getStore(), b.getStore());
const wait = (begin) => new Promise((resolve) => begin(resolve));

// ---- without waiting ----

show('outside');
console.log(a.run(1, (x, y) => { show('inside'); return x + y; }, 2, 3));
show('after');
a.run(1, () => b.run(2, () => { show('nested'); a.run(3, () => show('again')); show('back'); }));
a.run(1, () => { a.exit((...args) => { show('exit'); console.log(args); }, 'x'); show('back'); });
try {
    a.run(1, () => { throw new Error('thrown'); });
} catch (error) {
    show(error.message);
}
a.run(undefined, () => show('undefined'));
a.run(null, () => show('null'));
for (const value of [undefined, 1, {}])
    try {
        a.run(1, value);
    } catch (error) {
        console.log(error.name);
        show('after');
    }

// ---- waiting ----

async function deep(n) {
    await null;
    return n > 0 ? deep(n - 1) : a.getStore();
}
await a.run(1, async () => {
    show('begin');
    await null;
    show('await');
    await sleep(1);
    show('timers/promises');
    await wait((done) => setTimeout((x) => { show(`timeout ${x}`); done(); }, 1, 'x'));
    await wait((done) => setImmediate((x) => { show(`immediate ${x}`); done(); }, 'x'));
    await wait((done) => process.nextTick((x) => { show(`tick ${x}`); done(); }, 'x'));
    await wait((done) => queueMicrotask(() => { show('microtask'); done(); }));
    await wait((done) => {
        let left = 2;
        const timer = setInterval(() => {
            show('interval');
            if (--left === 0) { clearInterval(timer); done(); }
        }, 1);
    });
    await wait((done) => fs.stat('/', () => { show('fs'); done(); }));
    await fs.promises.stat('/');
    show('fs/promises');
    console.log(await deep(5), await Promise.all([deep(1), b.run(2, () => deep(2))]));
    await { then(resolve) { show('thenable'); resolve(); } };
    show('after it');
    for await (const x of (async function* () { yield 1; await null; show('generator'); yield 2; })())
        show(`for await ${x}`);
    await Promise.reject(new Error('no')).catch(() => show('catch')).finally(() => show('finally'));
});
show('outside');

// Where then() is called matters, neither the promise nor who resolves it.
let resolve;
const promise = a.run('made', () => new Promise((r) => { resolve = r; }));
const first = a.run('then', () => promise.then(() => show('first')));
const second = promise.then(() => show('second'));
a.run('resolved', () => resolve());
await Promise.all([first, second]);
a.run('late', () => promise.then(() => show('third')));
await null;

// enterWith lasts for what follows, up to the end of this function's turn.
await a.run(1, async () => {
    a.enterWith(2);
    show('entered');
    await null;
    show('still');
    await (async () => { a.enterWith(3); await null; show('inner'); })();
    show('outer');
});
show('outside');
setTimeout(() => { a.enterWith('timer'); show('timer'); }, 1);
await sleep(5);
show('not from the timer');

// An emitter calls its listeners in the context of emit().
const emitter = new EventEmitter();
a.run('listening', () => emitter.on('x', () => show('listener')));
a.run('emitting', () => emitter.emit('x'));
a.run('waiting', () => once(emitter, 'y').then(() => show('once')));
a.run('emitting', () => emitter.emit('y'));
await sleep(1);

// ---- ports and workers ----

const { port1, port2 } = a.run('channel', () => new MessageChannel());
await a.run('listening', () => wait((done) => {
    port1.on('message', (value) => { show(`message ${value}`); done(); });
    a.run('posting', () => port2.postMessage('x'));
}));
port1.close();
const worker = a.run('worker', () => new Worker(
    'require("worker_threads").parentPort.postMessage(1)', { eval: true }));
await a.run('listening', () => wait((done) => {
    worker.on('message', () => show('message of a worker'));
    worker.on('exit', () => { show('exit of a worker'); done(); });
}));

// ---- bound functions ----

const bound = a.run('bound', () => AsyncLocalStorage.bind(function (x) { show(`bind ${x} ${this?.name}`); }));
bound(1);
bound.call({ name: 'self' }, 2);
const snapshot = a.run('snapshot', () => AsyncLocalStorage.snapshot());
console.log(a.run('other', () => snapshot((x) => { show('snapshot'); return x; }, 'result')), bound.length);

class Query extends AsyncResource {
    constructor() { super('QUERY'); }
}
const query = a.run('resource', () => new Query());
console.log(query.runInAsyncScope(function (x) { show('scope'); return [this, x]; }, 'this', 1));
console.log(typeof query.asyncId(), query.asyncId() !== new Query().asyncId(), query.emitDestroy() === query);
console.log(query.bind(function (x, y) { show('bound'); return this; }, 'this')(), query.bind((x, y) => 1).length);
console.log(AsyncResource.bind((x) => x + 1)(1), new AsyncResource('X', { triggerAsyncId: 7 }).triggerAsyncId());
for (const make of [() => new AsyncResource(), () => new AsyncResource(1), () => query.bind(1),
    () => new AsyncResource('X', { triggerAsyncId: -2 }), () => new AsyncResource('X', { triggerAsyncId: 'x' })])
    try {
        make();
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }

// ---- disabling ----

a.run(1, () => b.run(2, () => {
    a.disable();
    show('disabled');
    a.run(3, () => show('enabled again'));
    show('and back');
}));
