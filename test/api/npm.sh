#!/bin/sh
# SPDX-License-Identifier: MIT
# npm -- some programs with npm packages print what they print under Node; make
# verify runs them all.
cd "$(dirname "$0")/../.."
[ -d test/npm/node_modules ] || {
    echo "Bail out! tools/setup test installs the packages"
    exit 1
}
exec test/npm/run --quick build/weir
