// SPDX-License-Identifier: MIT
// loaded -- the files that the program has loaded, for --watch.
'use strict';

module.exports = function loaded() {
    const { cache, known, pathOf } = require('program/module');
    return [...new Set([...Object.keys(cache).filter((name) => name.startsWith('/')),
        ...[...known].filter((id) => id.startsWith('file:')).map(pathOf)])];
};
