/* SPDX-License-Identifier: MIT */
/*
 * weir/clock.h -- monotonic nanoseconds, and a clock that tests can set.
 *
 * While the clock is frozen, time passes only through weir_clock_advance(), so
 * a test of an hour takes a microsecond and gives the same result each time.
 * Waits in the kernel (weir_gate_wait, a parked thread) always follow the real
 * clock: a frozen clock must not turn a timeout into a hang.
 *
 *     weir_clock_freeze(0);
 *     weir_clock_advance(WEIR_S(3600));
 *     assert(weir_clock_now() == WEIR_S(3600));
 *     weir_clock_thaw();
 */
#ifndef WEIR_CLOCK_H
#define WEIR_CLOCK_H

#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds, which all times of weir are in: WEIR_MS(250), WEIR_S(3). */
#define WEIR_US(microseconds) ((int64_t)(microseconds)*1000)
#define WEIR_MS(milliseconds) ((int64_t)(milliseconds)*1000000)
#define WEIR_S(seconds) ((int64_t)(seconds)*1000000000)

/**
 * Get the time in nanoseconds since some fixed moment.  It never goes backwards
 * unless a test sets it, and is never negative.
 *
 * Thread   any
 */
WEIR_API int64_t weir_clock_now(void);

/**
 * Freeze the clock of this process at `now_ns`, or set a clock that is already
 * frozen.
 *
 * Thread   any; meant for tests
 * Returns  0, -EINVAL (now_ns is negative)
 * Orders   a thread that sees the new time sees everything before the call
 */
WEIR_API WEIR_CHECKED int weir_clock_freeze(int64_t now_ns);

/**
 * Move the frozen clock forward.
 *
 * Thread   any; meant for tests
 * Returns  0, -EINVAL (delta_ns is negative), -EPERM (the clock is not frozen),
 *          -EOVERFLOW (the sum is past the last nanosecond)
 * Orders   a thread that sees the new time sees everything before the call
 */
WEIR_API WEIR_CHECKED int weir_clock_advance(int64_t delta_ns);

/**
 * Return to the real clock.  This has no effect if the clock is not frozen.
 *
 * Thread   any; meant for tests
 */
WEIR_API void weir_clock_thaw(void);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_CLOCK_H */
