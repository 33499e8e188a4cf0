#!/bin/sh
# SPDX-License-Identifier: MIT
# aplus-js -- the Promises/A+ suite passes against the promises of JavaScript
# on weir, under AddressSanitizer: 872 of 872.
cd "$(dirname "$0")/../.."
[ -d test/aplus/node_modules/promises-aplus-tests ] || {
    echo "Bail out! tools/setup test installs the suite"
    exit 1
}
exec build/asan/weir test/aplus/native.js
