/* SPDX-License-Identifier: MIT */
/*
 * timer -- the word of a timer, which decides whether it fires.
 */
#ifndef WEIR_SRC_TIMER_H
#define WEIR_SRC_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "loop/loop.h"

/* ---- the word of a timer; see timer.c ---- */

enum {
    WEIR__TIMER_FREE = 0,
    WEIR__TIMER_STARTING = 1,  /* on its way to the loop */
    WEIR__TIMER_ARMED = 2,     /* in the wheel */
    WEIR__TIMER_FIRING = 3,    /* repeats, and its callback is running */
    WEIR__TIMER_CANCELLED = 4, /* its message to the loop is still to come */
    WEIR__TIMER_OUT = 5,       /* the same, and out of the wheel */
    WEIR__TIMER_SPENT = 6,     /* about to fire for the last time: too late */
    WEIR__TIMER_STATE = 7,
    WEIR__TIMER_REPEAT_SHIFT = 3,
    WEIR__TIMER_REPEAT = 3 << WEIR__TIMER_REPEAT_SHIFT,
    WEIR__TIMER_UNREF = 1 << 5,
    WEIR__TIMER_NAMED = 1 << 6,
    WEIR__TIMER_GENERATION_ONE = 1 << WEIR__TIMER_GENERATION_SHIFT,
};

/* In `rivals`: whether other threads cancel timers of this loop. */
enum {
    WEIR__RIVALS_NOBODY = 0,
    WEIR__RIVALS_COMING = 1, /* one is making this known to the loop */
    WEIR__RIVALS_HERE = 2,   /* the loop knows */
};

static inline uint32_t weir__timer_generation(uint32_t word)
{
    return word >> WEIR__TIMER_GENERATION_SHIFT;
}

static inline uint32_t weir__timer_with(uint32_t word, unsigned state)
{
    return (word & ~(uint32_t)WEIR__TIMER_STATE) | state;
}

static inline weir_timer_repeat weir__timer_repeat(uint32_t word)
{
    return (weir_timer_repeat)((word & WEIR__TIMER_REPEAT) >>
                               WEIR__TIMER_REPEAT_SHIFT);
}

/* The word of a live timer, which only the caller writes at this moment. */
static inline uint32_t weir__timer_word(struct weir__timer *timer)
{
    /* relaxed: own, or a guess that a CAS checks */
    return load_relaxed(&timer->word);
}

static inline bool weir__timer_is_live(uint32_t word)
{
    return (1u << (word & WEIR__TIMER_STATE) &
            (1u << WEIR__TIMER_STARTING | 1u << WEIR__TIMER_ARMED |
             1u << WEIR__TIMER_FIRING));
}

static inline bool weir__timer_is_of(uint32_t word, weir_timer id)
{
    return weir__timer_generation(word) == id >> 32 &&
           weir__timer_is_live(word);
}

/* Look up an id, which may be invalid.  Thread: any. */
static inline struct weir__timer *
weir__timer_look_up(const struct weir__slab *timers, weir_timer id)
{
    return weir__slab_at(timers, (uint32_t)id, sizeof(struct weir__timer));
}

/* Change the state of a timer on the loop's thread.  False: it was cancelled
 * meanwhile. */
static inline bool weir__timer_move(struct weir__timer *timer, unsigned from,
                                    unsigned to)
{
    uint32_t word = weir__timer_with(weir__timer_word(timer), from);

    /* timer/P1 release: publishes what the callbacks so far did */
    return cas_release(&timer->word, &word, weir__timer_with(word, to));
}

/* Announce that the loop's thread is about to end a timer: to cancel it, or to
 * fire it for the last time.  True: no other thread can interfere, so a plain
 * store is enough. */
static inline bool weir__timer_is_alone(struct weir__timers *timers,
                                        weir_timer id)
{
    /* timer/P4 release: publishes earlier decisions */
    store_release(&timers->deciding, id);
    /* timer/P2 light: between the announcement and the check for rivals */
    fence_light();
    /* relaxed: ordered by P2 */
    return load_relaxed(&timers->rivals) == WEIR__RIVALS_NOBODY;
}

/* Whether the timer is started and referenced, and its name.  The index must be
 * below the slab's limit.  Thread: any. */
bool weir__timer_is_holding(const weir_loop *loop, uint32_t index,
                            const char **name);

/* End a timer.  Its id is invalid from here on, and so is its entry in the
 * wheel, if there is one.  Thread: the loop's. */
void weir__timer_end(weir_loop *loop, uint32_t index);

#endif /* WEIR_SRC_TIMER_H */
