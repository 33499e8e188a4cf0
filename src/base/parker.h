/* SPDX-License-Identifier: MIT */
/*
 * parker -- a binary semaphore that one thread sleeps on.
 *
 *     owner                              any other thread
 *     weir__parker_park(&parker);        weir__parker_unpark(&parker);
 *
 * unpark makes a permit available.  park consumes it, sleeping until there is
 * one.  Permits do not accumulate: several unparks before a park leave one.
 */
#ifndef WEIR_SRC_PARKER_H
#define WEIR_SRC_PARKER_H

#include <stdint.h>

#include "base/atomic.h"

struct weir__parker {
    atomic(uint32_t) word; /* any thread, parker/P1 */
};

void weir__parker_init(struct weir__parker *parker);

/*
 * Sleep until a permit is available, and consume it.
 *
 * Thread   one at a time: the owner
 * Orders   sees everything before the unpark that left the permit, and before
 *          every unpark that found the permit already there
 */
void weir__parker_park(struct weir__parker *parker);

/*
 * Sleep until a permit is available, for at most timeout_ns, and consume it.  A
 * negative timeout means no limit.
 *
 * Thread   one at a time: the owner
 * Returns  0 (consumed a permit), -ETIMEDOUT (no permit came)
 * Orders   as weir__parker_park() if it returns 0
 */
int weir__parker_park_for(struct weir__parker *parker, int64_t timeout_ns);

/*
 * Make a permit available, and wake the owner if it sleeps.
 *
 * Thread   any
 */
void weir__parker_unpark(struct weir__parker *parker);

#endif /* WEIR_SRC_PARKER_H */
