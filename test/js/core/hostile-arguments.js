// weir only
// Each function that weir adds, with no, wrong and hostile arguments: an
// exception or a result, never a crash.
// long: address
const { inspect, format } = require('util');
const throwing = new Proxy({}, { get() { throw new Error('trap'); }, ownKeys() { throw new Error('trap'); }, getPrototypeOf() { throw new Error('trap'); } });
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const detached = new ArrayBuffer(8);
const view = new Uint8Array(detached);
detached.transfer();
const values = [undefined, null, true, 0, -1, 1.5, NaN, Infinity, 2 ** 53, 10n ** 40n, '', 'x', '\ud800', 'y'.repeat(1e5),
    Symbol('s'), {}, [], () => {}, throwing, revoked, detached, view, new Proxy([], {}), Object.create(null),
    { toString() { throw new Error('toString'); } }, { valueOf() { throw new Error('valueOf'); } },
    { get length() { throw new Error('length'); } }, { length: 1e9 }, new Error('e'), Promise.resolve(), new Map(), /x/];
const skip = new Set(['exit', 'kill', 'abort', 'reallyExit', 'chdir', 'umask', 'log', 'info', 'debug', 'dirxml', 'warn', 'error', 'dir', 'table',
    'trace', 'assert', 'group', 'groupCollapsed', 'count', 'countReset', 'time', 'timeEnd', 'timeLog', 'emitWarning', 'clear', 'showWarning', 'reportError']);
let calls = 0, thrown = 0;
function attack(object, fn) {
    for (const a of values)
        for (const args of [[], [a], [a, a], [() => {}, a], [a, () => {}, a]]) {
            calls++;
            try {
                const result = Reflect.apply(fn, object, args);
                if (result?.constructor?.name === 'Timeout' || result?.constructor?.name === 'Immediate') {
                    clearTimeout(result);
                    clearImmediate(result);
                }
                if (result instanceof Promise)
                    result.catch(() => {});
            } catch {
                thrown++;
            }
        }
}
const timeout = setTimeout(() => {}, 1), immediate = setImmediate(() => {});
const objects = [globalThis, process, timeout, Object.getPrototypeOf(timeout), immediate, Object.getPrototypeOf(immediate),
    require('path'), require('util'), require('util').types, require('events').prototype, require('module'), require('timers')];
for (const object of objects)
    for (const key of Reflect.ownKeys(object)) {
        let fn;
        try { fn = object[key]; } catch { continue; }
        if (typeof fn === 'function' && !skip.has(key) && !/^[A-Z]/.test(String(key)) && key !== 'eval')
            for (const receiver of [object, undefined, {}, throwing])
                attack(receiver, fn);
    }
for (const a of values)
    for (const text of ['%s', '%d', '%i', '%f', '%j', '%o', '%O', '%c'])
        try { format(text, a); } catch { thrown++; }
for (const a of values)
    for (const option of ['depth', 'showHidden', 'colors', 'compact', 'breakLength', 'maxArrayLength', 'maxStringLength', 'sorted', 'getters', 'showProxy'])
        for (const setting of [0, null, true, 1, Infinity])
            try { inspect([a, { a }], { [option]: setting }); } catch { thrown++; }
process.removeAllListeners();
process.exitCode = 0;
console.log(calls > 10000, thrown > 1000);
