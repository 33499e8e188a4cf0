#!/bin/bash
# SPDX-License-Identifier: MIT
# sweep -- the short form of what tools/sweep does in make verify.
. "$(dirname "$0")/tap.sh"
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0

allocations_fail() {
    build/asan/test/sweep/allocations --stride 83 test/sweep/programs/* &&
        build/asan/test/sweep/allocations --stride 5 --only source \
            test/sweep/programs/texts.js
}

limits_are_reached() {
    test/sweep/memory-limits --steps 12 "$1"
}

workers_are_terminated() {
    timeout 300 "$1" test/sweep/terminate.js --rounds "$2" \
        ${WEIR_SEED:+--seed "$WEIR_SEED"}
}

# A source that the patch does not fit: nothing is built of it.
engine_that_cannot_be_patched_is_refused() {
    local source=${WEIR_QUICKJS_DIR:-.engine/quickjs-ng}
    mkdir "$scratch/engine"
    cp "$source"/*.[ch] "$scratch/engine"
    sed -i 's/dbuf_error/dbuf_fault/' "$scratch/engine/quickjs.c"
    ! cmake -S . -B "$scratch/build" -DWEIR_QUICKJS_DIR="$scratch/engine" \
        >"$scratch/said" 2>&1 && grep 'does not apply to quickjs-ng' "$scratch/said"
}

expect "an engine that cannot be patched is refused" \
    engine_that_cannot_be_patched_is_refused
expect "the engine survives failed allocations" allocations_fail
expect "programs survive limits of memory" limits_are_reached build/weir
expect "and under AddressSanitizer" limits_are_reached build/asan/weir
expect "workers are terminated at any moment" workers_are_terminated build/weir 200
expect "and under AddressSanitizer" workers_are_terminated build/asan/weir 60
expect "what serves leaks nothing" env -u ASAN_OPTIONS \
    timeout 300 test/sweep/memory-leaks --requests 5000 --times 1000 build/weir
expect "and under AddressSanitizer" \
    timeout 300 test/sweep/memory-leaks --requests 300 --times 100 build/asan/weir
finish
