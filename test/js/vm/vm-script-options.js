// Scripts, their options, and the errors that Node throws for wrong ones.
'use strict';
const vm = require('node:vm');
const p = console.log;
const s = vm.createContext({});

const script = new vm.Script('n = (typeof n === "number" ? n : 0) + 1; `${n}`');
const one = vm.createContext({}), two = vm.createContext({ n: 10 });
p(script.runInContext(one), script.runInContext(one), script.runInContext(two), one, two);
p(script.runInNewContext(), script.runInNewContext({ n: 5 }));
globalThis.n = 100;
p(script.runInThisContext(), script.runInThisContext(), n);
delete globalThis.n;
p(vm.runInThisContext('typeof require'), vm.runInThisContext('this === globalThis'));
p(Object.keys(new vm.Script('1')), new vm.Script('1//# sourceMappingURL=foo.map').sourceMapURL);

for (const options of [{ filename: 'my.js', lineOffset: 10, columnOffset: 5 },
    { filename: 'my.js', lineOffset: -5 }, { filename: 'my.js' }, 'named.js'])
    try {
        vm.runInContext('\n\n\n\n\n\nabsent', s, options);
    } catch (error) {
        p(/\w+\.js:\d+:\d+/.exec(error.stack)[0]);
    }

for (const f of [
    () => vm.runInContext('1', {}), () => vm.runInContext(1, s), () => vm.createContext(1),
    () => new vm.Script('1', { filename: 1 }), () => new vm.Script('1', { cachedData: 1 }),
    () => vm.runInContext('1', s, { timeout: 0 }),
    () => vm.runInContext('1', s, { breakOnSigint: 1 }),
    () => vm.compileFunction('1', ['a', 1]), () => vm.compileFunction('1', 1),
    () => vm.createContext({}, { microtaskMode: 'x' }), () => vm.createContext({}, { name: 1 }),
    () => vm.createContext({}, { codeGeneration: 1 }), () => vm.isContext(1),
    () => vm.compileFunction('1', [], { parsingContext: {} }),
    () => vm.compileFunction('1', [], { contextExtensions: 1 }),
    () => vm.runInNewContext('1', {}, { contextName: 1 }),
    () => new vm.Script('1', { lineOffset: 'a' }), () => new vm.Script('1', 1),
    () => vm.runInThisContext('1', 1), () => new vm.Script('1', { produceCachedData: 1 }),
    () => new vm.Script('1', { importModuleDynamically: 1 }),
])
    try {
        p(`${f}`, f());
    } catch (error) {
        p(`${f}`, error.name, error.code, error.message);
    }
p(Object.keys(vm), vm.constants, typeof vm.SourceTextModule);

// Of two contexts, only one may make code from strings.
const mute = vm.createContext({}, { codeGeneration: { strings: false } });
for (const code of ['eval("1")', 'new Function("1")', '(async () => {}).constructor("1")'])
    p(vm.runInContext(`try { ${code} } catch (e) { e.name + ': ' + e.message }`, mute));
p(vm.runInContext('eval("1 + 1")', s));

const add = vm.compileFunction('return a + b + z', ['a', 'b'], { contextExtensions: [{ z: 1 }] });
p(add(1, 2), `${add}`, add.length);
p(vm.compileFunction('return Array', [], { parsingContext: s })() === Array);
try {
    vm.compileFunction('throw new Error("here")', [], { filename: 'f.js', lineOffset: 4 })();
} catch (error) {
    p(/f\.js:\d+/.exec(error.stack)[0]);
}
for (const text of ['}, function(){', '}) + (function () {', 'return ('])
    try {
        vm.compileFunction(text);
        p('compiled', text);
    } catch (error) {
        p(error.name);
    }
