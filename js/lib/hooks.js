// SPDX-License-Identifier: MIT
// hooks -- what C calls of process.js, out of reach of programs; `program`, what
// module.js leaves for it: its file and its module; and `tellEmitter` of events.js.
'use strict';

module.exports = {};
