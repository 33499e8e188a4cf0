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
    printf '#include <fcntl.h>\n#include <poll.h>\n#include <pthread.h>\n#include <signal.h>\n%s' \
        "#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
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

# A call inside libc blocks; nothing is ever written to this input.
blocked_in_libc() {
    mkfifo "$scratch/silent" &&
        printf '#include <stdio.h>\nint main(void) { return getchar() == 7; }' >"$scratch/input.c" &&
        "$explore" cc "$scratch/input.c" -o "$scratch/input" &&
        status 3 "$scratch/input" <>"$scratch/silent" &&
        says 'cannot be explored: read(), which blocks at input.c:2'
}

sleeps_in_poll() {
    printf '#include <poll.h>\nint main(void) { return poll(0, 0, 1000000); }' >"$scratch/poll.c" &&
        "$explore" cc "$scratch/poll.c" -o "$scratch/poll" && status 0 "$scratch/poll"
}

# Each of 3,000 executions leaves a file open.
closes_what_was_left_open() {
    cat >"$scratch/open.c" <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int word;
static void *work(void *p)
{
    assert(open("/etc/passwd", O_RDONLY) >= 0);
    atomic_fetch_add(&word, 1);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    atomic_fetch_add(&word, 1);
    pthread_join(t, 0);
    return 0;
}
END
    "$explore" cc "$scratch/open.c" -o "$scratch/open" &&
        status 0 "$explore" run --quiet --random=3000 "$scratch/open"
}

# The places are those of the program, though what it calls is not instrumented, or is in
# headers of the system; and blocks of one line have numbers.
names_lines_of_the_program() {
    cat >"$scratch/bank.cc" <<'END'
#include <map>
#include <mutex>
#include <thread>
static std::map<int, std::mutex> locks;
static void both(int a, int b)
{
    std::lock_guard<std::mutex> first(locks[a]);
    std::lock_guard<std::mutex> second(locks[b]);
}
int main()
{
    for (int i = 0; i < 2; i++)
        locks[i];
    std::thread other(both, 0, 1);
    both(1, 0);
    other.join();
}
END
    "$explore" c++ "$scratch/bank.cc" -o "$scratch/bank" && status 1 "$scratch/bank" &&
        says '^  1   creates a thread  bank.cc:14$' &&
        says '^main is blocked: lock block 1 of bank.cc:13+[0-9]*  bank.cc:8, which thread 1 has' &&
        says '^thread 1 is blocked: lock block 2 of bank.cc:13+[0-9]*  bank.cc:8, which main has'
}

# A wait is where the program waits, not where the word was first used.
waits_are_at_their_lines() {
    cat >"$scratch/wait.c" <<'END'
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_uint word;
int main(void)
{
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAIT, 1, 0, 0, 0);
    return 0;
}
END
    "$explore" cc -D_GNU_SOURCE "$scratch/wait.c" -o "$scratch/wait" &&
        status 1 "$scratch/wait" &&
        says 'sleeps on word = 1  wait.c:10$' &&
        says '^main is blocked: futex wait word  wait.c:10$'
}

waiters_are_explained() {
    build cond_one_signal signal -DBROKEN && status 1 "$scratch/signal" &&
        says 'is blocked: waits at '
}

only_objects() {
    "$explore" cc -DBROKEN -c "$programs/lost_update.c" -o "$scratch/only.o" &&
        "$explore" cc "$scratch/only.o" -o "$scratch/only" && status 1 "$scratch/only"
}

assembly_is_named() {
    cat >"$scratch/swap.c" <<'END'
static int word;
static int swap(int *p, int v)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p));
    return v;
}
int main(void) { return swap(&word, 1); }
END
    status 0 "$explore" cc "$scratch/swap.c" -o "$scratch/swap" &&
        says '^weir-explore: warning: swap has atomic instructions'
}

library_is_named() {
    printf 'int twice(int n) { return 2 * n; }' >"$scratch/twice.c" &&
        cc -shared -fPIC "$scratch/twice.c" -o "$scratch/libtwice.so" &&
        printf 'int twice(int); int main(void) { return twice(0); }' >"$scratch/main.c" &&
        "$explore" cc "$scratch/main.c" -L"$scratch" -ltwice -Wl,-rpath,"$scratch" \
            -o "$scratch/main" && status 0 "$scratch/main" &&
        says '^not covered: what libtwice.so accesses'
}

endless_loop() {
    printf 'int main(void) { for (;;) __asm__ volatile(""); }' >"$scratch/endless.c" &&
        "$explore" cc "$scratch/endless.c" -o "$scratch/endless" && status 1 "$scratch/endless" &&
        says '^livelock: main runs on at endless.c:1 without an operation'
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
expect "objects alone are linked" only_objects
expect "atomic instructions in assembly are named" assembly_is_named
expect "a library without instrumentation is named" library_is_named
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
expect "... and what a waiter waits at" waiters_are_explained
expect "a futex wait is shown at its line" waits_are_at_their_lines
expect "lines are those of the program" names_lines_of_the_program
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
expect "kill() is refused by name" uncontrolled 'kill(getpid(), 0)' 'kill() at source.c'
expect "alarm() is refused by name" uncontrolled 'alarm(1)' 'alarm() at source.c'
expect "socket() is refused by name" uncontrolled 'socket(AF_UNIX, SOCK_STREAM, 0)' 'socket() at source.c'
expect "pipe() is refused by name" uncontrolled 'int fd[2]; return pipe(fd)' 'pipe() at source.c'
expect "eventfd() is refused by name" uncontrolled 'eventfd(0, 0)' 'eventfd() at source.c'
expect "system() is refused by name" uncontrolled 'return system("true")' 'system() at source.c'
expect "popen() is refused by name" uncontrolled 'popen("true", "r")' 'popen() at source.c'
expect "sigwait() is refused by name" uncontrolled 'sigset_t set; int n; sigemptyset(&set); sigwait(&set, &n)' 'sigwait() at source.c'
expect "poll() that would block is refused" uncontrolled 'struct pollfd p = {open("/dev/ptmx", O_RDWR), POLLIN, 0}; poll(&p, 1, 5)' 'poll(), which would block at source.c'
expect "poll() without descriptors is a sleep" sleeps_in_poll
expect "a call in libc that blocks is named" blocked_in_libc
expect "files that executions leave open are closed" closes_what_was_left_open
[ -n "${WEIR_BRIEF-}" ] || expect "a loop without an operation is found" endless_loop
expect "other futex operations are refused by name" uncontrolled 'syscall(SYS_futex, &word, 3, 1, 0, 0, 0)' 'a futex operation'
expect "other system calls are refused by name" uncontrolled 'syscall(SYS_getppid)' 'a system call through syscall() at'
expect "words of different sizes are refused by name" uncontrolled 'atomic_store(&mixed.byte, 1); atomic_store(&mixed.whole, 1)' 'atomic operations of different sizes'
expect "an eighth thread is refused by name" uncontrolled 'for (int i = 0; i < 7; i++) pthread_create(&t, 0, sleep_on, 0)' 'more than seven threads'
expect "input that differs is refused" uncontrolled 'if (getpid() & 0) return 1; static int fd = -1; fd = dup(0); for (int i = 0; i < fd; i++) atomic_store(&word, i)' 'something that differs from run to run'
expect "code without instrumentation is refused" without_the_sanitizer
expect "ThreadSanitizer's own runtime is refused" both_runtimes
finish
