// SPDX-License-Identifier: MIT
// tty -- Node's module: terminals.
'use strict';

const isDescriptor = (fd) => Number.isInteger(fd) && fd >= 0 && fd <= 0x7FFFFFFF;
const isatty = (fd) => isDescriptor(fd) && native.isTTY(fd);

// The streams are loaded when a program first asks for one.
let classes;
function load() {
    return classes ??= require('program/ttystreams');
}

module.exports = { isatty,
    get ReadStream() { return load().ReadStream; },
    get WriteStream() { return load().WriteStream; } };
