/* SPDX-License-Identifier: MIT */
/*
 * failing_syscalls -- system calls that fail on request.
 *
 *     failing_syscalls_set(CALL_READ, 2, 1, EINTR);       the second one fails
 *     ...
 *     expect_int(failing_syscalls_count(CALL_READ), 3);   it went on
 *
 * Every test program is linked with --wrap for these calls (CMakeLists.txt):
 * its own and libweir's go through here.  Unless told otherwise, they reach
 * the C library unchanged.  A call that fails does nothing else.
 */
#ifndef WEIR_TEST_SUPPORT_FAILING_SYSCALLS_H
#define WEIR_TEST_SUPPORT_FAILING_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "suite.h"

enum failing_call {
    CALL_EPOLL_CREATE1,
    CALL_EPOLL_CTL,
    CALL_EPOLL_PWAIT2,
    CALL_EPOLL_WAIT,
    CALL_EVENTFD,
    CALL_FUTEX, /* syscall(SYS_futex, ...) */
    CALL_POLL,
    CALL_PPOLL,
    CALL_PTHREAD_CREATE,
    CALL_PTHREAD_JOIN,
    CALL_READ,
    CALL_WRITE,
    FAILING_CALLS
};

enum { FAILING_ALWAYS = UINT16_MAX }; /* near enough, as `times` */

/*
 * Of all threads' calls from now on, the nth (1, 2, ...) and the following
 * fail, `times` altogether; 0 for none.  Replaces what was set before.  With
 * error 0 they do nothing and return 0, as a wait does that is over.
 *
 * Thread   any; orders nothing, so as not to hide a race
 */
void failing_syscalls_set(enum failing_call call, uint32_t nth, uint16_t times,
                          int error);

/* Run `action` once, on the thread of the next call and before it: what
 * happens between two steps of the library. */
void failing_syscalls_before(enum failing_call call, void (*action)(void));

/* Run `action` once, on the thread that calls pthread_create next, after the
 * new thread has begun and before its creator knows its handle. */
void failing_syscalls_after_create(void (*action)(void));

/* How many calls there were since the last set, or since the beginning. */
uint64_t failing_syscalls_count(enum failing_call call);

/*
 * The waits with a deadline of the calling thread, since it said waits_forget().
 *
 *     int64_t begun_ns = waits_forget();
 *     expect_status(weir_pool_shutdown(pool, timeout_ns), -ETIMEDOUT);
 *     expect_waited(begun_ns, timeout_ns);
 *
 * The kernel was asked to wake the thread at the right moment: the timeout
 * counts from a time between the call and its first wait, and every later wait
 * had the same deadline.  When the thread did wake up is the machine's affair.
 * Condition variables are not seen, so for them this holds nothing.
 */
struct waits {
    uint64_t count;
    int64_t called_ns;   /* of the first; CLOCK_MONOTONIC */
    int64_t deadline_ns; /* of the first */
    bool has_moved;      /* a later one had another */
};

/* Returns the time. */
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
