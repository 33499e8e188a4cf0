/* SPDX-License-Identifier: MIT */
/*
 * pace -- an upper bound on the current time, for the price of a counter.
 *
 * A timer must not fire early, so its delay counts from a time that is not
 * before the call that starts it.  The kernel's clock gives such a time in 25
 * ns.  This takes 10 ns, and may be late by half a microsecond.  Each object
 * belongs to one thread.
 */
#ifndef WEIR_SRC_PACE_H
#define WEIR_SRC_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ticks.h"

struct weir__pace {
    uint64_t from_ticks; /* ticks when both clocks were last read, and ... */
    int64_t from_ns;     /* ... the real time then */
    uint64_t span_ticks; /* how long that reading is valid; 0: not at all */
    uint64_t rate;       /* ns per tick, at most, times 2^32; 0: unknown */
    int64_t latest_ns;   /* what now() last returned; it never goes back */
    uint64_t measured;   /* the rate without its margin; 0: unknown */
    struct weir__moment since; /* when the measurement began */
    bool is_steady;            /* the kernel's clock uses the ticks */
};

void weir__pace_init(struct weir__pace *pace);

/* Record a reading of both clocks.  Thread: the owner. */
void weir__pace_learn(struct weir__pace *pace, struct weir__moment moment);

/* Read the kernel's clock, for when the counter cannot be used. */
int64_t weir__pace_look(struct weir__pace *pace);

/* Return the time so many ticks after the last reading, rounded up: the tick in
 * progress counts in full. */
static inline int64_t weir__pace_after(const struct weir__pace *pace,
                                       uint64_t ticks)
{
    return pace->from_ns + (int64_t)((ticks + 1) * pace->rate >> 32) + 1;
}

/* Get a time that is not before weir_clock_now() and at most half a microsecond
 * after it.  It never decreases, unless a test has set the clock.  Returns
 * false if the counter cannot tell; then call weir__pace_look(). */
static inline bool weir__pace_tell(struct weir__pace *pace, int64_t *now_ns)
{
    uint64_t ticks = weir__ticks_now() - pace->from_ticks;

    if (ticks >= pace->span_ticks || weir__clock_is_frozen())
        return false;
    *now_ns = weir__pace_after(pace, ticks);
    if (pace->latest_ns < *now_ns)
        pace->latest_ns = *now_ns;
    *now_ns = pace->latest_ns;
    return true;
}

static inline int64_t weir__pace_now(struct weir__pace *pace)
{
    int64_t now_ns;

    return weir__pace_tell(pace, &now_ns) ? now_ns : weir__pace_look(pace);
}

#endif /* WEIR_SRC_PACE_H */
