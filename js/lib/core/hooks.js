// SPDX-License-Identifier: MIT
// hooks -- the functions of process.js that C calls, which programs cannot
// reach; `program`, the file and module that module.js leaves for it;
// `tellEmitter` of events.js; and `isURL` of url.js.
'use strict';

module.exports = {};
