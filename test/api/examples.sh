#!/bin/bash
# SPDX-License-Identifier: MIT
# examples -- the programs do what they promise, and what the README and the
# guide say about them is so.
#
# The service runs 200 times with random short delays; WEIR_SEED=N repeats them.
# The clients of the echo server are in echo.py, the job server's in
# jobserver.py.  last_answers.py counts what clients of these and of servers in
# examples/net receive when they end, in ROUNDS rounds (3) for each kind of client.
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

# ---- the servers: echo and jobserver ----

# plays SERVER SCENE
plays() {
    timeout 120 python3 "test/api/$1.py" "$2"
}

# receives SERVER CLIENTS: at a random SIGTERM, ROUNDS times.
receives() {
    timeout $((60 * ROUNDS)) python3 test/api/last_answers.py "$1" "$2" \
        "$ROUNDS" "$WEIR_SEED"
}

# refuses SERVER ARGUMENT...
refuses() {
    timeout 30 "build/$1" "${@:2}" </dev/null
    [ $? -eq 2 ]
}

# A port that is taken is an error with a text, not a crash.
reports_a_port_that_is_taken() {
    mkfifo "$scratch/port-$1"
    "build/$1" >"$scratch/port-$1" &
    exec 3<"$scratch/port-$1" # stays open: the server may say goodbye
    read -r _ _ port <&3
    timeout 30 "build/$1" "$port" 2>"$scratch/messages"
    status=$?
    kill -TERM $!
    wait $! && [ $status -eq 1 ] &&
        grep 'listener: Address already in use' "$scratch/messages"
}

jobserver_helps() {
    timeout 30 build/jobserver --help | grep '^usage: jobserver'
}

no_process_is_left() {
    [ -z "$(jobs -r)" ]
}

# ---- the README and the guide ----

