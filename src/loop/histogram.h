/* SPDX-License-Identifier: MIT */
/*
 * histogram -- counts of values by magnitude, in buckets at most 1/16 wide.
 *
 * The layout of HdrHistogram: values below 16 have a bucket each; above, each
 * power of two is divided into 16.  One thread adds, any thread reads.
 *
 * histogram.c says what is exact and what is not.  add is here so that it can
 * be inlined: the loop calls it for each timed callback.
 */
#ifndef WEIR_SRC_HISTOGRAM_H
#define WEIR_SRC_HISTOGRAM_H

#include <stdint.h>

#include "base/atomic.h"

enum { WEIR__HISTOGRAM_BUCKETS = (64 - 4 + 1) * 16 };

struct weir__histogram {
    atomic(uint64_t) count[WEIR__HISTOGRAM_BUCKETS]; /* one writer, relaxed */
    atomic(uint64_t) max;                            /* one writer, relaxed */
};

void weir__histogram_init(struct weir__histogram *histogram);

/* The bucket of a value.  Its five highest bits, shifted down by `shift`, are
 * 16 to 31, and each shift has its own 16 buckets.  With shift 0 the values
 * below 16 fall into the buckets before them, so they need no special case. */
static inline uint32_t weir__histogram_index(uint64_t value)
{
    uint32_t shift = 59 - (uint32_t)__builtin_clzll(value | 16);

    return shift * 16 + (uint32_t)(value >> shift);
}

/* Add a value.  Thread: one. */
static inline void weir__histogram_add(struct weir__histogram *histogram,
                                       uint64_t value)
{
    uint32_t index = weir__histogram_index(value);
    /* relaxed: own, only this thread writes it */
    uint64_t count = load_relaxed(&histogram->count[index]);

    /* relaxed: count */
    store_relaxed(&histogram->count[index], count + 1);
    /* relaxed: own, only this thread writes it */
    if (__builtin_expect(value > load_relaxed(&histogram->max), 0))
        store_relaxed(&histogram->max, value); /* relaxed: count */
}

/* The number of values added.  Thread: any. */
uint64_t weir__histogram_count(const struct weir__histogram *histogram);

/* The largest value of the bucket that holds the given percentile (0 .. 100;
 * other values are clamped), but at most the largest value added; 0 when empty.
 * Thread: any. */
uint64_t weir__histogram_percentile(const struct weir__histogram *histogram,
                                    double percent);

#endif /* WEIR_SRC_HISTOGRAM_H */
