/* SPDX-License-Identifier: MIT */
/*
 * wheel -- timers in the order of their deadlines.
 *
 * One thread's.  The wheel keeps an entry for each timer that is inserted, and
 * never asks for memory: what a timer's slot needs came with the slot.  A timer
 * that is cancelled is not looked for; its entry is dead when the generation of
 * its slot has moved on, and is dropped when somebody comes across it.
 */
#ifndef WEIR_SRC_WHEEL_H
#define WEIR_SRC_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "entries.h"

enum {
    WEIR__WHEEL_LEVELS = 11,
    WEIR__WHEEL_SLOTS = 64,
    WEIR__WHEEL_LISTS = WEIR__WHEEL_LEVELS * WEIR__WHEEL_SLOTS + 2,
};

_Static_assert((int)WEIR__WHEEL_LISTS == WEIR__ENTRIES_LISTS, "room for all");

/* About 6 KB, all of it the owner's; see wheel.c. */
struct weir__wheel {
    int64_t tick_ns;   /* whatever is in a slot is later */
    int64_t now_ns;    /* of this turn */
    int64_t before_ns; /* of the one before */
    int64_t fresh_ns;  /* what is inserted and not later waits for a turn */
    uint32_t levels;   /* a bit for each level in use */
    uint64_t occupied[WEIR__WHEEL_LEVELS]; /* a bit for each slot in use */
    struct weir__entries entries;
    uint64_t room;       /* chunks for them */
    uint64_t limit;      /* up to so many find room, wherever they go */
    unsigned broom_list; /* where the next dead entry is looked for, after the
                          * chunk that entries.mark says */
    weir__list list[WEIR__WHEEL_LISTS];
};

void weir__wheel_init(struct weir__wheel *wheel, struct weir__slab *timers,
                      int64_t now_ns);

/* The index is of a slot that take() has returned, and the generation is its
 * word's.  The deadline may be past. */
void weir__wheel_insert(struct weir__wheel *wheel, struct weir__entry entry);

/* The level of the wheel, and the digit, that a deadline later than `tick`
 * belongs to; as the number of their list. */
static inline unsigned weir__wheel_list_of(const struct weir__wheel *wheel,
                                           int64_t deadline_ns)
{
    uint64_t differs = (uint64_t)(deadline_ns ^ wheel->tick_ns);
    unsigned level = (63 - (unsigned)__builtin_clzll(differs)) / 6;

    return level * WEIR__WHEEL_SLOTS +
           ((unsigned)(deadline_ns >> level * 6) & (WEIR__WHEEL_SLOTS - 1));
}

/* The same where it takes a few steps and no call, which is mostly; or false,
 * and nothing was done. */
static inline bool weir__wheel_insert_quickly(struct weir__wheel *wheel,
                                              struct weir__entry entry)
{
    struct weir__chunk *chunk;

    if (entry.deadline_ns <= wheel->fresh_ns ||
        wheel->entries.count >= wheel->limit)
        return false;
    chunk = wheel->list[weir__wheel_list_of(wheel, entry.deadline_ns)];
    if (chunk == NULL || chunk->end == WEIR__CHUNK)
        return false;
    chunk->entry[chunk->end++] = entry;
    wheel->entries.count++;
    return true;
}

/* No entry is of a timer any more. */
void weir__wheel_clear(struct weir__wheel *wheel);

/* A timer is over that was inserted and has not been popped: the generation of
 * its slot is another one by now. */
static inline void weir__wheel_forget(struct weir__wheel *wheel)
{
    if (++wheel->entries.dead == wheel->entries.count)
        weir__wheel_clear(wheel);
}

/* A turn begins, at this time.  now_ns is not expected to go back; if it does,
 * nothing breaks. */
void weir__wheel_begin(struct weir__wheel *wheel, int64_t now_ns);

/* The first, by deadline and then by insertion, of those that are due and were
 * inserted before the turn began; taken out.  False: there is none, and the
 * next begin() lets in those that came since. */
bool weir__wheel_pop(struct weir__wheel *wheel, struct weir__entry *entry);

/* A time at or before the first deadline, never after it, and the later the
 * better: exact when only a few are due next, INT64_MIN if some that were
 * inserted in this turn are due already, INT64_MAX if the wheel is empty.
 * Waking up then and calling pop brings the wheel forward; a crowd of timers
 * years away costs a handful of such wake-ups. */
int64_t weir__wheel_next(struct weir__wheel *wheel);

/* Any one that is inserted, taken out; false when empty. */
bool weir__wheel_take_any(struct weir__wheel *wheel, struct weir__entry *entry);

#endif /* WEIR_SRC_WHEEL_H */
