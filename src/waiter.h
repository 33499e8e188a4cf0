/* SPDX-License-Identifier: MIT */
/*
 * waiter -- where in the table a word's waiters are.
 */
#ifndef WEIR_SRC_WAITER_H
#define WEIR_SRC_WAITER_H

#include "weir/waiter.h"

/* The bucket of an address; tests choose words by it. */
unsigned weir__waiter_bucket(const void *address);

#endif /* WEIR_SRC_WAITER_H */
