#!/bin/bash
# SPDX-License-Identifier: MIT
# check-layers -- each mistake that tools/check-layers looks for is found.
#
# A small tree that is right gets one more include at a time.
. "$(dirname "$0")/tap.sh"

# A fresh tree in $tree: two parts of js/, a table, a pair that includes each
# other, a program.
plant() {
    tree=$scratch/tree
    rm -rf "$tree"
    mkdir -p "$tree/js/core" "$tree/js/timers" "$tree/js/compile" "$tree/cli"
    for file in js/builtins.h js/core/{host,job}.{h,c} js/timers/timer.{h,c} \
        js/compile/compile.c cli/main.c; do
        echo '#include <stdio.h>' >"$tree/$file"
    done
    : >"$tree/js/builtins.h"
    add js/core/host.h builtins.h
    add js/core/host.c core/job.h
    add js/core/job.h core/host.h
    add js/timers/timer.h core/job.h
    add js/compile/compile.c weir/js.h
    add cli/main.c weir.h
}

# add FILE HEADER, which may be a <header>
add() {
    case $2 in
    \<*) echo "#include $2" ;;
    *) echo "#include \"$2\"" ;;
    esac >>"$tree/$1"
}

is_clean() {
    plant && tools/check-layers --root "$tree"
}

# finds MESSAGE FILE HEADER: with that include, the message and exit 1.
finds() {
    plant
    add "$2" "$3"
    tools/check-layers --root "$tree" >"$scratch/findings"
    status=$?
    cat "$scratch/findings"
    [ $status -eq 1 ] && grep -Eq "^[a-z/.:0-9]+ $1" "$scratch/findings"
}

finds_part() {
    plant
    mkdir "$tree/js/extra" && : >"$tree/js/extra/more.c"
    ! tools/check-layers --root "$tree" >"$scratch/findings" &&
        grep -q 'js/extra/more.c:1: extra/ is not in the list' "$scratch/findings"
}

finds_call() {
    plant
    echo 'static int mask = pthread_sigmask(0, NULL, NULL);' \
        >>"$tree/js/core/job.c"
    ! tools/check-layers --root "$tree" >"$scratch/findings" &&
        grep -q 'js/core/job.c:2: pthread_sigmask: use weir/host/' \
            "$scratch/findings"
}

# Three concepts of one part, each of which includes the next.
finds_cycle() {
    plant
    for letter in a b c; do : >"$tree/js/timers/$letter.h"; done
    add js/timers/a.h timers/b.h
    add js/timers/b.h timers/c.h
    add js/timers/c.h timers/a.h
    ! tools/check-layers --root "$tree" >"$scratch/findings" &&
        grep -q 'js: cycle of 3: timers/a timers/b timers/c' "$scratch/findings"
}

# ... and of the explorer, whose files include each other by name.
finds_cycle_by_name() {
    plant
    mkdir -p "$tree/explore/program"
    for file in a.h program/b.h program/c.h; do : >"$tree/explore/$file"; done
    add explore/program/b.h a.h
    add explore/program/c.h b.h
    add explore/a.h program/c.h
    ! tools/check-layers --root "$tree" >"$scratch/findings" &&
        grep -q 'explore: cycle of 3: explore/a program/b program/c' "$scratch/findings"
}

expect "a tree that is right is passed, with a cycle of two" is_clean
expect "an include of a later part is found" \
    finds '"timers/timer.h": timers comes after core' js/core/job.c timers/timer.h
expect "an include without a part is found" \
    finds '"job.h" names no part' js/core/host.c job.h
expect "a table includes nothing" \
    finds 'core/host.h in a table' js/builtins.h core/host.h
expect "a program includes public headers only" \
    finds '"core/host.h" is not a public header' cli/main.c core/host.h
expect "a lock of its own is found in js/" \
    finds '<pthread.h>: use weir/host/' js/core/job.c '<pthread.h>'
expect "a call of pthreads is found in js/ without their header" finds_call
expect "a folder that is no part is found" finds_part
expect "a cycle of three concepts is found" finds_cycle
expect "a cycle of three in the explorer is found" finds_cycle_by_name
finish
