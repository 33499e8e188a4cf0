// SPDX-License-Identifier: MIT
// kinds -- what a value is, for those who need no more of inspect than that.
'use strict';

module.exports = { classOf: native.classOf, isError: native.isError,
    isProxy: native.isProxy, custom: Symbol.for('nodejs.util.inspect.custom') };
