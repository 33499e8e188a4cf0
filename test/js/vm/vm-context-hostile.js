// weir only
// What weir refuses by name, and sandboxes that try to break the host.
'use strict';
const vm = require('node:vm');
const assert = require('node:assert');

const isRefused = { code: 'ERR_METHOD_NOT_IMPLEMENTED' };
assert.throws(() => vm.measureMemory(), isRefused);
assert.throws(() => vm.createContext({}, { microtaskMode: 'afterEvaluate' }), isRefused);
assert.throws(() => new vm.Script('1', { columnOffset: -1 }), isRefused);
assert.throws(() => vm.runInNewContext('1', {}, { importModuleDynamically:
    vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }), isRefused);

// Code of a program's data is never run: not even its own.
const script = new vm.Script('1');
assert.strictEqual(new vm.Script('1', { cachedData: script.createCachedData() })
    .cachedDataRejected, true);

// A sandbox that inherits from its own global object.
const loop = vm.createContext({});
Object.setPrototypeOf(loop, vm.runInContext('this', loop));
for (const code of ['anything', 'typeof anything', 'anything = 1', 'this.anything = 1',
    'delete anything', 'Object.keys(this)', 'for (const key in this);',
    'Object.defineProperty(this, "a", { value: 1 })', 'var v = 1', 'function f() {}'])
    try {
        vm.runInContext(code, loop);
    } catch (error) {
        assert.match(error.name, /^(Range|Internal)Error$/);
    }
// A context whose sandbox is another one's global object, many times.
let chain = {};
for (let i = 0; i < 50; i++)
    chain = vm.runInContext('this', vm.createContext(chain));
assert.strictEqual(vm.runInContext('x = 1; x', vm.createContext(chain)), 1);

// Traps that throw, revoke, change and lie.
const handler = {};
const { proxy, revoke } = Proxy.revocable({ a: 1 }, handler);
vm.createContext(proxy);
for (const trap of ['has', 'get', 'set', 'deleteProperty', 'defineProperty', 'ownKeys',
    'getOwnPropertyDescriptor']) {
    handler[trap] = () => { throw new RangeError('trap'); };
    for (const code of ['a', 'a = 2', 'typeof b', 'delete a', 'Object.keys(this)', 'var v = 1',
        'function f() {}', 'this.c = 3', 'Object.defineProperty(this, "d", { value: 1 })', '"a" in this'])
        try {
            vm.runInContext(code, proxy);
        } catch (error) {
            assert.match(error.message, /trap|not defined/);
        }
    delete handler[trap];
}
revoke();
assert.throws(() => vm.runInContext('a', proxy));

// A getter that removes what is being read.
const shrinking = vm.createContext({ get a() { delete this.a; return 1; } });
assert.strictEqual(vm.runInContext('a', shrinking), 1);
assert.strictEqual(vm.runInContext('typeof a', shrinking), 'undefined');

// Deep nesting of contexts ends in an error, not in a crash.
const deep = vm.createContext({ run: (code) => vm.runInContext(code, deep), code: 'run(code)' });
try {
    vm.runInContext('run(code)', deep);
    assert.fail();
} catch (error) {
    assert.match(error.name, /^(Range|Internal)Error$/);
}

// A realm is freed when nothing refers to it: 200 of them do not fit at once.
const before = process.memoryUsage().heapUsed;
for (let i = 0; i < 200; i++) {
    const sandbox = vm.createContext({ big: new Array(1000).fill(i) });
    vm.runInContext('function f() { return big } self = this; Promise.resolve().then(f); f', sandbox);
    sandbox.sandbox = sandbox;
}
console.log(process.memoryUsage().heapUsed - before < 200 * 100 * 1024);

// The code after a fatal error elsewhere still runs.
console.log(vm.runInNewContext('[1, 2, 3].map((x) => x * 2).join()'));
