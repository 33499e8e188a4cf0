// SPDX-License-Identifier: MIT
// names -- what a CommonJS source exports, for who imports it.  A library of its
// own: the letters of an identifier are most of what module.js would be.
'use strict';

const identifier = /^[$_\p{ID_Start}][$\u200c\u200d\p{ID_Continue}]*$/u;

// The names that a CommonJS source gives to `exports`, as far as they can be
// read off it: exports.a = , Object.defineProperty(exports, 'a', and
// module.exports = {a, b: 1}.
module.exports = function scan(source) {
    const names = new Set();
    const text = source.replace(/\/\*[\s\S]*?\*\/|(^|[\s;{}])\/\/[^\n]*/g, '$1');
    for (const [, name] of text.matchAll(/\bexports\.([$\w]+)\s*=(?!=)/g))
        names.add(name);
    for (const [, name] of text.matchAll(/\bexports\[(?:'|")([$\w]+)(?:'|")\]\s*=(?!=)/g))
        names.add(name);
    for (const [, name] of text.matchAll(
        /\bObject\.defineProperty\(\s*(?:module\.)?exports\s*,\s*['"]([$\w]+)['"]/g))
        names.add(name);
    const literal = /\bmodule\.exports\s*=\s*\{([^}]*)/.exec(text);
    for (const part of literal?.[1].split(',') ?? []) {
        const entry = /^\s*(?:'([$\w]+)'|"([$\w]+)"|([$\w]+))\s*(?::\s*([$_a-zA-Z][$\w]*)\s*(\()?.*)?$/s.exec(part);
        if (entry === null)
            break; // as Node's: a value that is no name ends it
        names.add(entry[1] ?? entry[2] ?? entry[3]);
        if (entry[5] !== undefined)
            break;
    }
    return [...names].filter((name) => identifier.test(name));
};
