/* SPDX-License-Identifier: MIT */
/*
 * histogram -- counts of values, with a fixed number of significant digits.
 *
 *     struct weir__js_histogram h;
 *     weir__js_histogram_init(&h, context, 1, 3600000000000, 3);
 *     weir__js_histogram_record(&h, 1500000);
 *     p99 = weir__js_histogram_percentile(&h, 99);
 *
 * The layout and the figures are those of HdrHistogram, because programs compare
 * them with Node's.  (The histograms of loops, src/loop/histogram.h, are coarser
 * and can be read by other threads.)
 */
#ifndef WEIR_JS_HISTOGRAM_H
#define WEIR_JS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/host.h"

struct weir__js_histogram {
    int64_t highest;
    unsigned unit;     /* the bits that the lowest value ignores */
    unsigned half_log; /* log2 of half the buckets of a power of two */
    uint32_t length;   /* of counts */
    int64_t *counts;
    int64_t least, most; /* recorded, apart from 0 */
    int64_t total;       /* of counts */
    int64_t recorded;    /* as Node counts: an add() counts what it drops */
    uint64_t exceeds;    /* values above `highest` */
    int64_t previous_ns; /* record_delta; 0: none */
};

/* Requires 1 <= lowest <= highest / 2, 1 <= figures <= 5.  Returns 0, -EINVAL
 * (lowest is too large for that many figures) or -ENOMEM, with an exception. */
int weir__js_histogram_init(struct weir__js_histogram *h, JSContext *context,
                            int64_t lowest, int64_t highest, int figures);
void weir__js_histogram_fini(struct weir__js_histogram *h, JSRuntime *runtime);

void weir__js_histogram_reset(struct weir__js_histogram *h);

/* Count a value, which is not negative. */
void weir__js_histogram_record(struct weir__js_histogram *h, int64_t value);

/* Count the time since the last call; the first one counts nothing. */
void weir__js_histogram_record_delta(struct weir__js_histogram *h);

/* Count everything that `other` has counted. */
void weir__js_histogram_add(struct weir__js_histogram *h,
                            const struct weir__js_histogram *other);

/* INT64_MAX and 0 if nothing was recorded. */
int64_t weir__js_histogram_min(const struct weir__js_histogram *h);
int64_t weir__js_histogram_max(const struct weir__js_histogram *h);

/* Not a number if nothing was recorded. */
double weir__js_histogram_mean(const struct weir__js_histogram *h);
double weir__js_histogram_deviation(const struct weir__js_histogram *h);

/* percent: more than 0, at most 100 */
int64_t weir__js_histogram_percentile(const struct weir__js_histogram *h,
                                      double percent);

/* The percentiles 0, 50, 75, 87.5 ... and 100, as far as there are values for
 * them. */
struct weir__js_percentiles {
    const struct weir__js_histogram *of;
    uint32_t index; /* the next one to count */
    int64_t passed; /* the values up to it */
    int64_t value;
    double percent, next;
    bool is_last;
};

void weir__js_percentiles_init(struct weir__js_percentiles *walk,
                               const struct weir__js_histogram *of);

/* Set percent and value.  Returns false at the end. */
bool weir__js_percentiles_next(struct weir__js_percentiles *walk);

#endif /* WEIR_JS_HISTOGRAM_H */
