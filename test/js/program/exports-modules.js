// The names that each module exports are Node's, except those that
// docs/guide/javascript-apis.json lists: tools/make-apis writes it.
'use strict';
const table = require('../../../docs/guide/javascript-apis.json');

const isWeir = 'weir' in process.versions;

// Of the global object: enumerable or not.  Those with "_" are private.
const namesOf = (module) => (module === 'globalThis'
    ? Object.getOwnPropertyNames(globalThis) : present(require(module)))
    .filter((name) => !name.startsWith('_'));

const present = (exported) => Object.keys(exported).filter((name) =>
    !exported[name]?.[Symbol.for('weir.absent')]);

process.removeAllListeners('warning'); // of modules that are deprecated
process.on('warning', () => {});
for (const [module, { missing, added }] of Object.entries(table)) {
    const names = new Set(namesOf(module));
    if (isWeir) {
        for (const name of missing) {
            if (names.has(name))
                console.log(`${module} has ${name}: run tools/make-apis`);
            names.add(name);
        }
        for (const name of added)
            names.delete(name);
    }
    console.log(module, [...names].sort().join(' '));
}
