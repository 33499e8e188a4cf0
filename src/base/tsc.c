/* SPDX-License-Identifier: MIT */
/*
 * tsc -- an upper bound on the current time, for the price of a counter.
 *
 * Shape     A reading of both clocks gives a time, and the ticks just before
 *           it.  For the next SPAN, now() is that time plus the ticks since, at
 *           a rate that is a little too high: by 1/512, four times the maximum
 *           correction that the kernel applies to its clock (500 ppm).  So the
 *           result is never behind the clock, and at most SPAN/512 = 0.5 us
 *           ahead of it.
 * The rate  is computed from two readings at least MEASURE apart.  It is used
 *           once two measurements in a row agree to within 1/1024.  If the
 *           machine was suspended or migrated between two readings, they
 *           disagree, and now() reads the kernel's clock until they agree
 *           again.
 * Fallback  Where the kernel's clock is not based on the ticks, now() always
 *           reads the kernel's clock.
 *
 * Tested by  test/unit/base/tsc.c
 */
#include "base/tsc.h"

#include "weir/clock.h"

enum {
    SPAN_NS = 250000,
    MEASURE_NS = 1000000,
    TIGHT_NS = 1000, /* a reading that took longer is not used to measure */
    MARGIN_SHIFT = 9,
    AGREE_SHIFT = 10,
};

void weir__tsc_init(struct weir__tsc *tsc)
{
    *tsc = (struct weir__tsc){.is_steady = weir__tsc_is_clock()};
}

/* Return the rate between two readings: ns per 2^32 ticks, rounded up. */
static uint64_t rate_between(struct weir__tsc_sample from,
                             struct weir__tsc_sample to)
{
    uint64_t ns = (uint64_t)(to.real_ns - from.real_ns);
    uint64_t ticks = to.before - from.after;

    return (uint64_t)(((unsigned __int128)ns << 32) / ticks) + 1;
}

static bool agree(uint64_t a, uint64_t b)
{
    uint64_t difference = a > b ? a - b : b - a;

    return difference <= a >> AGREE_SHIFT;
}

static void set_rate(struct weir__tsc *tsc, uint64_t measured)
{
    bool is_sure = agree(measured, tsc->measured);

    tsc->measured = measured;
    tsc->rate = is_sure ? measured + (measured >> MARGIN_SHIFT) : 0;
    tsc->span_ticks = is_sure ? ((uint64_t)SPAN_NS << 32) / tsc->rate : 0;
}

static bool is_tight(const struct weir__tsc *tsc,
                     struct weir__tsc_sample sample)
{
    return tsc->measured == 0 ||
           (sample.after - sample.before) * tsc->measured >> 32 < TIGHT_NS;
}

void weir__tsc_calibrate(struct weir__tsc *tsc, struct weir__tsc_sample sample)
{
    int64_t passed_ns = sample.real_ns - tsc->since.real_ns;

    tsc->from_ticks = sample.before;
    tsc->from_ns = sample.real_ns;
    if (tsc->since.real_ns != 0 &&
        (passed_ns < MEASURE_NS || !is_tight(tsc, sample)))
        return;
    if (tsc->since.real_ns != 0 && sample.before > tsc->since.after)
        set_rate(tsc, rate_between(tsc->since, sample));
    tsc->since = sample;
}

int64_t weir__tsc_sync(struct weir__tsc *tsc)
{
    int64_t now_ns;

    if (!tsc->is_steady || weir__clock_is_frozen())
        return weir_clock_now();
    weir__tsc_calibrate(tsc, weir__tsc_sample_both());
    now_ns = tsc->from_ns;
    if (tsc->latest_ns < now_ns)
        tsc->latest_ns = now_ns;
    return tsc->latest_ns;
}
