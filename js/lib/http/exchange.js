// SPDX-License-Identifier: MIT
// exchange -- the native functions of a request that is being served.
'use strict';

module.exports = native;
