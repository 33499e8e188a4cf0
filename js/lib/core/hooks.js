// SPDX-License-Identifier: MIT
// hooks -- the functions of process.js that C calls, which programs cannot
// reach; `program`, the file and module that module.js leaves for it;
// `tellEmitter` of events.js; `isURL` of url.js; and `stdout` and `stderr`, once
// a program has used these streams.
'use strict';

module.exports = {};
