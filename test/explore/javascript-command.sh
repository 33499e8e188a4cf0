#!/bin/sh
# SPDX-License-Identifier: MIT
# javascript-command.sh -- weir explore: options, exit statuses, what is refused by
# name, pages, and that output repeats.
. "$(dirname "$0")/../api/tap.sh"

weir=$PWD/build/weir
programs=$PWD/test/explore/javascript

# status N OPTION...: weir explore exits with N; $said has what it said.
status() {
    wanted=$1
    shift
    said=$("$weir" explore --quiet "$@" 2>&1)
    got=$?
    [ $got = "$wanted" ] || {
        echo "exit status $got: $said"
        return 1
    }
}

says() {
    echo "$said"
    echo "$said" | grep -q -e "$1"
}

refuses() {
    status 2 "$1" "$programs/once.js" && says "$2"
}

# The program, which uses what cannot be controlled.
uncontrolled() {
    printf '%s\n' "$1" >"$scratch/program.js" &&
        status 3 --executions=5 "$scratch/program.js" &&
        says "cannot be explored: $2"
}

# differs PROGRAM OPERATION SOURCE: two runs differ first in the operation, and the source
# is named.
differs() {
    printf '%s\n' 'const view = new Int32Array(new SharedArrayBuffer(8));' \
        'const fs = require("node:fs");' "$1" >"$scratch/program.js" &&
        status 3 --executions=5 "$scratch/program.js" &&
        says 'two runs of one schedule differ' && says "the second run: $2" && says "    $3"
}

# repeats PROGRAM: what it stores is the same in each run.
repeats() {
    printf '%s\n' 'const view = new Int32Array(new SharedArrayBuffer(8));' "$1" \
        >"$scratch/program.js" && status 0 --executions=5 "$scratch/program.js"
}

fails() {
    printf '%s\n' "$1" >"$scratch/program.js" &&
        status 1 --executions=5 "$scratch/program.js" && says "$2"
}

explore_seed() {
    BROKEN=1 "$weir" explore --quiet --seed=5 --executions=200 "$programs/atomic-service.js"
}

twenty_times_the_same() {
    first=$(explore_seed)
    replay=$(echo "$first" | sed -n 's/^replay: //p')
    first=$(BROKEN=1 "$weir" explore "$replay" "$programs/atomic-service.js")
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
        again=$(BROKEN=1 "$weir" explore "$replay" "$programs/atomic-service.js")
        [ "$first" = "$again" ] || {
            echo "$first"
            echo "$again"
            return 1
        }
    done
    echo "$first" | grep -q '^lost wake-up: main waits'
}

samples_repeat() {
    one=$(explore_seed | grep executions)
    two=$(explore_seed | grep executions)
    echo "$one"
    echo "$two"
    [ -n "$one" ] && [ "$one" = "$two" ]
}

writes_a_page() {
    export BROKEN=1
    status 1 --html="$scratch/page.html" --executions=200 "$programs/once.js" &&
        grep -q '^</html>' "$scratch/page.html" &&
        grep -q '"worker 2"' "$scratch/page.html"
    page=$?
    unset BROKEN
    return $page
}

