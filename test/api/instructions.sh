#!/bin/bash
# SPDX-License-Identifier: MIT
# instructions -- bench/instructions notices a path that got longer or shorter.
#
# The program and its counts are real; the baselines are made up from them.
. "$(dirname "$0")/tap.sh"

count() {
    bench/instructions --no-build --baseline "$scratch/baseline" "$@"
}

# baseline PERCENT: as if the gate had taken so much of what it takes now.
baseline() {
    awk -v part="$1" '$1 == "gate" { $2 = $2 * part / 100 } { print }' \
        "$scratch/now" >"$scratch/baseline"
}

# says STATUS TEXT: of the gate's case.
says() {
    count gate >"$scratch/said"
    got=$?
    cat "$scratch/said"
    [ $got -eq "$1" ] && grep -q -- "$2" "$scratch/said"
}

writes() {
    count --write && mv "$scratch/baseline" "$scratch/now" &&
        grep -q '^gate  *[0-9]' "$scratch/now"
}

as_before() { baseline 98 && says 0 '+2.0%'; }
longer() { baseline 90 && says 1 '+11.1%  more'; }
shorter() { baseline 110 && says 1 '-9.1%  fewer'; }

unknown() {
    sed -i '/^gate /d' "$scratch/baseline" && says 1 'not in the baseline'
}

other_compiler() {
    baseline 50 && sed -i 's/^# compiler: /&x/' "$scratch/baseline" &&
        says 0 'not compared'
}

no_case() {
    count nothing 2>"$scratch/said"
    [ $? -eq 2 ] && grep -q 'no case nothing; there are gate' "$scratch/said"
}

if ! command -v valgrind >/dev/null || [ ! -x build/bench/instructions ]; then
    echo "1..0 # skip: no valgrind, or no build/bench/instructions"
    exit 0
fi
expect "a baseline is written" writes
expect "what is within 3 % is passed" as_before
expect "a longer path is noticed" longer
expect "a shorter path is noticed" shorter
expect "a case that the baseline does not know is noticed" unknown
expect "another compiler's baseline is not compared" other_compiler
expect "a case that does not exist is refused" no_case
finish
