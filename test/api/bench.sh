#!/bin/bash
# SPDX-License-Identifier: MIT
# bench -- what hangs or crashes is a failed row, and Ctrl-C leaves nothing
# behind.
#
# With its own program, which is built here from bench/.
. "$(dirname "$0")/tap.sh"

mkdir -p "$scratch/build/bench"
program=$scratch/build/bench/gate # a name that bench/run knows
results=$scratch/build/bench/results.jsonl

cat >"$scratch/contest.c" <<'END_OF_C'
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

static void well(unsigned thread, uint64_t count)
{
    (void)thread;
    for (; count > 0; count--)
        __asm__ volatile("");
}

static void hang(unsigned thread, uint64_t count)
{
    for (;;)
        pause();
}

static void crash(unsigned thread, uint64_t count)
{
    abort();
}

static bool nowhere(void)
{
    return false;
}

static const struct bench_entry entries[] = {
    {.impl = "well", .run = well},
    {.impl = "hangs", .run = hang},
    {.impl = "crashes", .run = crash},
    {.impl = "is not there", .run = well, .open = nowhere},
};
static const struct bench_entry stuck[] = {{.impl = "hangs", .run = hang}};

static const struct bench_workload workloads[] = {
    {.name = "gate/mixed", .operation = "nothing", .threads = 1,
     .cpu = {BENCH_ANY_CPU}, .batch = 1000, .entries = entries,
     .entry_count = 4},
    {.name = "gate/stuck", .operation = "nothing", .threads = 1,
     .cpu = {BENCH_ANY_CPU}, .batch = 1000, .entries = stuck,
     .entry_count = 1},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "gate", workloads, 2);
}
END_OF_C

builds() {
    cc -D_GNU_SOURCE -O1 -Ibench -pthread -o "$program" "$scratch/contest.c" \
        bench/bench.c bench/round.c bench/report.c -lm
}

# impl_is IMPL STATUS: in the results.
impl_is() {
    grep "\"impl\": \"$1\"" "$results" | grep -q "\"status\": \"$2\""
}

rows_fail_alone() {
    BENCH_DEADLINE_S=1 bench/run --quick --build "$scratch/build" \
        --document --output "$scratch/docs/page.md" gate -- mixed
    [ $? -eq 1 ] && impl_is well ok && impl_is hangs failed &&
        impl_is crashes failed && impl_is "is not there" absent &&
        [ -s "$scratch/docs/page.md" ] &&
        bench/run --tables --build "$scratch/build" |
            grep -q '^| hangs | failed |'
}

keeps_the_others() {
    sed 's/"gate.mixed"/"gate\/old"/' "$results" >"$scratch/old"
    cp "$scratch/old" "$results"
    BENCH_DEADLINE_S=1 bench/run --quick --build "$scratch/build" gate -- mixed
    grep -q '"gate/old"' "$results" && impl_is well ok &&
        [ "$(wc -l <"$results")" -eq $((2 * $(wc -l <"$scratch/old"))) ]
}

# Whether a process of the program runs.
runs() {
    for exe in /proc/[0-9]*/exe; do
        [ "$(readlink "$exe")" != "$program" ] || return 0
    done
    return 1
}

# await COMMAND...: until it holds, 10 seconds at most.
await() {
    for _ in $(seq 100); do
        "$@" && return
        sleep 0.1
    done
    return 1
}

gone() {
    ! runs
}

# stopped_by SIGNAL: in the middle of a turn that never ends.  A shell without
# job control, this one or one around it, would make it deaf to SIGINT.
stopped_by() {
    cp "$results" "$scratch/before"
    set -m
    BENCH_DEADLINE_S=60 env --default-signal=INT,TERM \
        bench/run --quick --build "$scratch/build" gate -- stuck \
        2>"$scratch/said" &
    set +m
    await runs && kill -s "$1" $! && wait $!
    [ $? -eq 1 ] && await gone && cmp "$results" "$scratch/before" &&
        grep -q 'stopped; the last results are untouched' "$scratch/said"
}

unknown_is_refused() {
    bench/run nothing 2>"$scratch/said"
    [ $? -eq 2 ] && grep -q 'no program nothing; there are gate' "$scratch/said"
}

has_bar() {
    BENCH_DEADLINE_S=1 script -qec "$program --quick mixed" /dev/null \
        </dev/null | grep -q '\[#* *\] .* %, 0:.. left  gate/mixed'
}

# Each row that bench/targets.json names is one that can be measured.
targets_exist() {
    for path in build/bench/*; do
        case $path in
        *.*) ;;
        */instructions) ;;
        *) "$path" --list ;;
        esac
    done >"$scratch/rows" && python3 - "$scratch/rows" <<'END_OF_PYTHON'
import json
import sys

rows = set(open(sys.argv[1]).read().splitlines())
named = [f"{target['workload']}: {impl}"
         for group in json.load(open("bench/targets.json"))
         for target in group["targets"]
         for impl in (target["impl"], target.get("to", "best peer"))
         if impl != "best peer"]
missing = [name for name in named if name not in rows]
print("\n".join(missing))
sys.exit(bool(missing or not named))
END_OF_PYTHON
}

expect "a workload of its own is built" builds
expect "what hangs, crashes or is absent is a row; the others go on" \
    rows_fail_alone
expect "results of other workloads are kept" keeps_the_others
expect "Ctrl-C leaves no process and the old results" stopped_by INT
expect "SIGTERM leaves no process and the old results" stopped_by TERM
expect "a program that does not exist is refused" unknown_is_refused
if command -v script >/dev/null; then
    expect "on a terminal there is a bar, with the time left" has_bar
fi
if [ -x build/bench/gate ]; then
    expect "each target is of a row that exists" targets_exist
fi
finish
