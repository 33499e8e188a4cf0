/* SPDX-License-Identifier: MIT */
/*
 * weir/host/counter.h -- a number that one thread changes and all may read.
 *
 *     static weir_counter requests;
 *
 *     weir_counter_add(&requests, 1);             the thread that owns it
 *     ... weir_counter_read(&requests) ...        any thread
 */
#ifndef WEIR_HOST_COUNTER_H
#define WEIR_HOST_COUNTER_H

#include <stdint.h>

#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Open, so that it can be embedded; its member is private.  A counter whose
 * bytes are all 0 reads 0. */
typedef struct weir_counter {
    struct {
        uint64_t v_;
    } value_; /* any thread, relaxed */
} weir_counter;

/**
 * Add to a counter.
 *
 * Thread   always the same one; or several, if their calls are ordered
 */
WEIR_API void weir_counter_add(weir_counter *counter, uint64_t by);

/**
 * Read a counter.  The value may be slightly out of date.
 *
 * Thread   any
 */
WEIR_API uint64_t weir_counter_read(const weir_counter *counter);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_COUNTER_H */
