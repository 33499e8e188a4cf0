/* SPDX-License-Identifier: MIT */
/*
 * parker -- a thread's own bed, with room for one permit.
 *
 *     owner                              any other thread
 *     weir__parker_park(&parker);        weir__parker_unpark(&parker);
 *
 * unpark leaves a permit; park takes it, and sleeps until there is one.  Many
 * unparks before a park leave one permit.
 */
#ifndef WEIR_SRC_PARKER_H
#define WEIR_SRC_PARKER_H

#include <stdint.h>

#include "atomic.h"

struct weir__parker {
    atomic(uint32_t) word; /* any thread, parker/P1 */
};

void weir__parker_init(struct weir__parker *parker);

/*
 * Sleep until there is a permit, and take it.
 *
 * Thread   one at a time: the owner
 * Orders   sees what came before the unpark that left the permit, and before
 *          every unpark that found it there already
 */
void weir__parker_park(struct weir__parker *parker);

/*
 * The same, for timeout_ns at the most; negative means no limit.
 *
 * Thread   one at a time: the owner
 * Returns  0 (took a permit), -ETIMEDOUT (there is none)
 * Orders   0 as park
 */
int weir__parker_park_for(struct weir__parker *parker, int64_t timeout_ns);

/*
 * Leave a permit, and wake the owner if it sleeps.
 *
 * Thread   any
 */
void weir__parker_unpark(struct weir__parker *parker);

#endif /* WEIR_SRC_PARKER_H */
