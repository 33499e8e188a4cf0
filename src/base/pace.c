/* SPDX-License-Identifier: MIT */
/*
 * pace -- an upper bound on the current time, for the price of a counter.
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
 * Tested by  test/unit/base/pace.c
 */
#include "base/pace.h"

#include "weir/clock.h"

enum {
    SPAN_NS = 250000,
    MEASURE_NS = 1000000,
    TIGHT_NS = 1000, /* a reading that took longer is not used to measure */
    MARGIN_SHIFT = 9,
    AGREE_SHIFT = 10,
};

void weir__pace_init(struct weir__pace *pace)
{
    *pace = (struct weir__pace){.is_steady = weir__ticks_are_the_clock()};
}

/* Return the rate between two readings: ns per 2^32 ticks, rounded up. */
static uint64_t rate_between(struct weir__moment from, struct weir__moment to)
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

static void believe(struct weir__pace *pace, uint64_t measured)
{
    bool is_sure = agree(measured, pace->measured);

    pace->measured = measured;
    pace->rate = is_sure ? measured + (measured >> MARGIN_SHIFT) : 0;
    pace->span_ticks = is_sure ? ((uint64_t)SPAN_NS << 32) / pace->rate : 0;
}

static bool is_tight(const struct weir__pace *pace, struct weir__moment moment)
{
    return pace->measured == 0 ||
           (moment.after - moment.before) * pace->measured >> 32 < TIGHT_NS;
}

void weir__pace_learn(struct weir__pace *pace, struct weir__moment moment)
{
    int64_t passed_ns = moment.real_ns - pace->since.real_ns;

    pace->from_ticks = moment.before;
    pace->from_ns = moment.real_ns;
    if (pace->since.real_ns != 0 &&
        (passed_ns < MEASURE_NS || !is_tight(pace, moment)))
        return;
    if (pace->since.real_ns != 0 && moment.before > pace->since.after)
        believe(pace, rate_between(pace->since, moment));
    pace->since = moment;
}

int64_t weir__pace_look(struct weir__pace *pace)
{
    int64_t now_ns;

    if (!pace->is_steady || weir__clock_is_frozen())
        return weir_clock_now();
    weir__pace_learn(pace, weir__ticks_look());
    now_ns = pace->from_ns;
    if (pace->latest_ns < now_ns)
        pace->latest_ns = now_ns;
    return pace->latest_ns;
}
