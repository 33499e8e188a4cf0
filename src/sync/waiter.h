/* SPDX-License-Identifier: MIT */
/*
 * waiter -- the hash function of the wait table, exposed for tests.
 */
#ifndef WEIR_SRC_WAITER_H
#define WEIR_SRC_WAITER_H

#include "weir/host/waiter.h"

/* Return the bucket of an address.  Tests choose colliding words by it. */
unsigned weir__waiter_bucket(const void *address);

#endif /* WEIR_SRC_WAITER_H */
