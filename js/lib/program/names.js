// SPDX-License-Identifier: MIT
// names -- the export names of a CommonJS file, for its importers, as far as
// Node's lexer can find them in the source.
'use strict';

// Returns none if it is not CommonJS, or if weir was built without the lexer.
function lex(source) {
    try {
        return require('bundle/cjs-module-lexer')(source);
    } catch {
        return { exports: [], reexports: [] };
    }
}

// The exports of `module.exports = require(name)` and similar forms count as
// its own.  find(name, file) returns the file of such a name, if there is one.
module.exports = function namesOf(file, read, find) {
    const names = new Set(), files = new Set([file]);
    for (const one of files) { // including those added meanwhile
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
