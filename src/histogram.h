/* SPDX-License-Identifier: MIT */
/*
 * histogram -- counts of values by their size, in buckets at most 1/16 wide.
 *
 * The layout of HdrHistogram: values below 16 have a bucket each; above, each
 * power of two is cut into 16.  One thread adds, any thread reads.
 *
 * What is exact and what is not, in histogram.c.  The adding is here so that
 * it can be inlined: the loop does it for each callback.
 */
#ifndef WEIR_SRC_HISTOGRAM_H
#define WEIR_SRC_HISTOGRAM_H

#include <stdint.h>

#include "atomic.h"

enum { WEIR__HISTOGRAM_BUCKETS = (64 - 4 + 1) * 16 };

struct weir__histogram {
    atomic(uint64_t) count[WEIR__HISTOGRAM_BUCKETS]; /* one writer, relaxed */
    atomic(uint64_t) max;                            /* one writer, relaxed */
};

void weir__histogram_init(struct weir__histogram *histogram);

/* The bucket of a value.  Its five highest bits, moved down by `shift`, are 16
 * to 31, and each shift has its own 16 buckets; with no shift the values below
 * 16 come before them by themselves, so there is no case to tell apart. */
static inline uint32_t weir__histogram_index(uint64_t value)
{
    uint32_t shift = 59 - (uint32_t)__builtin_clzll(value | 16);

    return shift * 16 + (uint32_t)(value >> shift);
}

/* Thread: one. */
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

/* Thread: any. */
uint64_t weir__histogram_count(const struct weir__histogram *histogram);

/* The largest value of the bucket that holds the given percentile (0 .. 100;
 * what is outside counts as the nearer end), but not more than the largest
 * value added; 0 when empty.  Thread: any. */
uint64_t weir__histogram_percentile(const struct weir__histogram *histogram,
                                    double percent);

#endif /* WEIR_SRC_HISTOGRAM_H */
