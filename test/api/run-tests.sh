#!/bin/bash
# SPDX-License-Identifier: MIT
# run-tests -- tools/run-tests counts cases, judges programs and commands, ends
# what they leave behind, and remembers what has passed until its inputs change.
. "$(dirname "$0")/tap.sh"

export XDG_CACHE_HOME=$scratch/cache
unset WEIR_FORGET
root=$PWD
clone=$scratch/clone
mkdir -p "$clone/tools" "$clone/build/test/unit" "$clone/test/unit"
cp tools/run-tests "$clone/tools"
cd "$clone" || exit 1
git init -q .

# program NAME LINES: one that prints the lines, and counts how often it ran.
program() {
    printf '#!/bin/sh\necho >>%s/ran\n%s\n' "$scratch" "$2" >"build/test/unit/$1"
    chmod +x "build/test/unit/$1"
}

# verdict STATUS LAST-LINE ARGUMENTS...
verdict() {
    wanted=$1 last=$2
    shift 2
    tools/run-tests "$@" >"$scratch/said" 2>&1
    got=$?
    cat "$scratch/said"
    [ $got -eq "$wanted" ] && [ "$(tail -n 1 "$scratch/said")" = "$last" ]
}

# runs COUNT COMMAND...: how many programs the command ran.
runs() {
    : >"$scratch/ran"
    wanted_runs=$1
    shift
    "$@" && [ "$(wc -l <"$scratch/ran")" -eq "$wanted_runs" ]
}

# A killed process may wait for its new parent.
is_gone() {
    case $(ps -o stat= -p "$(cat "$scratch/pid")") in
    '' | Z*) ;;
    *) return 1 ;;
    esac
}

program good 'printf "ok 1 - a\nok 2 - b\n1..2\n"'
expect "cases are counted" verdict 0 "2 passed, 0 failed" build/test/unit
program short 'printf "ok 1 - a\n1..2\n"'
expect "a missing case is a failure" \
    verdict 1 "1 passed, 1 failed" build/test/unit/short
program wrong 'printf "ok 1 - a\n1..1\n"; exit 3'
expect "so is an exit status" verdict 1 "1 passed, 1 failed" build/test/unit/wrong
expect "a command is one test" \
    verdict 0 "1 passed, 0 failed" 'printf "ok 1 - a\nok 2 - b\n"'
expect "a command that fails is one failure" \
    verdict 1 "0 passed, 1 failed" 'exit 4'
expect "a process that is left behind does not delay the verdict" \
    verdict 0 "1 passed, 0 failed" "sleep 1000 & echo \$! >$scratch/pid"
expect "and is ended" is_gone
expect "a deadline is a failure" \
    verdict 1 "0 passed, 1 failed" --deadline 0.1 'sleep 1000'
expect "outputs are kept" \
    verdict 0 "2 passed, 0 failed" --keep "$scratch/kept" build/test/unit/good
expect "by the name of the program" \
    grep -q "ok 2 - b" "$scratch/kept/release-unit-good"

good=(verdict 0 "2 passed, 0 failed" --remember build/test/unit/good)
bad=(verdict 1 "1 passed, 1 failed" --remember build/test/unit/wrong)
expect "what has not passed yet is run" runs 1 "${good[@]}"
expect "what has passed is remembered" runs 0 "${good[@]}"
expect "but only if that is asked for" \
    runs 1 verdict 0 "2 passed, 0 failed" build/test/unit/good
expect "WEIR_FORGET runs it" runs 1 env WEIR_FORGET=1 tools/run-tests --remember \
    build/test/unit/good
echo data >test/unit/data
git add test
expect "a file that it may read is an input" runs 1 "${good[@]}"
echo 'int main;' >test/unit/good.c
git add test
expect "its source is not, since the program is" runs 0 "${good[@]}"
program good 'printf "ok 1 - a\nok 2 - c\n1..2\n"'
expect "a changed program is run" runs 1 "${good[@]}"
expect "what fails is not remembered" runs 1 "${bad[@]}"
expect "and is run again" runs 1 "${bad[@]}"
cd "$root" || exit 1
finish
