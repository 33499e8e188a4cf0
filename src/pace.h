/* SPDX-License-Identifier: MIT */
/*
 * pace -- what time it is, at the latest, for the price of a counter.
 *
 * A timer must not be early, so its delay counts from a time that is not before
 * the call that starts it.  The kernel's clock says that in 25 ns; this says it
 * in 10, and may be late by half a microsecond.  One thread's.
 */
#ifndef WEIR_SRC_PACE_H
#define WEIR_SRC_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "ticks.h"

struct weir__pace {
    uint64_t from_ticks; /* of the last look at both clocks, and ... */
    int64_t from_ns;     /* ... the real time then */
    uint64_t span_ticks; /* how long that look is good for; 0: not at all */
    uint64_t rate;       /* ns in a tick, at the most, times 2^32; 0: unknown */
    int64_t latest_ns;   /* what now() has said; it never goes back */
    uint64_t measured;   /* the rate without its margin; 0: unknown */
    struct weir__moment since; /* when it began to be measured */
    bool is_steady;            /* the ticks are the kernel's */
};

void weir__pace_init(struct weir__pace *pace);

/* Both clocks were looked at.  Thread: the owner. */
void weir__pace_learn(struct weir__pace *pace, struct weir__moment moment);

/* A look at the kernel's clock, when the counter will not do. */
int64_t weir__pace_look(struct weir__pace *pace);

/* So many ticks after the last look, rounded up: a tick is a while, too. */
static inline int64_t weir__pace_after(const struct weir__pace *pace,
                                       uint64_t ticks)
{
    return pace->from_ns + (int64_t)((ticks + 1) * pace->rate >> 32) + 1;
}

/* Not before weir_clock_now(), and half a microsecond after it at the most;
 * never less than it has said before, but for a clock that tests have set.
 * False: the counter does not know, look() does. */
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