# Each C block of the README is a program; the text block after it is what it
# prints.
readme_examples() {
    awk -v name="$scratch/readme" '
        /^```/ { file = "" }
        file != "" { print >file }
        /^```c$/ { file = name (++programs) ".c" }
        /^```text$/ { file = name programs ".txt" }' README.md
    [ -s "$scratch/readme1.c" ] || return
    for program in "$scratch"/readme*.c; do
        base=${program%.c}
        cc -Wall -Wextra -Werror -Iinclude "$program" build/libweir.a \
            -pthread -o "$base" &&
            timeout 30 "$base" >"$base.said" &&
            diff "$base.txt" "$base.said" || return
    done
}

# Each C block of the guides says which example it is from, and is a verbatim
# part of it; so is a block in JavaScript, or of the README, that names a file.
quotes_are_verbatim() {
    python3 - <<'END'
import pathlib
import re
import sys

guide = "".join(path.read_text()
                for path in sorted(pathlib.Path("docs/guide").glob("*.md")))
quotes = re.findall(r"^```c *(\S*)\n(.*?)^```$", guide, re.M | re.S)
readme = pathlib.Path("README.md").read_text()
quotes += re.findall(r"^```c (\S+)\n(.*?)^```$", readme, re.M | re.S)
quotes += re.findall(r"^```js (\S+)\n(.*?)^```$", guide, re.M | re.S)
if not quotes:
    sys.exit("no quotes")
for name, quote in quotes:
    if not name:
        sys.exit(f"from which file?\n{quote}")
    if "\n" + quote not in "\n" + pathlib.Path(name).read_text():
        sys.exit(f"not in {name}:\n{quote}")
END
}

# The block after "```text build/NAME" is what that program prints.
prints_what_the_guide_shows() {
    awk -v heading="\`\`\`text $1" '
        /^```/ { inside = 0 }
        inside { print }
        $0 == heading { inside = 1 }' docs/guide/*.md >"$scratch/shown"
    [ -s "$scratch/shown" ] &&
        timeout 30 "$1" >"$scratch/said" && diff "$scratch/shown" "$scratch/said"
}

# A program that takes a file.
mail_prints_what_the_guide_shows() {
    sed -n '/^```text build\/jobs\/mail$/,/^```$/p' docs/guide/jobs.md |
        sed '1d;$d' >"$scratch/shown" && [ -s "$scratch/shown" ] &&
        timeout 30 build/jobs/mail "$scratch/mail.db" >"$scratch/said" &&
        diff "$scratch/shown" "$scratch/said"
}

# js_is_shown NAME: examples/jobs/NAME.mjs
js_is_shown() {
    sed -n "/^\`\`\`text build\/weir examples\/jobs\/$1.mjs$/,/^\`\`\`$/p" \
        docs/guide/jobs.md | sed '1d;$d' >"$scratch/shown" &&
        [ -s "$scratch/shown" ] &&
        timeout 30 build/weir "examples/jobs/$1.mjs" "$scratch/$1.db" \
            >"$scratch/said" && diff "$scratch/shown" "$scratch/said"
}

# The program in front of it in the guide, which test/npm runs.
moved_prints_what_bullmq_did() {
    js_is_shown moved && diff "$scratch/said" test/npm/bullmq-mail.out
}

thumbnails_are_kept() {
    timeout 30 build/weir examples/jobs/thumbnails.mjs "$scratch/small.db" \
        >"$scratch/said" &&
        printf '%s\n' '106 130 138 114' '113 129 129 121' '120 128 128 128' |
        diff - "$scratch/said"
}

# Two days pass while it sleeps.  In Berlin it is three when it is one or two in UTC.
cron_follows_the_clocks_of_berlin() {
    printf "process.argv.push('%s', '2'); await import('%s');\n" \
        "$scratch/cron.db" "$PWD/examples/jobs/cron.mjs" >"$scratch/cron.mjs" &&
        timeout 60 build/test/virtual/weir "$scratch/cron.mjs" \
            >"$scratch/said" &&
        [ "$(head -n 1 "$scratch/said")" = \
            'reports, daily: 0 3 * * *, Europe/Berlin' ] &&
        [ "$(grep -cE '^a report to the boss, for [-0-9]+T0[12]:00:00\.000Z$' \
            "$scratch/said")" -eq 2 ] &&
        [ "$(wc -l <"$scratch/said")" -eq 3 ]
}

# Of test/jobs/postgres.py, too, on a server.
three_processes_share_a_store() {
    timeout 60 build/weir examples/jobs/three.mjs "$scratch/three.db" \
        >"$scratch/said" &&
        sed -n '/^```text build\/weir examples\/jobs\/three.mjs/,/^```$/p' \
            docs/guide/jobs.md | sed '1d;$d' | diff - "$scratch/said"
}

# The report of the job server has other numbers each time.
guide_shows_the_report() {
    PYTHONPATH=test/api python3 -B - <<'END'
import pathlib
import jobserver

guide = pathlib.Path("docs/guide/service.md").read_text()
assert jobserver.REPORT.search(guide), "no such report"
END
}

# ---- the pool's ----

checksum_of_files() {
    printf Wikipedia >"$scratch/file"
    [ "$(build/checksum "$scratch/file")" = "11e60398      9 $scratch/file" ]
}

checksum_of_a_missing_file_fails() {
    build/checksum "$scratch/none" "$scratch/file" >"$scratch/said"
    [ $? -eq 1 ] && grep '^11e60398' "$scratch/said"
}

seed_random
: "${ROUNDS:=3}"
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

expect "echo sends back what one client sends" plays echo one_client
expect "echo serves many clients at once" plays echo many_clients
expect "echo survives a client that resets its connection" \
    plays echo rude_client
expect "echo holds one buffer for a client that reads slowly" \
    plays echo slow_reader
expect "echo goes on when it has run out of descriptors" \
    plays echo no_descriptor_left
expect "echo ends at SIGTERM and hangs up" plays echo stop_with_idle_client
expect "echo sends back what has arrived before SIGTERM" \
    plays echo stop_with_data_under_way
expect "echo serves the clients that the kernel has accepted before SIGTERM" \
    plays echo stop_serves_the_queue_of_the_kernel
expect "echo refuses clients after SIGTERM, and serves the one it has" \
    plays echo stop_refuses_new_clients
expect "echo names what holds it at its deadline, and fails" \
    plays echo stop_runs_into_deadline
expect "echo gives up at its deadline on a client that does not hang up" \
    plays echo stop_with_a_client_that_stays
expect "echo ends at once at a second signal, and fails" \
    plays echo second_signal_ends_it
expect "echo refuses a port that is no number" refuses echo http
expect "echo refuses a deadline that is negative" refuses echo 0 -1
expect "echo says that its port is taken" reports_a_port_that_is_taken echo

expect "jobserver answers each line, also one that is wrong" \
    plays jobserver answers
expect "jobserver answers the lines of many clients, in their order" \
    plays jobserver many_clients
expect "jobserver survives a client that leaves before its answer" \
    plays jobserver rude_client
expect "jobserver goes on when it has run out of descriptors" \
    plays jobserver no_descriptor_left
expect "jobserver ends at SIGTERM and hangs up" \
    plays jobserver drain_with_idle_client
expect "jobserver answers after SIGTERM what was asked before" \
    plays jobserver drain_answers_what_is_inside
expect "jobserver refuses clients and requests after SIGTERM" \
    plays jobserver drain_refuses_what_comes_later
expect "jobserver answers clients that the kernel has accepted before SIGTERM" \
    plays jobserver drain_serves_the_queue_of_the_kernel
expect "jobserver gives up on a client that does not hang up, and fails" \
    plays jobserver drain_gives_up_on_a_client_that_stays
expect "jobserver gives up on a client that never reads, and fails" \
    plays jobserver drain_gives_up_on_a_client_that_never_reads
expect "jobserver names the job that holds it at its deadline, and fails" \
    plays jobserver drain_runs_into_deadline
expect "jobserver ends at once at a second signal, and fails" \
    plays jobserver second_signal_forces
expect "jobserver refuses a port that is no number" refuses jobserver http
expect "jobserver refuses a port that there is not" refuses jobserver 65536
expect "jobserver refuses a deadline that is negative" refuses jobserver 0 -1
expect "jobserver refuses an argument too many" refuses jobserver 0 1 2
expect "jobserver says how it is used" jobserver_helps
expect "jobserver says that its port is taken" \
    reports_a_port_that_is_taken jobserver

servers='echo jobserver'
[ -x build/peers/httpd ] && servers="$servers net/echo net/httpd net/resp"
for server in $servers; do
    expect "$server's clients that pipeline receive all that it sends" \
        receives "$server" pipeline
    expect "$server's clients that read slowly receive all that it sends" \
        receives "$server" slow
    expect "$server's clients that never read take nothing from the others" \
        receives "$server" never
done

for program in hello worker order status timer failing foreign \
    checksum lane deadline promise gather lookup; do
    expect "$program prints what the guide shows" \
        prints_what_the_guide_shows build/$program
done
if [ -x build/weir ] && [ -x build/jobs/mail ]; then
    expect "jobs/mail.mjs prints what the guide shows" js_is_shown mail
    expect "jobs/loop.mjs prints what the guide shows" js_is_shown loop
    expect "jobs/moved.mjs prints what BullMQ's program does" \
        moved_prints_what_bullmq_did
    expect "jobs/thumbnails.mjs keeps its results" thumbnails_are_kept
    expect "jobs/cron.mjs adds a job each day" cron_follows_the_clocks_of_berlin
    expect "jobs/three.mjs prints what the guide shows" \
        three_processes_share_a_store
fi
if [ -x build/jobs/mail ]; then
    expect "mail prints what the guide shows" mail_prints_what_the_guide_shows
fi
expect "checksum adds up a file" checksum_of_files
expect "checksum goes on without a file that is missing, and fails" \
    checksum_of_a_missing_file_fails
expect "the guide shows the report that the job server makes" \
    guide_shows_the_report
expect "the guide quotes the examples as they are" quotes_are_verbatim
expect "the README's programs build, run, and print what it shows" \
    readme_examples
expect "no process is left" no_process_is_left
finish
