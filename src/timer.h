/* SPDX-License-Identifier: MIT */
/*
 * timer -- the timers of a loop.
 */
#ifndef WEIR_SRC_TIMER_H
#define WEIR_SRC_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/timer.h"
#include "wheel.h"

#ifdef WEIR_SMALL
enum { WEIR__TIMER_STOCK = 2 };
#else
enum { WEIR__TIMER_STOCK = 64 };
#endif

/* The loop's thread alone. */
struct weir__timers {
    struct weir__wheel wheel;
    uint64_t limit;       /* of this turn: later starts wait for the next */
    uint64_t used;        /* slots of timers that are not over */
    uint64_t refs;        /* of them, those that hold the loop */
    uint32_t firing;      /* repeats, and its callback runs; or none */
    uint32_t stock_count; /* free slots at hand, so that ... */
    uint32_t stock[2 * WEIR__TIMER_STOCK]; /* ... the lock is seldom needed */
};

void weir__timers_init(weir_loop *loop);

/* Calls those that are due; or, when the loop is winding up, all of them with
 * WEIR_ECANCELED. */
void weir__timers_run(weir_loop *loop);

/* When run will have something to do; INT64_MAX: never. */
int64_t weir__timers_next(const weir_loop *loop);

/* Whether it is started and referenced, and its name.  Thread: any. */
bool weir__timer_is_holding(const struct weir__timer *timer, const char **name);

#endif /* WEIR_SRC_TIMER_H */
