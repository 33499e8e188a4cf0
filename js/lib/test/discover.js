// SPDX-License-Identifier: MIT
// discover -- the test files among files and directories, by Node's rules.
//
// In a directory called `test`, each .js, .mjs and .cjs file is one; elsewhere,
// those called test.js, test-*.js, *.test.js, *-test.js and *_test.js.  So are
// those of TypeScript, except declarations (.d.ts).
'use strict';

const path = require('fs/path');

function isTestFile(name, isInTest) {
    const match = /^(.*)\.[cm]?[jt]s$/.exec(name);
    return match !== null && !/\.d\.[cm]?ts$/.test(name) &&
        (isInTest || /^test$|^test-.+|.+[.\-_]test$/.test(match[1]));
}

function search(directory, isInTest, found) {
    const fs = require('fs/fs');
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    for (const entry of entries) {
        const full = path.join(directory, entry.name);
        if (entry.name === 'node_modules')
            continue;
        if (entry.isDirectory())
            search(full, isInTest || entry.name === 'test', found);
        else if (entry.isFile() && isTestFile(entry.name, isInTest))
            found.add(full);
    }
}

// Sorted, as absolute names.  Throws {missing} for a name that does not exist.
function discover(names, cwd) {
    const fs = require('fs/fs'), found = new Set();
    for (const name of names.length > 0 ? names : ['.']) {
        const full = path.resolve(cwd, name);
        const stats = fs.statSync(full, { throwIfNoEntry: false });
        if (stats === undefined)
            throw Object.assign(new Error(`Could not find '${full}'`), { missing: full });
        if (stats.isDirectory())
            search(full, path.basename(full) === 'test' && names.length > 0, found);
        else
            found.add(full);
    }
    return [...found].sort();
}

module.exports = discover;
