// SPDX-License-Identifier: MIT
// stream/promises -- pipeline and finished with promises.
'use strict';

module.exports = require('stream/stream').promises;
