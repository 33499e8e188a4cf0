/* SPDX-License-Identifier: MIT */
/*
 * clock -- monotonic nanoseconds, and a clock that tests can freeze.
 *
 * Shared state
 *   frozen   any thread; RUNNING, or the time at which the clock is frozen  P1
 *
 * Pairs
 *   P1  freeze, advance: write of frozen, release  -->  now: load, acquire
 *       A test sets the clock and then expects the loop, on another thread,
 *       to see both the new time and what the test wrote before it.
 *
 * Tested by  test/unit/base/clock.c, test/model/base/clock.c
 */
#include "base/clock.h"

#include <errno.h>

#include "base/atomic.h"

enum { RUNNING = WEIR__CLOCK_RUNNING };

weir__clock_word weir__clock_frozen = {RUNNING};

int64_t weir_clock_now(void)
{
    /* clock/P1 acquire: receives what the test wrote before it set the time */
    int64_t now_ns = load_acquire(&weir__clock_frozen);

    return now_ns == RUNNING ? weir__clock_real() : now_ns;
}

int weir_clock_freeze(int64_t now_ns)
{
    if (now_ns < 0)
        return -EINVAL;
    /* clock/P1 release: publishes what the test wrote before */
    store_release(&weir__clock_frozen, now_ns);
    return 0;
}

int weir_clock_advance(int64_t delta_ns)
{
    /* relaxed: a guess, checked by the CAS */
    int64_t now_ns = load_relaxed(&weir__clock_frozen);

    if (delta_ns < 0)
        return -EINVAL;
    do {
        if (now_ns == RUNNING)
            return -EPERM;
        if (delta_ns > INT64_MAX - now_ns)
            return -EOVERFLOW;
        /* clock/P1 release: publishes what the test wrote before */
    } while (
        !cas_weak_release(&weir__clock_frozen, &now_ns, now_ns + delta_ns));
    return 0;
}

void weir_clock_thaw(void)
{
    /* relaxed: hands nothing over; the real clock takes over */
    store_relaxed(&weir__clock_frozen, RUNNING);
}

int64_t weir__clock_deadline(int64_t timeout_ns)
{
    int64_t now_ns;

    if (timeout_ns < 0)
        return -1;
    now_ns = weir__clock_real();
    return timeout_ns < INT64_MAX - now_ns ? now_ns + timeout_ns : INT64_MAX;
}
