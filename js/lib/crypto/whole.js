// SPDX-License-Identifier: MIT
// whole -- digests and encryption of whole messages on the pool (js/crypto/whole.c).
'use strict';

module.exports = native;
