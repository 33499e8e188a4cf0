/* SPDX-License-Identifier: MIT */
/*
 * os/futex -- futex.h on Linux.
 *
 * FUTEX_WAIT_BITSET takes an absolute deadline on CLOCK_MONOTONIC, so a wait
 * that is interrupted and restarted still ends at the same time.
 *
 * Tested by  test/unit/base/futex.c, test/stress/base/parker.c
 */
#include "base/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"

const bool weir__futex_is_signal_safe = true;

static int operation(int command, enum weir__futex_scope scope)
{
    return scope == WEIR__FUTEX_PRIVATE ? command | FUTEX_PRIVATE_FLAG
                                        : command;
}

int weir__futex_wait(const void *word, uint32_t expected, int64_t deadline_ns,
                     enum weir__futex_scope scope)
{
    struct timespec deadline = {.tv_sec = deadline_ns / 1000000000,
                                .tv_nsec = deadline_ns % 1000000000};
    long result = syscall(SYS_futex, word, operation(FUTEX_WAIT_BITSET, scope),
                          expected, deadline_ns < 0 ? NULL : &deadline, NULL,
                          FUTEX_BITSET_MATCH_ANY);

    if (result == 0)
        return 0;
    switch (errno) {
    case EAGAIN: /* the word differs */
    case EINTR:  /* a signal; the caller checks and waits once more */
        return 0;
    case ETIMEDOUT:
        return -ETIMEDOUT;
    default: /* EFAULT, EINVAL, ENOSYS: continuing would spin */
        CHECK(!"futex", "the kernel refused to wait on a futex");
        return 0;
    }
}

static void wake(const void *word, int count, enum weir__futex_scope scope)
{
    /* Ignore EFAULT: the memory may be unmapped, and then has no waiters. */
    syscall(SYS_futex, word, operation(FUTEX_WAKE, scope), count, NULL, NULL,
            0);
}

void weir__futex_wake_one(const void *word, enum weir__futex_scope scope)
{
    wake(word, 1, scope);
}

void weir__futex_wake_all(const void *word, enum weir__futex_scope scope)
{
    wake(word, INT_MAX, scope);
}
