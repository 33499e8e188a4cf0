// A timeout ends code with an error that the caller can catch.
'use strict';
const vm = require('node:vm');
const p = console.log;
const s = vm.createContext({});

const attempt = (f) => {
    try {
        return f();
    } catch (error) {
        return [error.message, error.code, error instanceof Error];
    }
};
p(attempt(() => vm.runInContext('for (;;);', s, { timeout: 20 })));
p(attempt(() => vm.runInThisContext('for (;;);', { timeout: 20 })));
p(attempt(() => new vm.Script('try { for (;;); } catch {} finally { caught = 1 }')
    .runInContext(s, { timeout: 20 })), 'caught' in s);
p(attempt(() => vm.runInContext('1 + 1', s, { timeout: 1000 })));
p(attempt(() => vm.runInContext('null.x', s, { timeout: 1000 }))[1]);
// Limits nest: the outer one is over first, then the inner one.
s.inner = (timeout) => vm.runInNewContext('for (;;);', {}, { timeout });
p(attempt(() => vm.runInContext('inner(100000)', s, { timeout: 20 }))[0]);
p(attempt(() => vm.runInContext('try { inner(20) } catch (e) { e.code }', s, { timeout: 100000 })));
// Regular expressions and compilation are code as well.
p(attempt(() => vm.runInContext('/(a+)+$/.test("a".repeat(60) + "b")', s, { timeout: 20 }))[1]);
