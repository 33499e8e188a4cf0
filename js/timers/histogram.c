/* SPDX-License-Identifier: MIT */
/*
 * histogram -- HdrHistogram's layout and figures.
 *
 * A power of two, a *decade* below, has as many buckets as the significant
 * digits need: 2048 for three digits.  The values of the first decade begin at
 * 0.  In each later one only the upper half is used, because the lower half has
 * the values of the decade before, so a decade adds half of its buckets.
 *
 *     index       0 .. 2047     2048 .. 3071     3072 .. 4095
 *     values      0 .. 2047     2048 .. 4094     4096 .. 8188
 *     a bucket    1             2                4
 *
 * Source     HdrHistogram (Gil Tene); written from its documentation
 * Tested by  test/js/timers/perf-histogram.js, perf-histogram-random.js, whose
 *            outputs are Node's
 */
#include "timers/histogram.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "weir/clock.h"

int weir__js_histogram_init(struct weir__js_histogram *h, JSContext *context,
                            int64_t lowest, int64_t highest, int figures)
{
    double exact = 2 * pow(10, figures); /* values that need their own bucket */
    uint64_t beyond;
    uint32_t decades = 1;

    *h = (struct weir__js_histogram){
        .highest = highest,
        .unit = 63 - (unsigned)__builtin_clzll((uint64_t)lowest),
        .half_log = (unsigned)ceil(log2(exact)) - 1,
    };
    if (h->unit + h->half_log > 61)
        return -EINVAL;
    beyond = UINT64_C(2) << (h->unit + h->half_log);
    while (beyond <= (uint64_t)highest && beyond <= INT64_MAX / 2) {
        beyond *= 2;
        decades++;
    }
    if (beyond <= (uint64_t)highest)
        decades++;
    h->length = (decades + 1) << h->half_log;
    h->counts = js_mallocz(context, h->length * sizeof(*h->counts));
    if (h->counts == NULL)
        return -ENOMEM;
    weir__js_histogram_reset(h);
    return 0;
}

void weir__js_histogram_fini(struct weir__js_histogram *h, JSRuntime *runtime)
{
    js_free_rt(runtime, h->counts);
}

void weir__js_histogram_reset(struct weir__js_histogram *h)
{
    memset(h->counts, 0, h->length * sizeof(*h->counts));
    h->least = INT64_MAX;
    h->most = h->total = h->recorded = h->previous_ns = 0;
    h->exceeds = 0;
}

/* ---- values and indices ---- */

/* The decade of a value: by how many bits its bucket is wider than the unit. */
static unsigned decade_of(const struct weir__js_histogram *h, int64_t value)
{
    uint64_t first = (UINT64_C(2) << (h->unit + h->half_log)) - 1;
    unsigned bits = 64 - (unsigned)__builtin_clzll((uint64_t)value | first);

    return bits - h->unit - h->half_log - 1;
}

static uint32_t index_of(const struct weir__js_histogram *h, int64_t value)
{
    unsigned decade = decade_of(h, value);

    return (uint32_t)(((uint64_t)decade << h->half_log) +
                      ((uint64_t)value >> (decade + h->unit)));
}

/* The lowest value of a bucket. */
static int64_t value_of(const struct weir__js_histogram *h, uint32_t index)
{
    uint32_t half = UINT32_C(1) << h->half_log;
    uint32_t decade = index < half ? 0 : (index >> h->half_log) - 1;

    return (int64_t)((uint64_t)(index - decade * half) << (decade + h->unit));
}

static int64_t width_of(const struct weir__js_histogram *h, int64_t value)
{
    return INT64_C(1) << (decade_of(h, value) + h->unit);
}

static int64_t lowest_like(const struct weir__js_histogram *h, int64_t value)
{
    return value & -width_of(h, value);
}

static int64_t highest_like(const struct weir__js_histogram *h, int64_t value)
{
    return value | (width_of(h, value) - 1);
}

static int64_t middle_of(const struct weir__js_histogram *h, uint32_t index)
{
    int64_t value = value_of(h, index);

    return value + (width_of(h, value) >> 1);
}

