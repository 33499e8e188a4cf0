/* SPDX-License-Identifier: MIT */
/*
 * histogram -- counts of values by magnitude.
 *
 * Shape     An array of counts.  Bucket 16 s + m, with m from 16 to 31, holds
 *           the values whose highest five bits are m, followed by s more bits;
 *           the buckets 0 to 15 hold one value each.  So a bucket that begins
 *           at `low` is at most low / 16 wide.
 * Roles     add                  the single writer (histogram.h)
 *           count, percentile    any thread
 * Progress  All operations are wait-free.  add is two loads and one or two
 *           stores, without a read-modify-write; the others read the counts
 *           once or twice.
 *
 * Shared state
 *   count   the writer writes, all threads read, atomic
 *   max     the writer writes, all threads read, atomic
 *
 * Pairs     None.  A count publishes nothing, and a reader needs numbers that
 *           are each right at some moment, not all at the same moment.
 *
 * What a concurrent reader may rely on
 *   A count never falls, as one reader sees it.  So the second scan of
 *   percentile() finds at least what the first had counted, and the rank that
 *   it looks for is there.
 *   A count may be seen before the max that was stored with it.  Then max is
 *   lower than a bucket that is known to hold a value.  The bucket is right, so
 *   its lowest value is returned.  The result is never more than what was
 *   added, and at most 1/16 less than the true value.
 *
 * Source    The layout is HdrHistogram's (Gil Tene).
 *
 * Tested by  test/unit/loop/histogram.c
 */
#include "loop/histogram.h"

enum { LAST = WEIR__HISTOGRAM_BUCKETS - 1 };

void weir__histogram_init(struct weir__histogram *histogram)
{
    for (uint32_t i = 0; i <= LAST; i++)
        set_unshared(&histogram->count[i], 0);
    set_unshared(&histogram->max, 0);
}

uint64_t weir__histogram_count(const struct weir__histogram *histogram)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i <= LAST; i++)
        total += load_relaxed(&histogram->count[i]); /* relaxed: count */
    return total;
}

/* The rank, from 1 to `total`, of the first value that at least `percent` of
 * the values do not exceed. */
static uint64_t rank_of(double percent, uint64_t total)
{
    double exact;
    uint64_t rank;

    if (!(percent > 0)) /* or not a number */
        return 1;
    exact = percent * (double)total / 100;
    rank = (uint64_t)exact;
    return rank < exact ? rank + 1 : rank;
}

static uint32_t find_rank(const struct weir__histogram *histogram,
                          uint64_t rank)
{
    uint64_t passed = 0;
    uint32_t index;

    for (index = 0; index < LAST; index++) {
        /* relaxed: count */
        passed += load_relaxed(&histogram->count[index]);
        if (passed >= rank)
            break;
    }
    return index;
}

/* Not by rank: a bucket may grow after the count was taken, and then a search
 * by rank ends too soon. */
static uint32_t find_highest(const struct weir__histogram *histogram)
{
    uint32_t index = LAST;

    /* relaxed: count */
    while (index > 0 && load_relaxed(&histogram->count[index]) == 0)
        index--;
    return index;
}

uint64_t weir__histogram_percentile(const struct weir__histogram *histogram,
                                    double percent)
{
    uint64_t total = weir__histogram_count(histogram);
    uint64_t low, top, max;
    uint32_t index, shift;

    if (total == 0)
        return 0;
    index = percent >= 100 ? find_highest(histogram)
                           : find_rank(histogram, rank_of(percent, total));
    shift = index < 32 ? 0 : index / 16 - 1;
    low = (uint64_t)(index - shift * 16) << shift;
    top = low + ((UINT64_C(1) << shift) - 1);
    max = load_relaxed(&histogram->max); /* relaxed: count */
    if (max < low)                       /* max is not visible yet; see above */
        return low;
    return max < top ? max : top;
}
