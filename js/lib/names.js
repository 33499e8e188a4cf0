// SPDX-License-Identifier: MIT
// names -- what a CommonJS file exports, for who imports it: as far as it can be
// read off the source, by the lexer that Node uses.
'use strict';

// None where it is no CommonJS, or weir was built without the lexer.
function lex(source) {
    try {
        return require('cjs-module-lexer')(source);
    } catch {
        return { exports: [], reexports: [] };
    }
}

// Those of `module.exports = require(name)` and its like are its own, too;
// find(name, file) says in which file they are, if in any.
module.exports = function namesOf(file, read, find) {
    const names = new Set(), files = new Set([file]);
    for (const one of files) { // and those that are added meanwhile
        const { exports, reexports } = lex(read(one));
        for (const name of exports)
            names.add(name);
        for (const name of reexports) {
            const other = find(name, one);
            if (other !== undefined && !/\.(json|mjs)$/.test(other))
                files.add(other);
        }
    }
    return [...names];
};
