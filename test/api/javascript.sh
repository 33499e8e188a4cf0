#!/bin/bash
# SPDX-License-Identifier: MIT
# javascript -- docs/guide/javascript.md and embedding.md say what is so.
. "$(dirname "$0")/tap.sh"
guides='docs/guide/javascript.md docs/guide/embedding.md docs/guide/jobs.md'

rows() {
    sed -n 's/^| `\(weir_[a-z_]*\)` |.*/\1/p' docs/guide/embedding.md
}

every_function_has_one_row() {
    diff <(rows | sort) tools/exports-js.txt
}

quotes_are_verbatim() {
    python3 - $guides <<'END'
import pathlib
import re
import sys

guide = "".join(pathlib.Path(name).read_text() for name in sys.argv[1:])
quotes = re.findall(r"^```(?:c|js) +(\S+)\n(.*?)^```$", guide, re.M | re.S)
if not quotes:
    sys.exit("no quotes")
for name, quote in quotes:
    if "\n" + quote not in "\n" + pathlib.Path(name).read_text():
        sys.exit(f"not in {name}:\n{quote}")
END
}

# Programs that are no quotes: each runs, and prints what is shown below it.
guide_programs() {
    python3 - "$scratch" docs/guide/javascript.md docs/guide/sqlite.md <<'END'
import pathlib
import re
import subprocess
import sys

guide = "".join(pathlib.Path(name).read_text() for name in sys.argv[2:])
programs = re.findall(r"^```js\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", guide,
                      re.M | re.S)
if len(programs) < 3:
    sys.exit("no programs")
for code, shown in programs:
    suffix = "mjs" if code.startswith("import ") else "js"
    file = pathlib.Path(sys.argv[1]) / f"guide.{suffix}"
    file.write_text(code)
    said = subprocess.run(["build/weir", file], stdout=subprocess.PIPE, text=True,
                          timeout=60, check=True).stdout
    if said != shown and shown or not said:
        sys.exit(f"{code}\nprinted:\n{said}")
END
}

