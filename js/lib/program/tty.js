// SPDX-License-Identifier: MIT
// tty -- whether a descriptor is a terminal.  The only terminal streams are
// those of `process`.
'use strict';

function isatty(fd) {
    return Number.isInteger(fd) && fd >= 0 && fd <= 0x7FFFFFFF &&
        require('program/stdio').isTTY(fd);
}

module.exports = { isatty };
