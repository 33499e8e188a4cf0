// SPDX-License-Identifier: MIT
// node -- Node's module url.
'use strict';

module.exports = { ...require('url/legacy'), ...require('url/url') };
