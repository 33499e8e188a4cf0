#!/bin/bash
# SPDX-License-Identifier: MIT
# guide -- the tables in docs/guide/ have a row for every function.
#
# What the rows say is for people to check; that none is missing, that none is
# there twice, and that none outlives its function, is checked here.
. "$(dirname "$0")/tap.sh"

# use GUIDE PATTERN [EXPORTS]: what the checks below are about.
use() {
    guide=docs/guide/$1.md
    pattern=$2
    exports=${3:-tools/exports.txt}
}

# The names in the first column of the guide's table, in its order.
rows() {
    sed -n 's/^| `\(weir_[a-z_]*\)` |.*/\1/p' "$guide"
}

# Those of include/weir/; the guides leave out include/weir/host/.
functions() {
    grep -hE "$pattern" "$exports" |
        grep -vxFf <(sed -nE 's/^(WEIR_API.*\b)?(weir_[a-z_]*)\(.*/\2/p' \
            include/weir/host/*.h)
}

has_one_row() {
    [ "$(rows | grep -cx "$1")" -eq 1 ]
}

rows_are_functions() {
    ! rows | grep -vxFf <(functions)
}

# Function, thread, blocks, inside a callback, lifetime.
rows_are_complete() {
    ! grep '^| `weir_[a-z_]*` ' "$guide" |
        grep -vE '^\|( [^|]*[^| ][^|]* \|){5}$'
}

check() {
    use "$@"
    for function in $(functions); do
        expect "$function has one row" has_one_row "$function"
    done
    expect "every row of $guide is a function's" rows_are_functions
    expect "every row of $guide has its five cells" rows_are_complete
}

check loop '^weir_(loop|timer|fd)_|^weir_raise$'
check pool '^weir_(pool|lane|group|abort|channel)_'
check promise '^weir_promise_|^weir_gate_closed$|^weir_promisify$'
check service '^weir_service_|^weir_kind_name$'
check watchdog '^weir_(live|block)_'
check network '^weir_' tools/exports-net.txt
check jobs '^weir_' tools/exports-jobs.txt
check explore '^weir_' tools/exports-explore.txt
finish
