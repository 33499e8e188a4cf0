// SPDX-License-Identifier: MIT
// tty -- whether a descriptor is a terminal.  The streams of one are those of
// `process`; nobody can make others.
'use strict';

function isatty(fd) {
    return Number.isInteger(fd) && fd >= 0 && fd <= 0x7FFFFFFF &&
        require('stdio').isTTY(fd);
}

module.exports = { isatty };
