/* SPDX-License-Identifier: MIT */
/*
 * clock -- the real clock, for what the kernel times.
 */
#ifndef WEIR_SRC_CLOCK_H
#define WEIR_SRC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "weir/clock.h"

/* CLOCK_MONOTONIC in nanoseconds, frozen or not.  Thread: any. */
int64_t weir__clock_real(void);

/* The time at which weir_clock_now() stands still, or that it does not. */
enum { WEIR__CLOCK_RUNNING = -1 };
typedef atomic(int64_t) weir__clock_word;
extern weir__clock_word weir__clock_frozen; /* any thread, clock/P1 */

/* Whether it stands still.  Thread: any. */
static inline bool weir__clock_is_frozen(void)
{
    /* relaxed: who moves the clock wakes the loops that should look */
    return load_relaxed(&weir__clock_frozen) != WEIR__CLOCK_RUNNING;
}

/* The real time `timeout_ns` from now, as a deadline for weir__futex_wait:
 * negative means for ever and stays negative; the far future saturates. */
int64_t weir__clock_deadline(int64_t timeout_ns);

#endif /* WEIR_SRC_CLOCK_H */
