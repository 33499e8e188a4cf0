// The prototypes of exported classes have Node's members, except those that
// docs/guide/javascript-classes.json lists: tools/make-apis writes it.
'use strict';
const table = require('../../../docs/guide/javascript-classes.json');

const isWeir = 'weir' in process.versions;

process.removeAllListeners('warning'); // of modules that are deprecated
process.on('warning', () => {});
for (const [path, { members, missing }] of Object.entries(table)) {
    const dot = path.lastIndexOf('.');
    const Class = require(path.slice(0, dot))[path.slice(dot + 1)];
    const has = (name) => name in Class.prototype;
    if (isWeir)
        for (const name of missing.filter(has))
            console.log(`${path} has ${name}: run tools/make-apis`);
    console.log(path, members.filter((name) =>
        has(name) || (isWeir && missing.includes(name))).join(' '));
}