prints_what_the_guide_shows() {
    awk -v heading="\`\`\`text $1" '
        /^```/ { inside = 0 }
        inside { print }
        $0 == heading { inside = 1 }' $guides >"$scratch/shown"
    [ -s "$scratch/shown" ] &&
        timeout 30 "$1" >"$scratch/said" && diff "$scratch/shown" "$scratch/said"
}

# The engine's own check: a build that does not work, but does not compile
# either where a value that is borrowed is taken for one that is owned.
values_are_owned_or_borrowed() {
    for file in js/*/*.c; do
        cc -std=gnu11 -D_GNU_SOURCE -DJS_CHECK_JSVALUE -fsyntax-only -Iinclude \
            -Ijs -I"${WEIR_QUICKJS_DIR:-.engine/quickjs-ng}" "$file" || return
    done
}

# ---- the service that the project began with ----

seed=test/js/program/seed-000/atomic-state-machine.js

# Node 20 hangs forever.
seed_ends_at_once() {
    local line
    line=$(grep -n 'Atomics.wait(' "$seed" | cut -d: -f1)
    timeout 30 build/weir "$seed" >"$scratch/said" 2>"$scratch/complaint"
    [ $? -eq 1 ] && [ "$(head -n 1 "$scratch/said")" = '🟢 Service started' ] &&
        ! grep 'exiting cleanly' "$scratch/said" &&
        grep -F "TypeError: Atomics.wait would block the event loop ($PWD/$seed:$line); use await Atomics.waitAsync(...).value, or run with --allow-blocking" \
            "$scratch/complaint"
}

# The same program, right: 200 times, with random short delays.
run_state_machine() {
    mkdir "$scratch/runs"
    for ((run = 1; run <= 200; run++)); do
        timeout 30 build/weir examples/atomic-state-machine.js \
            $((RANDOM % 25)) $((RANDOM % 25)) >"$scratch/runs/$run" || return
    done
}

# Each worker is rejected, or starts and finishes; the rest is said once, in
# this order, and nobody works after the close.
state_machine_is_right() {
    awk '/Worker/ { steps[$3] = steps[$3] " " $4; if (closed) late = late $4 }
         /started$/ { said = said "s" }
         /draining/ { said = said "d" }
         /closed/ { said = said "c"; closed = 1 }
         /exiting cleanly/ { said = said "e" }
         END { for (id = 0; id < 4; id++)
                   if (steps[id] != " rejected" &&
                       steps[id] != " started finished") exit 1
               exit said != "sdce" || late ~ /started|finished/ }' "$1" ||
        { cat "$1"; return 1; }
}

every_run_is_right() {
    for output in "$scratch"/runs/*; do
        state_machine_is_right "$output" || return
    done
}

some_work_outlives_the_drain() {
    for output in "$scratch"/runs/*; do
        sed '1,/Service draining/d' "$output" | grep finished && return
    done
}

make_run_runs_it() {
    make -n run | grep -F 'build/weir examples/atomic-state-machine.js'
}

# ---- the other examples ----

wait_async_stays_responsive() {
    timeout 60 build/weir examples/wait-async.js |
        sed 's/ (not-equal)$/ (ok)/' >"$scratch/said"
    [ "$(tail -n 2 "$scratch/said")" = 'the timer ran meanwhile
nobody notifies: timed-out' ] && grep -x 'step 5 (ok)' "$scratch/said"
}

prime_search_counts() {
    timeout 120 build/weir examples/prime-search.js 1000000 3 >"$scratch/said" &&
        grep -x '78498 primes below 1000000' "$scratch/said" &&
        grep '^3 workers, which stole' "$scratch/said"
}

scheduler_prefers_the_urgent() {
    timeout 60 build/weir examples/priority-scheduler.js |
        awk '$2 == 64 { mean[$1] = $6 }
             END { exit !(mean["HIGH"] < mean["NORMAL"] &&
                          mean["NORMAL"] < mean["LOW"]) }'
}

# The first line comes with the first job.
graceful_shutdown_finishes_its_jobs() {
    mkfifo "$scratch/lines"
    build/weir examples/graceful-shutdown.js >"$scratch/lines" &
    { read -r && kill -TERM $! && cat >"$scratch/said"; } <"$scratch/lines"
    wait $! && awk 'NR == 1 { exit !($1 == "CLOSED:" && $2 == $4 && $2 > 0) }' \
        "$scratch/said"
}

pool_server_answers_all_it_has_asked() {
    mkfifo "$scratch/answers"
    build/weir examples/pool-server.mjs >"$scratch/answers" &
    { read -r && kill -TERM $! && cat >"$scratch/said"; } <"$scratch/answers"
    wait $! && awk 'NR == 1 { exit !($1 == "CLOSED:" && $2 == $4 && $2 > 0) }' \
        "$scratch/said"
}

seed_random
expect "no value is both borrowed and owned" values_are_owned_or_borrowed
expect "embed prints what the guide shows" \
    prints_what_the_guide_shows build/embed
expect "the guide quotes the examples as they are" quotes_are_verbatim
expect "the guide's own programs print what it shows" guide_programs
expect "the seed's service ends at once with a TypeError" seed_ends_at_once
expect "the right one runs 200 times" run_state_machine
expect "and is right each time" every_run_is_right
expect "and some work outlives the drain" some_work_outlives_the_drain
expect "make run runs it" make_run_runs_it
expect "wait-async waits and stays responsive" wait_async_stays_responsive
expect "prime-search counts" prime_search_counts
expect "priority-scheduler prefers the urgent ones" scheduler_prefers_the_urgent
expect "graceful-shutdown finishes what it has begun at SIGTERM" \
    graceful_shutdown_finishes_its_jobs
expect "pool-server waits for all answers at SIGTERM" \
    pool_server_answers_all_it_has_asked
expect "every function of weir/js.h has one row" every_function_has_one_row
finish
