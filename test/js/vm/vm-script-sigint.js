// SIGINT ends code that asks for it, and nobody else sees the signal meanwhile.
'use strict';
const vm = require('node:vm');

const sandbox = vm.createContext({ kill: () => process.kill(process.pid, 'SIGINT') });
const attempt = (options) => {
    try {
        return vm.runInContext('kill(); try { for (;;); } catch {}', sandbox, options);
    } catch ({ message, code }) {
        return [code, message];
    }
};
console.log(attempt({ breakOnSigint: true }));
console.log(attempt({ breakOnSigint: true, timeout: 100000 }));
process.once('SIGINT', (name) => {
    console.log(name, 'after', vm.runInContext('1 + 1', sandbox, { breakOnSigint: true }));
    clearTimeout(timer);
});
const timer = setTimeout(() => {}, 100000);
console.log(attempt({ breakOnSigint: true }));
setImmediate(() => process.kill(process.pid, 'SIGINT'));
