/* SPDX-License-Identifier: MIT */
/*
 * failing_syscalls -- system calls that fail on request.
 *
 *     failing_syscalls_set(CALL_READ, 2, 1, EINTR);       the second one fails
 *     ...
 *     expect_int(failing_syscalls_count(CALL_READ), 3);   it went on
 *
 * Every test program is linked with --wrap for these calls (CMakeLists.txt), so
 * its own calls and libweir's go through here.  By default they reach the C
 * library unchanged.  A call that fails has no other effect, except close(),
 * which closes the descriptor all the same, as the kernel does.
 *
 * A sweep fails the n-th of all calls, whichever it is:
 *
 *     failing_sweep_begin(errors, n, false);
 *     ...
 *     call = failing_sweep_end();                         the one that failed
 */
#ifndef WEIR_TEST_SUPPORT_FAILING_SYSCALLS_H
#define WEIR_TEST_SUPPORT_FAILING_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "suite.h"

enum failing_call {
    CALL_ACCEPT4,
    CALL_BIND,
    CALL_CHMOD,
    CALL_CLOSE,
    CALL_CONNECT,
    CALL_DUP3,
    CALL_EPOLL_CREATE1,
    CALL_EPOLL_CTL,
    CALL_EPOLL_PWAIT2,
    CALL_EPOLL_WAIT,
    CALL_EVENTFD,
    CALL_FCNTL,
    CALL_FSTAT,
    CALL_FUTEX, /* syscall(SYS_futex, ...) */
    CALL_GETPEERNAME,
    CALL_GETRANDOM,
    CALL_GETSOCKNAME,
    CALL_GETSOCKOPT,
    CALL_INOTIFY_ADD_WATCH,
    CALL_INOTIFY_INIT1,
    CALL_LISTEN,
    CALL_OPEN,
    CALL_OPENAT2, /* syscall(SYS_openat2, ...) */
    CALL_PIPE2,
    CALL_POLL,
    CALL_PPOLL,
    CALL_PREAD,
    CALL_PTHREAD_CREATE,
    CALL_PTHREAD_JOIN,
    CALL_READ,
    CALL_RECV,
    CALL_RECVMMSG,
    CALL_RECVMSG,
    CALL_SEND,
    CALL_SENDFILE,
    CALL_SENDMMSG,
    CALL_SENDMSG,
    CALL_SETSOCKOPT,
    CALL_SHUTDOWN,
    CALL_SOCKET,
    CALL_SOCKETPAIR,
    CALL_STAT,
    CALL_UNLINK,
    CALL_WRITE,
    CALL_WRITEV,
    FAILING_CALLS
};

enum { FAILING_ALWAYS = UINT16_MAX }; /* effectively, as `times` */

/*
 * Make calls fail from now on: the nth call of all threads (1, 2, ...) and
 * those after it, `times` altogether (0 for none).  Replaces what was set
 * before.  With error 0 they do nothing and return 0, like a wait that has
 * ended.
 *
 * Thread   any; orders nothing, so as not to hide a race
 */
void failing_syscalls_set(enum failing_call call, uint32_t nth, uint16_t times,
                          int error);

/* Run `action` once, on the thread of the next call and before that call:
 * something that happens between two steps of the library. */
void failing_syscalls_before(enum failing_call call, void (*action)(void));

/* Run `action` once, on the thread that calls pthread_create next, after the
 * new thread has been created and before its creator knows its handle. */
void failing_syscalls_after_create(void (*action)(void));

/* Return the number of calls since the last set, or since the start. */
uint64_t failing_syscalls_count(enum failing_call call);

/* The name of a call, as in "accept4". */
const char *failing_syscalls_name(enum failing_call call);

/*
 * Count the calls of all threads from now on, of those that have an error in
 * `errors`, and let the nth fail with its error.  With is_lasting, all later
 * calls of the same kind fail, too.  Not counted are what a loop wakes itself
 * by (reads and writes of an eventfd) and EPOLL_CTL_DEL, whose failures have
 * tests of their own.  An error which means that a connection is gone ends it.
 *
 * Thread   any; orders nothing
 * Owns     errors is borrowed until failing_sweep_end
 */
void failing_sweep_begin(const int errors[FAILING_CALLS], uint64_t nth,
                         bool is_lasting);

/* Neither count nor fail calls until `is_paused` is false again. */
void failing_sweep_pause(bool is_paused);

/* Let all calls succeed again.  Returns the one that has failed, or
 * FAILING_CALLS if there were not so many. */
enum failing_call failing_sweep_end(void);

/*
 * The calling thread's waits with a deadline, since its last waits_forget().
 *
 *     int64_t begun_ns = waits_forget();
 *     expect_status(weir_pool_shutdown(pool, timeout_ns), -ETIMEDOUT);
 *     expect_waited(begun_ns, timeout_ns);
 *
 * This checks that the kernel was asked to wake the thread at the right moment:
 * the timeout counts from a time between the call and its first wait, and every
 * later wait had the same deadline.  When the thread actually woke up depends
 * on the machine.  Waits on condition variables are not seen, so nothing is
 * checked for them.
 */
struct waits {
    uint64_t count;
    int64_t called_ns;   /* of the first wait; CLOCK_MONOTONIC */
    int64_t deadline_ns; /* of the first wait */
    bool has_moved;      /* a later wait had another deadline */
};

/* Start over.  Returns the current time. */
int64_t waits_forget(void);
struct waits waits_look(void);

#ifdef WEIR_FUTEX_CONDVAR
#define expect_waited(begun_ns, timeout_ns) ((void)(begun_ns))
#else
#define expect_waited(begun_ns, timeout_ns)                                    \
    do {                                                                       \
        struct waits waits_ = waits_look();                                    \
                                                                               \
        expect(waits_.count > 0 && !waits_.has_moved);                         \
        expect(waits_.deadline_ns >= (begun_ns) + (timeout_ns));               \
        expect(waits_.deadline_ns <= waits_.called_ns + (timeout_ns));         \
    } while (0)
#endif

#endif /* WEIR_TEST_SUPPORT_FAILING_SYSCALLS_H */
