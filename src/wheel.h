/* SPDX-License-Identifier: MIT */
/*
 * wheel -- timers in the order of their deadlines.
 *
 * One thread's.  Insert and remove take the same few steps whatever the number
 * of timers, and neither allocates.
 */
#ifndef WEIR_SRC_WHEEL_H
#define WEIR_SRC_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "slab.h"
#include "weir/task.h"

/* The three parts of a timer's slot.  Together they take 52 bytes.
 * The first: whether it is there at all. */
struct weir__timer {
    atomic(uint32_t) word; /* timer.c's: generation and state */
};

/* Neighbours in a list of the wheel: timers, or the list's own head. */
struct weir__link {
    uint32_t next, prev;
};

/* What is to be done, and when. */
struct weir__errand {
    int64_t deadline_ns;
    weir_fn *fn;
    void *arg;
    int64_t period_ns;
    atomic(const char *) name; /* any thread: report */
};

enum { WEIR__TIMER_WORD, WEIR__TIMER_LINK, WEIR__TIMER_ERRAND };

enum {
    WEIR__WHEEL_LEVELS = 11,
    WEIR__WHEEL_SLOTS = 64,
    WEIR__WHEEL_LISTS = WEIR__WHEEL_LEVELS * WEIR__WHEEL_SLOTS + 3,
};

/* About 6 KB, all of it the owner's; see wheel.c. */
struct weir__wheel {
    struct weir__slab *timers;
    int64_t tick_ns;   /* whatever is in a slot is later */
    int64_t now_ns;    /* of this turn */
    int64_t before_ns; /* of the one before */
    bool is_open;      /* pop has not come to its end in this turn */
    uint32_t levels;   /* a bit for each level in use */
    uint64_t occupied[WEIR__WHEEL_LEVELS]; /* a bit for each slot in use */
    struct weir__link head[WEIR__WHEEL_LISTS];
};

static inline struct weir__timer *
weir__timer_at(const struct weir__slab *timers, uint32_t index)
{
    return weir__slab_part(timers, WEIR__TIMER_WORD, index,
                           sizeof(struct weir__timer));
}

static inline struct weir__link *weir__link_at(const struct weir__slab *timers,
                                               uint32_t index)
{
    return weir__slab_part(timers, WEIR__TIMER_LINK, index,
                           sizeof(struct weir__link));
}

static inline struct weir__errand *
weir__errand_at(const struct weir__slab *timers, uint32_t index)
{
    return weir__slab_part(timers, WEIR__TIMER_ERRAND, index,
                           sizeof(struct weir__errand));
}

/* A slab for timers. */
void weir__timer_slots_init(struct weir__slab *timers);

void weir__wheel_init(struct weir__wheel *wheel, struct weir__slab *timers,
                      int64_t now_ns);

/* deadline_ns is the errand's, may be past, and stays as it is while the timer
 * is inserted. */
void weir__wheel_insert(struct weir__wheel *wheel, uint32_t index,
                        int64_t deadline_ns);

/* Take out some that were inserted and have not been popped.  Of a million
 * timers neither one nor its neighbours in the list are in a cache: taken out
 * one by one, each waits for memory; taken out together, they wait together. */
void weir__wheel_remove_all(struct weir__wheel *wheel, const uint32_t *index,
                            uint32_t count);

/* A turn begins, at this time.  now_ns is not expected to go back; if it does,
 * nothing breaks. */
void weir__wheel_begin(struct weir__wheel *wheel, int64_t now_ns);

/* The first, by deadline and then by insertion, of those that are due and were
 * inserted before the turn began; taken out.  WEIR__SLAB_NONE if there is
 * none: then the next begin() lets in those that came since. */
uint32_t weir__wheel_pop(struct weir__wheel *wheel);

/* A time at or before the first deadline, never after it, and the later the
 * better: exact when only a few are due next, INT64_MIN if some that were
 * inserted in this turn are due already, INT64_MAX if the wheel is empty.
 * Waking up then and calling pop brings the wheel forward; a crowd of timers
 * years away costs a handful of such wake-ups. */
int64_t weir__wheel_next(struct weir__wheel *wheel);

/* Any one that is inserted, taken out; WEIR__SLAB_NONE when empty. */
uint32_t weir__wheel_take_any(struct weir__wheel *wheel);

#endif /* WEIR_SRC_WHEEL_H */
