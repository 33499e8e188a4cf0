// Values of another realm: different builtins, yet known to util, assert and clones.
'use strict';
const vm = require('node:vm');
const assert = require('node:assert');
const util = require('node:util');
const p = console.log;

const foreign = vm.runInNewContext('[1, 2]');
p(foreign instanceof Array, Array.isArray(foreign), foreign.constructor === Array, foreign);
p(vm.runInNewContext('({ a: [1, new Map([[1, 2]]), new Set([3]), new Date(0), /a/g, class A {},' +
    ' function () {}, Symbol("q"), new Uint8Array(2), new Proxy({}, {}), 1n, null] })'));
p(vm.runInNewContext('[Promise.resolve(1), new ArrayBuffer(2), new WeakMap(), function* g() {}]'));
const error = vm.runInNewContext('new TypeError("other")');
p(error instanceof Error, util.types.isNativeError(error), error.name, util.inspect(error).split('\n')[0]);
p(util.isDeepStrictEqual(foreign, [1, 2]), util.types.isDate(vm.runInNewContext('new Date()')));
assert.deepEqual(foreign, [1, 2]);
assert.throws(() => assert.deepStrictEqual(vm.runInNewContext('({ a: 1 })'), { a: 1 }),
    { code: 'ERR_ASSERTION' });
const clone = structuredClone(vm.runInNewContext('({ m: new Map([[1, { d: new Date(5) }]]), e: new RangeError("r") })'));
p(clone.m, clone instanceof Object, clone.m instanceof Map, clone.e instanceof RangeError, clone.e.message);
p(Buffer.from(vm.runInNewContext('new Uint8Array([104, 105])')).toString());
p(JSON.stringify(vm.runInNewContext('({ toJSON() { return [1] } })')));

const s = vm.createContext({ p, Array, outer: [] });
p(vm.runInContext('Array === [].constructor', s), vm.runInContext('outer instanceof Array', s));
p(vm.runInContext('Symbol.iterator', s) === Symbol.iterator);
p(vm.runInContext('Symbol.for("x")', s) === Symbol.for('x'));
vm.runInContext('Object.prototype.polluted = 1; String.prototype.trim = null', s);
p({}.polluted, ' x '.trim());

// Jobs of all realms share one queue.
vm.runInContext('Promise.resolve().then(() => p("job 1"))', s);
Promise.resolve().then(() => p('job 2'));
vm.runInContext('(async () => { await null; p("job 3"); })()', s);
p('first');
(async () => p(await vm.runInContext('new Promise((r) => r("awaited"))', s)))();

process.on('unhandledRejection', (reason) => p('unhandled', reason.message, reason instanceof Error));
vm.runInContext('Promise.reject(new Error("rejected"))', s);
process.on('uncaughtException', (thrown) => {
    p('uncaught', thrown.name, thrown instanceof Error);
});
setTimeout(() => vm.runInContext('throw new TypeError("thrown")', s), 5);

const later = (promise) => promise.then(() => p('imported'), (reason) => p(reason.name, reason.code));
setTimeout(() => {
    later(vm.runInContext('import("fs")', s));
    later(vm.runInThisContext('import("fs")'));
    later(vm.runInThisContext('import("fs")', { filename: 'x', importModuleDynamically() {} }));
}, 10);
