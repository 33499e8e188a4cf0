/* SPDX-License-Identifier: MIT */
/*
 * wall -- clock_gettime(2).
 */
#include "os/wall.h"

#include <time.h>

int64_t weir__wall_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
