// SPDX-License-Identifier: MIT
// kinds -- the type of a value, for modules that need nothing else of inspect.
'use strict';

module.exports = { classOf: native.classOf, isError: native.isError,
    isProxy: native.isProxy, custom: Symbol.for('nodejs.util.inspect.custom') };
