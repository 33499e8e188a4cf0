// SPDX-License-Identifier: MIT
// constants -- Node's module of that name: the constants of os and fs in one
// object.  Those of crypto are missing.
'use strict';

const { dlopen, errno, priority, signals } = require('system/os').constants;

module.exports = Object.freeze({ ...dlopen, ...errno, ...priority, ...signals,
    ...require('fs/constants') });
