// SPDX-License-Identifier: MIT
// clock -- milliseconds since the host began, out of reach of programs.
'use strict';

module.exports = { now: native.now, timeOrigin: native.origin() };
