// SPDX-License-Identifier: MIT
// clock -- milliseconds since the host was created, which programs cannot
// tamper with.
'use strict';

module.exports = { now: native.now, timeOrigin: native.origin() };
