/* SPDX-License-Identifier: MIT */
/*
 * timer -- the timers of a loop.
 */
#ifndef WEIR_SRC_TIMER_H
#define WEIR_SRC_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "pace.h"
#include "weir/timer.h"
#include "wheel.h"

#ifdef WEIR_SMALL
enum { WEIR__TIMERS_ENDED = 2 };
#else
enum { WEIR__TIMERS_ENDED = 64 };
#endif

/* The loop's thread alone, but for two words. */
struct weir__timers {
    struct weir__wheel wheel;
    struct weir__pace pace;
    uint64_t used;   /* slots of timers that are not over */
    uint64_t unrefs; /* of them, those that do not hold the loop */
    uint32_t firing; /* repeats, and its callback runs; or none */
    struct weir__slab_stock stock;   /* free slots at hand */
    uint32_t ended_count, out_count; /* the first ones are out of the wheel */
    uint32_t ended[WEIR__TIMERS_ENDED]; /* slots that will be free soon */
    atomic(weir_timer) deciding;        /* any thread reads: timer/P2, P4 */
    atomic(int) rivals;                 /* any thread: timer/P2, P3 */
};

void weir__timers_init(weir_loop *loop);

/* Calls those that are due; or, when the loop is winding up, all of them with
 * WEIR_ECANCELED. */
void weir__timers_run(weir_loop *loop);

/* When run will have something to do; INT64_MAX: never. */
int64_t weir__timers_next(weir_loop *loop);

/* Whether it is started and referenced, and its name.  Thread: any, for an index
 * below the slab's limit. */
bool weir__timer_is_holding(const weir_loop *loop, uint32_t index,
                            const char **name);

#endif /* WEIR_SRC_TIMER_H */
