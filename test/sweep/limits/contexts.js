// Contexts of node:vm, each with all builtins.
'use strict';

const vm = require('node:vm');

const script = new vm.Script('function f(n) { return n > 0 ? [f(n - 1)] : [] } total = f(20); keys = 1');
for (let i = 0; i < 8; i++) {
    const sandbox = vm.createContext({ i });
    script.runInContext(sandbox);
    const names = vm.runInContext('Object.getOwnPropertyNames(globalThis)', sandbox);
    if (sandbox.total.length !== 1 || !names.includes('Map') || !names.includes('i'))
        throw new Error('incomplete');
    vm.compileFunction('return x + 1', ['x'], { parsingContext: sandbox })(i);
}
console.log('done');
