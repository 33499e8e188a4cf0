// SPDX-License-Identifier: MIT
// stream -- Node's module: npm's readable-stream (js/bundle), and what Node 20
// has beyond it.
'use strict';

const { Stream } = require('bundle/readable-stream');

module.exports = Stream;
