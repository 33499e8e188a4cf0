// weir only: Node 20 has none of these
// self, navigator and reportError.
'use strict';

console.log(self === globalThis, Object.keys(globalThis).includes('self'));
console.log(navigator instanceof Navigator, String(navigator));
console.log(navigator.userAgent, navigator.language, navigator.languages,
    navigator.platform, navigator.hardwareConcurrency === require('os').availableParallelism());
for (const fn of [() => new Navigator(), () => reportError(),
    () => Object.getOwnPropertyDescriptor(Navigator.prototype, 'platform').get.call({})])
    try {
        fn();
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
process.once('uncaughtException', (error, origin) => console.log('reported', error, origin));
reportError('a value');
console.log('after');
process.once('uncaughtException', (error) => console.log('reported', error.message));
reportError(new Error('an error'));