/* ---- recording ---- */

/* Returns whether the value was in range. */
static bool count(struct weir__js_histogram *h, int64_t value, int64_t times)
{
    if (value > h->highest)
        return false;
    h->counts[index_of(h, value)] += times;
    h->total += times;
    if (value != 0 && value < h->least)
        h->least = value;
    if (value > h->most)
        h->most = value;
    return true;
}

void weir__js_histogram_record(struct weir__js_histogram *h, int64_t value)
{
    if (count(h, value, 1))
        h->recorded++;
    else
        h->exceeds++;
}

void weir__js_histogram_record_delta(struct weir__js_histogram *h)
{
    int64_t now_ns = weir_clock_now();

    if (h->previous_ns != 0)
        weir__js_histogram_record(h, now_ns - h->previous_ns);
    h->previous_ns = now_ns;
}

void weir__js_histogram_add(struct weir__js_histogram *h,
                            const struct weir__js_histogram *other)
{
    uint32_t length = other->length; /* `other` may be `h` */

    for (uint32_t i = 0; i < length; i++)
        if (other->counts[i] != 0)
            (void)count(h, value_of(other, i), other->counts[i]);
    h->recorded += other->recorded;
    h->exceeds += other->exceeds;
    if (h->previous_ns < other->previous_ns)
        h->previous_ns = other->previous_ns;
}

/* ---- figures ---- */

int64_t weir__js_histogram_min(const struct weir__js_histogram *h)
{
    if (h->counts[0] > 0)
        return 0;
    return h->least == INT64_MAX ? INT64_MAX : lowest_like(h, h->least);
}

int64_t weir__js_histogram_max(const struct weir__js_histogram *h)
{
    return h->most == 0 ? 0 : highest_like(h, h->most);
}

double weir__js_histogram_mean(const struct weir__js_histogram *h)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < h->length; i++)
        sum = (int64_t)((uint64_t)sum +
                        (uint64_t)h->counts[i] * (uint64_t)middle_of(h, i));
    return (double)sum / (double)h->total;
}

double weir__js_histogram_deviation(const struct weir__js_histogram *h)
{
    double mean = weir__js_histogram_mean(h), sum = 0;

    for (uint32_t i = 0; i < h->length; i++)
        if (h->counts[i] != 0) {
            double apart = (double)middle_of(h, i) - mean;

            sum += apart * apart * (double)h->counts[i];
        }
    return sqrt(sum / (double)h->total);
}

int64_t weir__js_histogram_percentile(const struct weir__js_histogram *h,
                                      double percent)
{
    int64_t rank = (int64_t)(percent / 100 * (double)h->total + 0.5);
    int64_t passed = 0;

    if (rank < 1)
        rank = 1;
    for (uint32_t i = 0; i < h->length; i++) {
        passed += h->counts[i];
        if (passed >= rank)
            return highest_like(h, value_of(h, i));
    }
    return highest_like(h, 0);
}

/* ---- all percentiles ---- */

void weir__js_percentiles_init(struct weir__js_percentiles *walk,
                               const struct weir__js_histogram *of)
{
    *walk = (struct weir__js_percentiles){.of = of};
}

/* The distance to 100 is halved with each step. */
static double step_after(double percent)
{
    int halvings = (int)(log(100 / (100 - percent)) / log(2)) + 1;

    return 100 / pow(2, halvings);
}

bool weir__js_percentiles_next(struct weir__js_percentiles *walk)
{
    const struct weir__js_histogram *h = walk->of;

    if (walk->passed >= h->total) {
        bool was_last = walk->is_last;

        walk->is_last = true;
        walk->percent = 100;
        return !was_last;
    }
    for (;;) {
        int64_t found = walk->index == 0 ? 0 : h->counts[walk->index - 1];

        if (found != 0 &&
            walk->next <= 100.0 * (double)walk->passed / (double)h->total) {
            walk->percent = walk->next;
            walk->next += step_after(walk->percent);
            return true;
        }
        walk->value = value_of(h, walk->index);
        walk->passed += h->counts[walk->index++];
    }
}
