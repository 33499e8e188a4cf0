#!/bin/sh
# SPDX-License-Identifier: MIT
# compiled.sh -- the programs in test/explore that print TAP themselves, by gcc
# and clang, without and with optimisation; and the examples of the guide.
. "$(dirname "$0")/../api/tap.sh"

explore=$PWD/build/weir-explore

passes() {
    CC=$1 "$explore" cc -std=gnu11 "$2" "test/explore/$3.c" -o "$scratch/program" &&
        "$scratch/program"
}

# example NAME FLAGS STATUS TEXT
example() {
    case $1 in
    *.cc) kind=c++ ;;
    *) kind=cc ;;
    esac
    "$explore" $kind $2 "examples/explore/$1" -o "$scratch/example" || return
    said=$("$scratch/example")
    got=$?
    echo "$said"
    [ $got = "$3" ] && echo "$said" | grep -q "$4"
}

# What the guide shows is what the example prints, except for the duration.
guide_shows() {
    "$explore" cc $1 examples/explore/ring.c -o "$scratch/ring" || return
    "$scratch/ring" | sed 's/, [0-9.]* s$//' >"$scratch/said"
    awk -v heading="\`\`\`text $2" '
        /^```/ { inside = 0 }
        inside { print }
        $0 == heading { inside = 1 }' docs/guide/explore.md |
        sed 's/, [0-9.]* s$//' >"$scratch/shown"
    [ -s "$scratch/shown" ] && diff "$scratch/shown" "$scratch/said"
}

# `make verify` runs all of them.
builds="gcc-O2 clang-O0"
[ -n "${WEIR_BRIEF-}" ] || builds="$builds gcc-O0 clang-O2"
for suite in litmus reduction api; do
    for build in $builds; do
        expect "$suite passes, by $build" passes "${build%-*}" "-${build#*-}" $suite
    done
done
# What weir explore knows of races is tested by itself.
javascript_races() {
    cc -std=gnu11 -O1 -Wall -fsanitize=address,undefined -fno-sanitize-recover \
        -Itest -Iexplore/javascript test/explore/race.c explore/javascript/race.c -o "$scratch/race" &&
        "$scratch/race"
}

expect "races of JavaScript are those of the definition" javascript_races
expect "ring: its bug is found" example ring.c "" 1 '^data race: main reads ring'
expect "ring: the fixed one passes" example ring.c -DFIXED 0 '^covered: every schedule,'
expect "counter: has two outcomes" example counter.cc "" 0 'one of: 1 2$'
expect "the guide shows what ring prints" guide_shows "" ./ring
expect "the guide shows what the fixed ring prints" guide_shows -DFIXED "./ring, fixed"
finish
