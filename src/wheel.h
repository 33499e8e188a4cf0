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

/* 64 bytes: one cache line.  The slot of a slab. */
struct weir__timer {
    atomic(uint64_t) word;     /* timer.c's: generation and state */
    atomic(const char *) name; /* any thread: report */
    uint32_t next, prev;       /* wheel.c's while inserted */
    int64_t deadline_ns;
    uint64_t sequence; /* given at insert: the order of starting */
    int64_t period_ns;
    weir_fn *fn;
    void *arg;
};

enum {
    WEIR__WHEEL_LEVELS = 8,
    WEIR__WHEEL_SLOTS = 64,
    WEIR__WHEEL_LISTS = 768, /* a slot has one, two or four */
};

/* About 3 KB, all of it the owner's; see wheel.c. */
struct weir__wheel {
    struct weir__slab *timers;
    int64_t tick;           /* timers up to this tick are near */
    uint64_t sequence;      /* the next insert's */
    uint64_t held_sequence; /* the lowest of those held; UINT64_MAX if none */
    uint32_t near;          /* the heap of those that are near */
    uint32_t held;          /* the heap of those that are near but too new */
    uint64_t occupied[WEIR__WHEEL_LEVELS]; /* a bit for each slot in use */
    uint32_t first[WEIR__WHEEL_LISTS];
};

void weir__wheel_init(struct weir__wheel *wheel, struct weir__slab *timers,
                      int64_t now_ns);

/* deadline_ns is set, may be past, and stays as it is while the timer is
 * inserted.  Gives it the next sequence. */
void weir__wheel_insert(struct weir__wheel *wheel, uint32_t index);

/* Take out one that was inserted and has not been popped.  False if it is too
 * near its deadline for that (a millisecond or two, by the last now_ns): it
 * stays, and pop will return it. */
bool weir__wheel_remove(struct weir__wheel *wheel, uint32_t index);

/* The first, by deadline and then by sequence, with deadline_ns <= now_ns and
 * sequence < limit; taken out.  WEIR__SLAB_NONE if there is none.  now_ns is
 * not expected to go back; if it does, nothing breaks. */
uint32_t weir__wheel_pop(struct weir__wheel *wheel, int64_t now_ns,
                         uint64_t limit);

/* A time at or before the first deadline, never after it, and the later the
 * better: exact when only a few are due next, or when it is less than a
 * millisecond after the now_ns of init, or at which pop last found none.
 * INT64_MAX if the wheel is empty.  Waking up then and calling pop brings the
 * wheel forward; a crowd of timers years away costs a handful of such
 * wake-ups. */
int64_t weir__wheel_next(const struct weir__wheel *wheel);

/* The sequence that the next insert will give: the limit for pop. */
uint64_t weir__wheel_sequence(const struct weir__wheel *wheel);

/* Any one that is inserted, taken out; WEIR__SLAB_NONE when empty. */
uint32_t weir__wheel_take_any(struct weir__wheel *wheel);

#endif /* WEIR_SRC_WHEEL_H */
