// SPDX-License-Identifier: MIT
// constants -- Node's module of that name: the constants of os, fs and crypto in
// one object.
'use strict';

const { dlopen, errno, priority, signals } = require('system/os').constants;

// Without the list that a program can change.
const { defaultCipherList, ...cryptoConstants } = require('crypto/constants');

module.exports = Object.freeze({ ...dlopen, ...errno, ...priority, ...signals,
    ...require('fs/constants'), ...cryptoConstants });
