// SPDX-License-Identifier: MIT
// answer -- the native functions of a request that is being served.
'use strict';

module.exports = native;
