/* SPDX-License-Identifier: MIT */
/*
 * failing_malloc -- malloc, calloc and realloc that fail when told to: for the
 * engine as well as for libweir-js.  One thread.
 */
#ifndef WEIR_TEST_JS_FAILING_MALLOC_H
#define WEIR_TEST_JS_FAILING_MALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* The nth allocation from now on fails (1: the next one), and all after it. */
void failing_malloc_arm(unsigned nth);

/* The nth allocation from now on fails, and no other. */
void failing_malloc_arm_once(unsigned nth);

/* How many there were since arm. */
unsigned failing_malloc_seen(void);

/* No more failures.  Whether one has happened. */
bool failing_malloc_disarm(void);

/* Whether the first that failed since then asked for this size. */
bool failing_malloc_hit(size_t size);

#endif /* WEIR_TEST_JS_FAILING_MALLOC_H */
