// SPDX-License-Identifier: MIT
// hooks -- what C calls of process.js, out of reach of programs.
'use strict';

module.exports = {};
