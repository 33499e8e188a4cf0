// SPDX-License-Identifier: MIT
// nodehttp/binding -- the functions of js/nodehttp, for the files of this
// folder.
'use strict';

module.exports = native;
