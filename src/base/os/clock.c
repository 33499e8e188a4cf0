/* SPDX-License-Identifier: MIT */
/*
 * os/clock -- the real clock, declared in clock.h.
 *
 * Tested by  test/unit/base/clock.c
 */
#include "base/clock.h"

#include <time.h>

int64_t weir__clock_real(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t weir__clock_date(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
