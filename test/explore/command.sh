#!/bin/sh
# SPDX-License-Identifier: MIT
# command.sh -- weir-explore, and a program that was built with it: options,
# exit statuses, what is refused by name, and that output repeats.
. "$(dirname "$0")/../api/tap.sh"

explore=$PWD/build/weir-explore
programs=$PWD/test/explore/programs

build() {
    "$explore" cc -O1 "$programs/$1.c" ${3:+"$3"} -o "$scratch/$2"
}

# status N COMMAND...: it exits with N; $said has what it said.
status() {
    wanted=$1
    shift
    said=$("$@" 2>&1)
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

fails() {
    status 1 "$explore" run --quiet "$@" "$scratch/broken" && says "^assertion failed"
}

refuses() {
    status 2 "$explore" run "$1" "$scratch/broken" && says "$2"
}

# The source, in place of a program that uses what cannot be explored.
uncontrolled() {
    printf '#include <pthread.h>\n#include <signal.h>\n#include <stdatomic.h>\n%s' \
        "#include <sys/syscall.h>
#include <unistd.h>
atomic_int word;
union { _Atomic char byte; atomic_int whole; } mixed;
static void *sleep_on(void *p) { return p; }
int main(void) { pthread_t t; (void)t; (void)sleep_on; $1; return 0; }" >"$scratch/source.c" &&
        "$explore" cc "$scratch/source.c" -o "$scratch/source" &&
        status 3 "$scratch/source" && says "cannot be explored: $2"
}

twenty_times_the_same() {
    first=$("$explore" run --quiet --random=500 --seed=3 "$scratch/broken" | grep -v ' s$')
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
        again=$("$explore" run --quiet --random=500 --seed=3 "$scratch/broken" | grep -v ' s$')
        [ "$first" = "$again" ] || return 1
    done
    echo "$first" | grep -q "^assertion failed"
}

stops_in_time() {
    status 0 "$explore" run --quiet --seconds=1 --no-reduction "$scratch/long" &&
        says "not covered: the search was stopped"
}

shows_output_in_a_replay() {
    printf '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }' >"$scratch/hello.c" &&
        "$explore" cc "$scratch/hello.c" -o "$scratch/hello" &&
        status 0 "$scratch/hello" && ! echo "$said" | grep hello &&
        status 0 "$explore" run --replay=0 "$scratch/hello" && says hello
}

separate_steps() {
    "$explore" cc -c "$programs/lost_update.c" -o "$scratch/part.o" &&
        printf 'int unused;' >"$scratch/other.c" &&
        "$explore" cc "$scratch/other.c" "$scratch/part.o" -o "$scratch/parts" &&
        status 0 "$scratch/parts"
}

without_the_sanitizer() {
    cc "$programs/lost_update.c" -o "$scratch/plain" -Lbuild -lweir-explore \
        -Wl,-rpath,"$PWD/build" && status 3 "$scratch/plain" &&
        says "was not compiled with -fsanitize=thread"
}

both_runtimes() {
    cc -fsanitize=thread "$programs/lost_update.c" -o "$scratch/both" -Lbuild \
        -lweir-explore -Wl,-rpath,"$PWD/build" &&
        status 3 setarch -R "$scratch/both" && says "ThreadSanitizer's runtime"
}

nonzero_return() {
    printf 'int main(void) { return 4; }' >"$scratch/four.c" &&
        "$explore" cc "$scratch/four.c" -o "$scratch/four" &&
        status 1 "$scratch/four" && says "main returns 4"
}

deadlock_is_explained() {
    build philosophers dine -DBROKEN && status 1 "$scratch/dine" &&
        says 'thread 1 is blocked: lock fork_of+40  philosophers.c:[0-9]*, which thread 2 has' &&
        says 'main is blocked: joins thread 1  start.h:[0-9]*$'
}

cat >"$scratch/long.c" <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a[3];
static void *work(void *p)
{
    for (int i = 0; i < 12; i++)
        atomic_fetch_add(&a[i % 3], 1);
    return p;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
END

expect "a program is built" build lost_update broken -DBROKEN
expect "two sources, one of them an object, are built" separate_steps
expect "exhaustive search finds the bug" fails
expect "one preemption finds the bug" fails --preemptions=1
expect "random runs find the bug" fails --random=1000
expect "PCT finds the bug" fails --pct=1000 --depth=2
expect "no reduction finds the bug" fails --no-reduction
expect "the correct program passes" build lost_update correct
expect "... with exit status 0" status 0 "$scratch/correct"
expect "a seed repeats to the byte, twenty times" twenty_times_the_same
expect "a search stops in time, and says so" \
    "$explore" cc "$scratch/long.c" -o "$scratch/long"
expect "... after a second" stops_in_time
expect "a deadlock says who waits for whom" deadlock_is_explained
expect "output is shown in a replay only" shows_output_in_a_replay
expect "an exit status that is not 0 is a finding" nonzero_return
expect "a failing schedule becomes a page" status 1 "$explore" run --html="$scratch/page.html" "$scratch/broken"
expect "... which is complete" grep -q '^</html>' "$scratch/page.html"
expect "a page that cannot be written is an error" \
    status 2 "$explore" run --html="$scratch/none/page.html" "$scratch/broken"
expect "... which says why" says "cannot write .*: No such file"
expect "--help of the program" status 0 "$explore" run --help "$scratch/broken"
expect "--help of the script" status 0 "$explore" --help
expect "--version of the script" status 0 "$explore" --version
expect "an unknown option is refused" refuses --nonsense "unknown option"
expect "a number that is none is refused" refuses --seed=x "takes a number"
expect "options that contradict each other are refused" refuses "--random=5 --preemptions=1" "contradict"
expect "a missing command is refused" status 2 "$explore"
expect "a missing source is refused" status 2 "$explore" cc "$scratch/none.c"
expect "fork() is refused by name" uncontrolled 'fork()' 'fork() at source.c'
expect "pthread_kill() is refused by name" uncontrolled 'pthread_kill(pthread_self(), 0)' 'pthread_kill() at'
expect "other futex operations are refused by name" uncontrolled 'syscall(SYS_futex, &word, 3, 1, 0, 0, 0)' 'a futex operation'
expect "other system calls are refused by name" uncontrolled 'syscall(SYS_getppid)' 'a system call through syscall() at'
expect "words of different sizes are refused by name" uncontrolled 'atomic_store(&mixed.byte, 1); atomic_store(&mixed.whole, 1)' 'atomic operations of different sizes'
expect "an eighth thread is refused by name" uncontrolled 'for (int i = 0; i < 7; i++) pthread_create(&t, 0, sleep_on, 0)' 'more than seven threads'
expect "input that differs is refused" uncontrolled 'if (getpid() & 0) return 1; static int fd = -1; fd = dup(0); for (int i = 0; i < fd; i++) atomic_store(&word, i)' 'something that differs from run to run'
expect "code without instrumentation is refused" without_the_sanitizer
expect "ThreadSanitizer's own runtime is refused" both_runtimes
finish
