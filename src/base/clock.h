/* SPDX-License-Identifier: MIT */
/*
 * clock -- the real clock, for waits that the kernel times.
 */
#ifndef WEIR_SRC_CLOCK_H
#define WEIR_SRC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "weir/clock.h"

/* Return CLOCK_MONOTONIC in nanoseconds, even while the clock is frozen.
 * Thread: any. */
int64_t weir__clock_real(void);

/* Return CLOCK_REALTIME in nanoseconds.  Thread: any. */
int64_t weir__clock_date(void);

/* The time at which weir_clock_now() is frozen, or WEIR__CLOCK_RUNNING. */
enum { WEIR__CLOCK_RUNNING = -1 };
typedef atomic(int64_t) weir__clock_word;
extern weir__clock_word weir__clock_frozen; /* any thread, clock/P1 */

/* Whether the clock is frozen.  Thread: any. */
static inline bool weir__clock_is_frozen(void)
{
    /* relaxed: a test that moves the clock wakes the loops that should read
     * it */
    return load_relaxed(&weir__clock_frozen) != WEIR__CLOCK_RUNNING;
}

/* Return the real time `timeout_ns` from now, as a deadline for
 * weir__futex_wait().  A negative timeout means no deadline and yields -1; the
 * far future saturates. */
int64_t weir__clock_deadline(int64_t timeout_ns);

#endif /* WEIR_SRC_CLOCK_H */
