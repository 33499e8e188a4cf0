/* SPDX-License-Identifier: MIT */
/*
 * clock -- the real clock, for what the kernel times.
 */
#ifndef WEIR_SRC_CLOCK_H
#define WEIR_SRC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/clock.h"

/* CLOCK_MONOTONIC in nanoseconds, frozen or not.  Thread: any. */
int64_t weir__clock_real(void);

/* Whether weir_clock_now() stands still.  Thread: any. */
bool weir__clock_is_frozen(void);

/* The real time `timeout_ns` from now, as a deadline for weir__futex_wait:
 * negative means for ever and stays negative; the far future saturates. */
int64_t weir__clock_deadline(int64_t timeout_ns);

#endif /* WEIR_SRC_CLOCK_H */
