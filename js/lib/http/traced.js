// SPDX-License-Identifier: MIT
// traced -- null, or what makes spans if the program runs with --otlp.
'use strict';

module.exports = native.isOn() ? require('http/trace').start(native) : null;
