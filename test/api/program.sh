#!/bin/bash
# SPDX-License-Identifier: MIT
# program -- build/weir: its command line, its messages, its exit status.
. "$(dirname "$0")/tap.sh"
weir=$PWD/build/weir

# ends STATUS ARGUMENT...: stdout and stderr are in files.
ends() {
    wanted=$1
    shift
    timeout 30 "$weir" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    cat "$scratch/out" "$scratch/err"
    [ $status -eq "$wanted" ]
}

prints() {
    text=$1
    shift
    ends 0 "$@" && [ "$(cat "$scratch/out")" = "$text" ]
}

# complains STATUS TEXT ARGUMENT...: each line of the text is on stderr.
complains() {
    wanted=$1 text=$2
    shift 2
    ends "$wanted" "$@" &&
        while IFS= read -r line; do
            grep -qxF -- "$line" "$scratch/err" || return
        done <<<"$text"
}

bad_environment() {
    WEIR_BLOCKED_AFTER=soon \
        complains 9 "$weir: bad value of WEIR_BLOCKED_AFTER: soon" -e 1
}

from_stdin() {
    [ "$(echo 'console.log(process.argv.length, 6 * 7)' | "$weir" "$@")" = "$2" ]
}

stdin_alone() {
    [ "$(echo 'console.log(1)' | "$weir")" = 1 ]
}

help_names_every_option() {
    ends 0 --help
    for option in --eval --print --allow-blocking --microtask-budget \
        --memory-limit --stack-size --shutdown-deadline --threads --stats --trace --trace-slow --live \
        --cpu-prof --cpu-prof-name --cpu-prof-interval --help --version \
        --test --test-name-pattern --test-only --test-reporter \
        --test-reporter-destination --test-concurrency --test-timeout --test-shard \
        --test-force-exit --watch; do
        grep -qe "$option" "$scratch/out" &&
            sed 's/\\//g' build/weir.1 | grep -qe "$option" || return
    done
}

# Nobody can read what is at address 0, not even root.
unreadable_is_named() {
    ends 1 /proc/self/mem &&
        grep -q "^Error: EIO: i/o error, read '/proc/[0-9]*/mem'" "$scratch/err"
}

in_time() {
    SECONDS=0
    "$@" && [ $SECONDS -lt 10 ]
}

cat >"$scratch/broken.js" <<'END'
let a = 1;
	let = = 2;
END
cat >"$scratch/throws.js" <<'END'
function f() {
    throw new TypeError('bad', { cause: 5 });
}
f();
END

printf '%s\r\n' 'let a;' "'é€😀'; null.x;" >"$scratch/wide.js"

expect "-e runs code" prints 'hello' -e "console.log('hello')"
expect "--eval=CODE runs code" prints '1' --eval='console.log(1)'
expect "-p prints a value" prints "{ a: 1 }" -p '({ a: 1 })'
expect "-p has the builtins by their names" prints "function /" \
    -p '`${typeof util.inspect} ${path.sep}`'
expect "-e may take a name of theirs" prints "1 2" \
    -e 'const fs = 1; var os = 2; console.log(fs, os)'
expect "-e may assign to one" prints "1 true false undefined" \
    -e 'net = 1; delete globalThis.tls; const all = Object.keys(globalThis)
        console.log(net, all.includes("net"), all.includes("dns"), typeof tls)'
expect "so has a module in -e" prints "function" \
    -e 'await null; console.log(typeof util.inspect)'
expect "- reads stdin" from_stdin - "3 42"
expect "no file reads stdin" stdin_alone
expect "arguments follow the code" prints "[ 'x', '-y' ]" \
    -p 'process.argv.slice(1)' x -y
expect "-- ends the options" prints "[ '--help' ]" \
    -p 'process.argv.slice(1)' -- --help
expect "process.execArgv has the options" prints "[ '--test-only', '-p', 'process.execArgv' ]" \
    --test-only -p process.execArgv x --y
expect "--help names every option, and so does the man page" \
    help_names_every_option
expect "--version names the engine" ends 0 --version
expect "an unknown option is refused with 9" \
    complains 9 "$weir: bad option: --nothing" --nothing
expect "a value that is no number is refused with 9" \
    complains 9 "$weir: bad value: --memory-limit=much" --memory-limit=much
expect "a negative value is refused" ends 9 --stack-size=-1
expect "a bad value in the environment is refused" bad_environment
expect "a missing value is refused" \
    complains 9 "$weir: needs a value: --eval" -e
expect "a flag takes no value" ends 9 --allow-blocking=1
expect "a missing file is an error with its name" \
    complains 1 "Error: Cannot find module '/not/there.js'" /not/there.js
expect "a file that cannot be read is an error with its name" \
    unreadable_is_named
