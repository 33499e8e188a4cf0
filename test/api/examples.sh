#!/bin/bash
# SPDX-License-Identifier: MIT
# examples -- the programs do what they promise, and so does the README.
#
# The service runs 200 times with random short delays; SEED=N repeats them.
. "$(dirname "$0")/tap.sh"
runs=200
outputs=$scratch/runs
mkdir "$outputs"

# ---- the service ----

run_service() {
    for ((run = 1; run <= runs; run++)); do
        timeout 30 build/service --drain-after-ms $((RANDOM % 10)) \
            --work-ms $((RANDOM % 15)) --seed $RANDOM \
            >"$outputs/$run" || return
    done
}

# every_run COMMAND...: the command accepts the output of each run.
every_run() {
    for output in "$outputs"/*; do
        if ! "$@" "$output"; then
            cat "$output"
            return 1
        fi
    done
}

says_once() {
    [ "$(grep -c "$1" "$2")" -eq 1 ]
}

# A worker is rejected, or starts and then finishes.  There are four, and then
# two who come too late.
workers_end_once() {
    awk '/Worker/ { steps[$3] = steps[$3] " " $4 }
         END { for (id = 0; id < 6; id++)
                   if (steps[id] != " rejected" &&
                       (id >= 4 || steps[id] != " started finished")) exit 1
               exit length(steps) != 6 }' "$1"
}

nobody_works_after_the_close() {
    ! sed '1,/Service closed/d' "$1" | grep -E 'started work|finished'
}

main_leaves_last() {
    tail -n 1 "$1" | grep 'Main thread exiting cleanly'
}

# Work that began before the drain and ended after it.
some_work_outlives_the_drain() {
    for output in "$outputs"/*; do
        sed '1,/Service draining/d' "$output" | grep finished && return
    done
}

interrupt_drains() {
    mkfifo "$scratch/lines"
    build/service --drain-after-ms 3600000 --work-ms 1 >"$scratch/lines" &
    { read -r && kill -INT $! && timeout 30 grep 'Service closed'; } \
        <"$scratch/lines" || kill -KILL $!
    wait $!
}

wrong_option_is_refused() {
    build/service --drain-after-ms soon
    [ $? -eq 2 ]
}

# ---- the README ----

# The first C block is a program; the text block after it is what it prints.
readme_example() {
    awk -v program="$scratch/readme.c" -v output="$scratch/readme.txt" '
        /^```/ { file = "" }
        file != "" { print >file }
        /^```c$/ && !shown++ { file = program }
        /^```text$/ && shown && !told++ { file = output }' README.md
    [ -s "$scratch/readme.c" ] && [ -s "$scratch/readme.txt" ] &&
        cc -Wall -Wextra -Werror -Iinclude "$scratch/readme.c" \
            build/libweir.a -pthread -o "$scratch/readme" &&
        "$scratch/readme" >"$scratch/said" &&
        diff "$scratch/readme.txt" "$scratch/said"
}

RANDOM=${SEED:=$RANDOM}
echo "# SEED=$SEED"
expect "service leaves with status 0, $runs times" run_service
for line in 'Service started' 'Service draining' 'Service closed'; do
    expect "service says '$line' once" every_run says_once "$line"
done
expect "service rejects its workers, or they start and finish" \
    every_run workers_end_once
expect "service closes after the last one has finished" \
    every_run nobody_works_after_the_close
expect "service's main thread leaves last" every_run main_leaves_last
expect "service had work that outlived the drain in one of the runs" \
    some_work_outlives_the_drain
expect "service drains at SIGINT" interrupt_drains
expect "service refuses an option that is wrong" wrong_option_is_refused
expect "the README's example builds, runs, and prints what it shows" \
    readme_example
finish
