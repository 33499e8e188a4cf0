#!/bin/sh
# SPDX-License-Identifier: MIT
# aplus -- the Promises/A+ suite (npm's promises-aplus-tests) passes against
# weir's promises, under AddressSanitizer, and every value is freed.
cd "$(dirname "$0")/../.."
[ -d test/aplus/node_modules/promises-aplus-tests ] || {
    echo "Bail out! tools/setup test installs the suite"
    exit 1
}
exec node test/aplus/run.js build/asan/test/aplus/host