expect "wrong syntax is shown with file, line and caret" \
    complains 1 "$scratch/broken.js:2
	let = = 2;
	      ^" "$scratch/broken.js"
expect "the caret counts characters, and CRLF ends a line" \
    complains 1 "$scratch/wide.js:2
'é€😀'; null.x;
       ^" "$scratch/wide.js"
expect "an uncaught error is shown with line, caret, stack and cause" \
    complains 1 "$scratch/throws.js:2
    throw new TypeError('bad', { cause: 5 });
              ^
TypeError: bad
    at f ($scratch/throws.js:2:15)
  [cause]: 5" "$scratch/throws.js"
expect "an error in -e names [eval]" complains 1 '[eval]:1' -e 'null.x'
expect "-p of an ES module is refused" \
    complains 1 'Error [ERR_EVAL_ESM_CANNOT_PRINT]: --print cannot be used with ESM input' -p 'await 5'
expect "a thrown string is shown" complains 1 "Uncaught 'text'" -e "throw 'text'"
expect "an unhandled rejection ends with 1" \
    complains 1 'Error: lost' -e 'Promise.reject(new Error("lost"))'
expect "a top level that waits forever ends with 13" \
    ends 13 -e 'await new Promise(() => {})'
expect "process.exit gives the status" ends 42 -e 'process.exit(42)'
expect "process.exitCode gives the status" ends 3 -e 'process.exitCode = 3'
expect "--memory-limit is an error of the program" in_time \
    ends 1 --memory-limit=8M -e 'const a = []; for (;;) a.push([a.length])'
cat >"$scratch/workers.js" <<'END'
const { Worker } = require('worker_threads');
const seen = {}, greedy = `const gate = require('worker_threads').workerData;
    Atomics.wait(gate, 0, 0);
    const a = []; for (;;) a.push(new Array(1000).fill(0))`;
// The limit, and what 30 threads and the program itself take.
const mostKilobytes = () => Number(/VmHWM:\s*(\d+)/.exec(
    require('fs').readFileSync('/proc/self/status', 'latin1'))[1]);
// All begin at once, when all are there.  30 workers need most of the limit before
// they begin: one that could not even start must not keep the others waiting.
const gate = new Int32Array(new SharedArrayBuffer(4));
const pending = new Set();
const settle = (worker) => {
    if (pending.delete(worker) && pending.size === 0)
        Atomics.store(gate, 0, 1), Atomics.notify(gate, 0);
};
let left = 30;
for (let i = 0; i < 30; i++) {
    const worker = new Worker(greedy, { eval: true, workerData: gate });
    pending.add(worker);
    worker.on('online', () => settle(worker));
    worker.on('error', ({ code }) => {
        seen[code] = (seen[code] ?? 0) + 1;
        settle(worker);
    });
    worker.on('exit', (code) => {
        seen[code] = (seen[code] ?? 0) + 1;
        if (--left === 0)
            console.log(JSON.stringify(seen), mostKilobytes() < 100 << 10);
    });
}
END
expect "--memory-limit is one for all workers, each of which is told" in_time \
    prints '{"1":30,"ERR_WORKER_OUT_OF_MEMORY":30} true' --memory-limit=24M \
    "$scratch/workers.js"
expect "--memory-limit counts shared memory" in_time ends 1 --memory-limit=8M \
    -e 'const a = []; for (;;) a.push(new SharedArrayBuffer(100000))'
expect "--memory-limit counts messages under way" in_time ends 1 --memory-limit=8M \
    -e 'const { port1 } = new MessageChannel(); for (;;) port1.postMessage("x".repeat(9999))'
stdin_is_limited() {
    head -c 50000000 /dev/zero | tr '\0' ' ' | "$weir" --memory-limit=8M 2>"$scratch/err"
    [ $? -eq 1 ] && grep -qx 'weir: stdin: Cannot allocate memory' "$scratch/err"
}
expect "--memory-limit counts a program from stdin" stdin_is_limited
cat >"$scratch/depth.js" <<'END'
const { Worker, parentPort, isMainThread, resourceLimits } = require('worker_threads');
let depth = 0;
const dive = () => { depth++; dive(); };
try { dive(); } catch (error) { if (error.name !== 'RangeError') throw error; }
if (isMainThread)
    new Worker(__filename).on('message', ([size, other]) =>
        console.log(size, Math.abs(depth / other - 1) < 0.2));
else
    parentPort.postMessage([resourceLimits.stackSizeMb, depth]);
END
expect "--stack-size holds for workers" prints '0.25 true' --stack-size=256K "$scratch/depth.js"
expect "a worker has a stack as large as that" prints '7 true' --stack-size=7M "$scratch/depth.js"
for i in $(seq 0 2999); do
    echo "import { d as c } from './m$((i + 1)).mjs'; export const d = c + 1;" >"$scratch/m$i.mjs"
    echo "exports.d = require('./m$((i + 1)).cjs').d + 1;" >"$scratch/m$i.cjs"
