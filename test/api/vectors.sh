#!/bin/sh
# SPDX-License-Identifier: MIT
# vectors -- published vectors through node:crypto and crypto.subtle
# (test/api/vectors/vectors.js).
cd "$(dirname "$0")/../.."
[ -d /usr/lib/python3/dist-packages/cryptography_vectors ] || {
    echo "Bail out! tools/setup test installs the vectors"
    exit 1
}
WEIR_BLOCKED_AFTER=0 exec build/weir test/api/vectors/vectors.js
