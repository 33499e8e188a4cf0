// SPDX-License-Identifier: MIT
// config -- process.config: how this program was built, as far as packages ask.
'use strict';

const { arch } = require('program/process');

module.exports = Object.freeze({
    target_defaults: Object.freeze({ cflags: Object.freeze([]), default_configuration: 'Release',
        defines: Object.freeze([]), include_dirs: Object.freeze([]),
        libraries: Object.freeze([]) }),
    variables: Object.freeze({ host_arch: arch, target_arch: arch, napi_build_version: '0',
        node_shared: false, node_use_openssl: true, v8_enable_i18n_support: 0 }),
});
