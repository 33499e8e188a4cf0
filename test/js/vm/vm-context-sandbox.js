// The sandbox is what the code sees as its global object.
'use strict';
const vm = require('node:vm');
const p = console.log;
const s = vm.createContext({ a: 1 });
const run = (code) => vm.runInContext(code, s);

p(run('a'), run('a = 2; a'), s.a);
p(run('x = 5; typeof x'), s.x, run('typeof nothing'));
delete s.x;
p(run('typeof x')); // as in Node: the value is also the realm's own
run('var y = 5; function f() { return y; } let l = 3; const c = 4; class K {}');
p(s.y, s.f(), 'l' in s, 'c' in s, 'K' in s, run('l + c + typeof K'));
for (const name of ['y', 'f']) {
    const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(s, name);
    p(name, writable, enumerable, configurable);
}
p(run('var unset; "unset" in globalThis'), 'unset' in s);
p(run('Object.keys(globalThis)').join());
p(run('var keys = []; for (var i in globalThis) keys.push(i); keys').join());
p(run('delete a'), 'a' in s, run('typeof a'));
p(run('delete y'), 'y' in s);
p(run('"use strict"; try { undeclared = 1; } catch (e) { e.message }'));
p(run('try { undeclared } catch (e) { `${e.name}: ${e.message}` }'));
p(run('globalThis') === s, run('globalThis === this'), run('(function () { return this })() === this'));
s.self = s;
p(run('self === globalThis'));
p(run('Object.getPrototypeOf(globalThis) === Object.prototype'), run('globalThis instanceof Object'));
Object.defineProperty(s, 'fixed', { value: 1 });
p(run('fixed = 2; fixed'));
Object.defineProperty(s, 'accessor', { get() { return this === s; },
    set(value) { this.got = value; }, configurable: true });
p(run('accessor = 7; accessor'), s.got);
run('Array = 3');
p(s.Array, run('Array'), [].constructor === Array);
run('Object.defineProperty(globalThis, "hidden", { value: 9 })');
p(Object.getOwnPropertyDescriptor(s, 'hidden'));
p(run('this.hasOwnProperty("Map")'), run('"Map" in globalThis'));
try {
    run('let l = 4');
} catch (error) {
    p(error.name, error instanceof SyntaxError, run('l'));
}
p(run('this[Symbol.for("s")] = 1; this[Symbol.for("s")]'), Symbol.for('s') in s);
p(run('eval("var fromEval = 3; let el = 4; fromEval + el")'), s.fromEval);
p(run('Object.create(globalThis).own = 1; typeof own'));
p(vm.runInNewContext('x', { __proto__: { x: 3 } }));
p(vm.runInNewContext('q = 2; w = 3; `${q} ${w}`', Object.freeze({ q: 1 })));
p(vm.runInNewContext('typeof console + typeof queueMicrotask + typeof performance + typeof setTimeout + typeof URL'));
p(vm.runInNewContext('undefined = 1; NaN = 2; `${undefined} ${NaN}`'));
p(vm.isContext(s), vm.isContext({}), vm.createContext(s) === s);

const plain = vm.createContext(vm.constants.DONT_CONTEXTIFY);
p(vm.isContext(plain), vm.runInContext('x = 3; globalThis', plain) === plain, plain.x);