done
echo 'export const d = 1;' >"$scratch/m3000.mjs"
echo 'exports.d = 1;' >"$scratch/m3000.cjs"
echo 'console.log(d);' >>"$scratch/m0.mjs"
echo 'console.log(exports.d);' >>"$scratch/m0.cjs"
# too_long FILE: an error, where the thread has no larger stack; not a signal.
# The stack may end while a file runs, is read or is compiled: try several sizes.
too_long() (
    for size in 1984 1952 1920 1888 1856 1824 1792; do
        ulimit -s "$size" && ends 1 "$scratch/$1" &&
            grep -q 'RangeError: Maximum call stack size exceeded' "$scratch/err" || exit
    done
)
expect "a program may be a chain of 3,000 imports" prints 3001 "$scratch/m0.mjs"
expect "... or of 3,000 files that are required" prints 3001 "$scratch/m0.cjs"
expect "a chain that the stack is too small for is a RangeError" too_long m0.mjs
expect "... that of required files, too" too_long m0.cjs
expect "--stack-size is a RangeError" prints 'RangeError' --stack-size=256K \
    -e 'const f = () => f() + 1; try { f() } catch (e) { console.log(e.name) }'
expect "a stack that the thread has not is refused with 9" complains 9 \
    "weir: --stack-size is too large: the thread has $(ulimit -s)K (ulimit -s)" \
    --stack-size=1024G -e 1
expect "Atomics.wait is refused on the main thread, with its line" complains 1 \
    'TypeError: Atomics.wait would block the event loop ([eval]:2); use await Atomics.waitAsync(...).value, or run with --allow-blocking' \
    -e 'const a = new Int32Array(new SharedArrayBuffer(4));
        Atomics.wait(a, 0, 0, 1)'
expect "--allow-blocking permits it" prints 'timed-out' --allow-blocking \
    -p 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)'
cat >"$scratch/busy.js" <<'END'
let stop = false;
function busy() {
    if (!stop)
        Promise.resolve().then(busy);
}
busy();
setTimeout(() => { stop = true; }, 1000);
END
# It is in either of the two calls when the engine asks.
names_busy() {
    ends 0 --microtask-budget=10 "$scratch/busy.js" &&
        grep -qxE "    at busy \($scratch/busy\.js:4:(17|32)\)" "$scratch/err"
}
expect "--microtask-budget lets timers through, and names the function" in_time \
    names_busy
warns_once() {
    [ "$(grep -c MicrotaskBudgetWarning "$scratch/err")" -eq 1 ]
}
expect "it warns once" warns_once
debugs() {
    NODE_DEBUG='one,some*' ends 0 -e 'const { debuglog } = require("util");
        debuglog("something")("hello %d", 5); debuglog("else")("no")' &&
        [ "$(sed 's/[0-9]*:/PID:/' "$scratch/err")" = 'SOMETHING PID: hello 5' ]
}
cat >"$scratch/stats.js" <<'END'
const spin = (ms) => { const until = Date.now() + ms; while (Date.now() < until); };
setTimeout(function slow() { spin(20); }, 1);
require('fs').readFile(__filename, () => {});
END
shows_stats() {
    "$weir" --stats "$scratch/stats.js" >"$scratch/out" 2>"$scratch/err" &&
        [ ! -s "$scratch/out" ] &&
        grep -qE '^weir: [1-9][0-9]* turns, [1-9][0-9]* callbacks' "$scratch/err" &&
        grep -qE '^weir: 1 jobs on ' "$scratch/err" &&
        grep -qE ' ms  timer +slow \(stats.js:2\)$' "$scratch/err" &&
        grep -qE ' ms  main +main module$' "$scratch/err" &&
        grep -qE ' MB of memory' "$scratch/err"
}
expect "--stats prints what the loop has done, and the slowest callbacks" \
    shows_stats

expect "NODE_DEBUG names what util.debuglog shows" debugs
expect "a pipe that nobody reads does not hang it" in_time \
    bash -c "'$weir' -e 'for (let i = 0; i < 1e4; i++) console.log(i)' | head -1"

# Libraries are loaded at the first call: they take as long as the whole start.
loads_only_libc() {
    LD_DEBUG=files "$weir" -e 1 2>"$scratch/err" &&
        grep -q 'calling init: .*libc' "$scratch/err" || return
    ! grep 'calling init' "$scratch/err" |
        grep -vE '/(libc|libm|ld-linux[^/]*)\.so'
}
expect "a program that uses no library loads none" loads_only_libc
finish