# shows DOCUMENT PROGRAM: what it shows is what the program prints in that schedule.
shows() {
    awk -v heading="\`\`\`text weir explore $2" '
        /^```/ { inside = 0 }
        inside { print }
        $0 == heading { inside = 1 }' "$1" >"$scratch/shown"
    BROKEN=1 "$weir" explore "$(sed -n 's/^replay: //p' "$scratch/shown")" "$2" |
        sed '/^replay:/q' >"$scratch/said"
    [ -s "$scratch/shown" ] && diff "$scratch/shown" "$scratch/said"
}

fixed_example_passes() {
    export FIXED=1
    status 0 --executions=60 "$PWD/examples/explore/$1.js"
    passes=$?
    unset FIXED
    return $passes
}

expect "the example fails" status 1 --executions=500 "$PWD/examples/explore/service.js"
expect "... by its lost close" says '^lost wake-up: main waits'
expect "... and passes when it is fixed" fixed_example_passes service
example=examples/explore/service.js
expect "the guide shows what it prints" shows docs/guide/explore.md $example
expect "README shows it, too" shows README.md $example
expect "the guide shows a race" shows docs/guide/explore.md examples/explore/race.js
expect "... which is gone when it is fixed" fixed_example_passes race
# The order in which a message, a timer and terminate() come is in the schedule.
shows_what_arrives() {
    BROKEN=1 status 1 --executions=60 "$programs/timeout-answer.js" &&
        says 'postMessage  timeout-answer.js:' && says '   time passes, to 1000 ms' &&
        says '   terminate  timeout-answer.js:' && says '   receives the message (from [0-9]*)$'
}

shows_files() {
    BROKEN=1 status 1 --executions=60 "$programs/file-update.js" &&
        says 'readFile begins  file-update.js:' && says 'readFile is done (from [0-9]*)$'
}

# A compareExchange that fails is not what a later operation reads from.
shows_who_wrote() {
    printf '%s\n' 'const v = new Int32Array(new SharedArrayBuffer(8));' \
        'Atomics.store(v, 0, 3); Atomics.compareExchange(v, 0, 1, 2); Atomics.load(v, 0); throw 1' \
        >"$scratch/program.js" && status 1 --executions=5 "$scratch/program.js" &&
        says '3   Atomics.load(\[0\]) = 3 (from 1)  program.js:2'
}

shows_blocked_waits() {
    BROKEN=1 status 1 --executions=200 "$programs/bounded-buffer.js" &&
        says 'Atomics.wait(\[1\], [0-9]*) (from [0-9]*)  bounded-buffer.js:' &&
        says '^main waits in its event loop'
}

# The only thread that can go on polls for what never comes.
finds_a_poll_forever() {
    printf '%s\n' 'const { Worker, isMainThread, workerData } = require("node:worker_threads");
if (isMainThread)
    new Worker(__filename, { workerData: new Int32Array(new SharedArrayBuffer(4)) });
else
    (function poll() {
        if (Atomics.load(workerData, 0) === 0)
            setImmediate(poll);
    })();' >"$scratch/program.js" &&
        status 1 --executions=2 --steps=50 "$scratch/program.js" &&
        says '^livelock: no end after '
}

ends_spinning() {
    status 0 --executions=100 "$programs/spin-lock.js" && ! says 'had no end'
}

# SIGINT, as by Ctrl-C, after the first line of progress.  The search forks, so it
# must be the only thread of its process.
stops_and_says_so() {
    rm -f "$scratch/progress"
    mkfifo "$scratch/progress" || return 1
    "$weir" explore "$1" --seconds=1000 "$PWD/bench/explore/workers.js" \
        >"$scratch/covered" 2>"$scratch/progress" &
    search=$!
    exec 3<"$scratch/progress"
    read -r _ <&3
    threads=$(ls /proc/$search/task | wc -l)
    kill -INT $search
    wait $search
    exec 3<&-
    said=$(cat "$scratch/covered")
    says '^nothing found' && says 'executions, ' && says "$2" &&
        [ "$threads" -eq 1 ]
}

notes_outcomes() {
    status 0 --executions=60 "$programs/outcomes.js" &&
        [ "$(echo "$said" | grep '^reached')" = "reached: 1 5
reached: 1 7" ]
}

expect "messages, timers and terminate() are shown" shows_what_arrives
expect "the work of the pool is shown" shows_files
expect "a failed compareExchange is no write" shows_who_wrote
expect "a wait that blocks is shown" shows_blocked_waits
expect "priorities let nobody spin forever" ends_spinning
expect "a worker that polls forever is a livelock" finds_a_poll_forever
expect "Ctrl-C ends sampling, which says what it has covered" stops_and_says_so --seed=1 '^covered: these schedules'
expect "Ctrl-C ends a search, which says that it is not complete" stops_and_says_so --exhaustive '^not covered: '
expect "the report lists what was reached" notes_outcomes
expect "--help" status 0 --help
expect "a program without workers passes" status 0 --executions=3 "$programs/choose.js"
expect "ten seconds end when they are asked for, too" status 0 --seconds=10 "$programs/choose.js"
expect "a replay of twenty times prints the same" twenty_times_the_same
expect "a seed repeats its executions" samples_repeat
expect "a failing schedule becomes a page" writes_a_page
expect "an uncaught error is found" fails 'throw new TypeError("no")' '^failure: .*TypeError: no'
expect "an unhandled rejection is found" fails 'Promise.reject(new Error("late"))' '^failure: .*late'
expect "an exit status is found" fails 'process.exit(4)' 'the program ends with status 4'
expect "an unknown option is refused" refuses --nonsense "unknown option"
expect "a number that is none is refused" refuses --seed=x "takes a number"
expect "a bound without a search is refused" refuses --preemptions=1 "needs --exhaustive"
expect "a schedule that is none is refused" refuses --replay=? "not a schedule"
expect "a missing program is refused" status 2
expect "a socket is refused by name" uncontrolled 'require("net").createServer().listen(0)' 'a socket'
expect "a child process is refused by name" uncontrolled 'require("child_process").spawn("true")' 'a child process'
expect "a signal is refused by name" uncontrolled 'process.kill(process.pid, "SIGTERM")' 'a signal'
expect "a schedule of another program is refused" status 2 --replay=99 "$programs/once.js"
expect "the real clock is named" differs \
    'const now = fs.readFileSync("/proc/uptime", "utf8").split(" ")[0];
Atomics.store(view, 0, 100 * now);
while (fs.readFileSync("/proc/uptime", "utf8").split(" ")[0] === now);' \
    'main: Atomics.store(\[0\], [0-9.]*) = [0-9]*  program.js:4' '/proc/uptime  program.js:3'
expect "a file that the program changes is named" differs \
    "const file = '$scratch/count', count = fs.existsSync(file) ? +fs.readFileSync(file) : 0;
fs.writeFileSync(file, String(count + 1));
if (count % 2 === 1)
    Atomics.add(view, 0, 1);
Atomics.sub(view, 1, 1);" \
    'main: Atomics.add(\[0\], 1) = 0  program.js:6' "$scratch/count  program.js:3"
expect "memory in use is named" differs \
    "const file = '$scratch/grows';
fs.writeFileSync(file, 'x', { flag: 'a' });
const more = Buffer.alloc(fs.statSync(file).size * 1000000, 1);
Atomics.store(view, 0, process.memoryUsage().rss / 4096);" \
    'main: Atomics.store(\[0\], [0-9.]*) = [0-9]*  program.js:6' '/proc/self/statm  program.js:6'
expect "clocks and numbers of processes repeat" repeats \
    'Atomics.store(view, 0, Date.now() % 1e9 + process.pid + process.ppid +
    process.hrtime()[1] + performance.now() + Math.random() * 1e6 +
    require("node:os").loadavg()[0] +
    require("node:crypto").randomBytes(4).readInt32LE() % 1000);'
expect "the order of a directory repeats" repeats \
    'const names = require("node:fs").readdirSync("/etc");
Atomics.store(view, 0, names.indexOf("passwd"));'
expect "garbage is collected at the same place" repeats \
    'let freed = 0;
const registry = new FinalizationRegistry(() => freed++), references = [];
for (let i = 0; i < 30000; i++) {
    const object = { i };
    object.itself = object;
    registry.register(object, i);
    references.push(new WeakRef(object));
    if (i % 1000 === 0)
        Atomics.store(view, 1, references.filter((reference) => !reference.deref()).length);
}
setTimeout(() => Atomics.store(view, 0, freed));'

# isolates BYTES STATEMENT: each sample makes choices, and then finds `state`, which has an
# array of that size, as it was at the beginning, even if samples before it, in the same
# process, have executed the statement.
isolates() {
    printf '%s\n' 'const { choose } = require("weir:explore"), assert = require("node:assert");
const fs = require("node:fs"), state = { list: [], bytes: new Uint8Array('"$1"') };
const look = () => JSON.stringify([state.list, state.bytes.findIndex((byte) => byte > 0),
    process.cwd(), process.umask(), Reflect.ownKeys(globalThis).length, process.env.CHANGED]);
const open = () => fs.openSync("/etc/passwd"), descriptor = open();
fs.closeSync(descriptor);
state.bytes[1000] = 1;
const before = look();
let chosen = 0;
for (let i = 0; i < 8; i++)
    chosen = 2 * chosen + choose(2);
assert.equal(look(), before);' "$2" >"$scratch/program.js" &&
        status 0 --executions=200 "$scratch/program.js"
}

# The samples of a group run in one process, unless that has changed.
samples_share_processes() {
    rm -f "$scratch/processes"
    isolates 10000 "state.list.push(chosen);
fs.writeFileSync('$scratch/processes', fs.readlinkSync('/proc/self') + '\n', { flag: 'a' });" || return 1
    samples=$(wc -l <"$scratch/processes")
    processes=$(sort -u "$scratch/processes" | wc -l)
    echo "$samples samples in $processes processes"
    [ "$samples" -ge 200 ] && [ "$processes" -le 70 ]
}

expect "samples share processes" samples_share_processes
expect "... but not what they do to memory" isolates 10000 \
    'state.bytes.fill(1 + chosen % 7); state.list.push("x".repeat(chosen * 1000));
globalThis.more = chosen; process.env.CHANGED = "1";
for (let i = 0; i < 20000; i++)
    state.list.push({ i, text: String(i * chosen) });
delete globalThis.escape;'
expect "... nor to the map of their memory" isolates 3000000 \
    'state.bytes = chosen % 4 > 0 ? new Uint8Array(5000000) : null;'
expect "... nor to their process" isolates 10000 'process.chdir("/"); process.umask(0o77);'
expect "... nor to their descriptors" isolates 10000 \
    'state.list.push(open(), open());
assert.equal(state.list[0], descriptor);
if (chosen % 2 === 0)
    state.list.forEach((fd) => fs.closeSync(fd));'
finish
