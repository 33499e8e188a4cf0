// SPDX-License-Identifier: MIT
// events/active -- the property of a diagnostics channel that says whether it has
// subscribers.  A server asks for each request, and the getter costs ten times
// as much.
'use strict';

module.exports = { kIsActive: Symbol('isActive') };
