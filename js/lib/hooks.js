// SPDX-License-Identifier: MIT
// hooks -- what C calls of process.js, out of reach of programs; and `program`,
// what module.js leaves for it: its file and its module.
'use strict';

module.exports = {};
