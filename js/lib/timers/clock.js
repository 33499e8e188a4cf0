// SPDX-License-Identifier: MIT
// clock -- milliseconds since the host was created, which programs cannot
// tamper with.
'use strict';

const { now, idle, booted, loopBegan, loopEnded } = native;

module.exports = { now, timeOrigin: native.origin(), idle, booted, loopBegan, loopEnded };
