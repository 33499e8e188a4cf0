/* SPDX-License-Identifier: MIT */
/*
 * wheel -- timers in the order of their deadlines.
 *
 * Used by one thread.  The wheel keeps an entry for each inserted timer, and
 * never allocates: the memory comes with the timer's slot.  A cancelled timer
 * is not searched for.  Its entry is dead once the generation of its slot has
 * changed, and is dropped when it is found.
 */
#ifndef WEIR_SRC_WHEEL_H
#define WEIR_SRC_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "loop/entries.h"

enum {
    WEIR__WHEEL_LEVELS = 11,
    WEIR__WHEEL_SLOTS = 64,
    WEIR__WHEEL_LISTS = WEIR__WHEEL_LEVELS * WEIR__WHEEL_SLOTS + 2,
};

_Static_assert((int)WEIR__WHEEL_LISTS == WEIR__ENTRIES_LISTS, "room for all");

#define WEIR__WHEEL_NOT_KNOWN INT64_MIN

/* About 6 KB, used by the owner only; see wheel.c. */
struct weir__wheel {
    int64_t tick_ns;   /* all timers in slots are later */
    int64_t now_ns;    /* of this turn */
    int64_t before_ns; /* of the turn before */
    int64_t fresh_ns;  /* inserts up to this time wait for a turn */
    int64_t next_ns;   /* what next() returns; NOT_KNOWN: it must look */
    int64_t start_ns;  /* nothing is due before; NOT_KNOWN: pop must look */
    uint32_t levels;   /* a bit for each level in use */
    uint64_t occupied[WEIR__WHEEL_LEVELS]; /* a bit for each slot in use */
    struct weir__entries entries;
    uint64_t room;       /* chunks available for them */
    uint64_t limit;      /* this many entries fit, wherever they go */
    unsigned sweep_list; /* the list to sweep next, after the chunk that
                          * entries.mark points to */
    weir__list list[WEIR__WHEEL_LISTS];
};

void weir__wheel_init(struct weir__wheel *wheel, struct weir__slab *timers,
                      int64_t now_ns);

/* Insert an entry.  Its index is that of a slot taken from the slab, and its
 * generation is that of the slot's word.  The deadline may be in the past. */
void weir__wheel_insert(struct weir__wheel *wheel, struct weir__entry entry);

/* Forget what next() has found, because the entries change. */
static inline void weir__wheel_change(struct weir__wheel *wheel)
{
    wheel->next_ns = wheel->start_ns = WEIR__WHEEL_NOT_KNOWN;
}

/* The number of the list, by level and digit, for a deadline later than
 * `tick`. */
static inline unsigned weir__wheel_list_of(const struct weir__wheel *wheel,
                                           int64_t deadline_ns)
{
    uint64_t differs = (uint64_t)(deadline_ns ^ wheel->tick_ns);
    unsigned level = (63 - (unsigned)__builtin_clzll(differs)) / 6;

    return level * WEIR__WHEEL_SLOTS +
           ((unsigned)(deadline_ns >> level * 6) & (WEIR__WHEEL_SLOTS - 1));
}

/* Insert an entry on the fast path: a few steps and no call, which is the usual
 * case.  False: nothing was done. */
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
    weir__wheel_change(wheel);
    return true;
}

/* Drop all entries, which are all dead. */
void weir__wheel_clear(struct weir__wheel *wheel);

/* Note that a timer whose entry is in the wheel has ended.  The generation of
 * its slot has changed already. */
static inline void weir__wheel_forget(struct weir__wheel *wheel)
{
    weir__wheel_change(wheel);
    if (++wheel->entries.dead == wheel->entries.count)
        weir__wheel_clear(wheel);
}

/* Whether no timer will ever be due, as far as is known.  False: there may be
 * one. */
static inline bool weir__wheel_is_never_due(const struct weir__wheel *wheel)
{
    return wheel->next_ns == INT64_MAX;
}

/* Begin a turn at this time.  now_ns should not go backwards, but nothing
 * breaks if it does. */
void weir__wheel_begin(struct weir__wheel *wheel, int64_t now_ns);

/* Take out the first timer, by deadline and then by insertion, of those that
 * are due and were inserted before the turn began.  False: there is none, and
 * the next begin() admits those inserted since. */
bool weir__wheel_pop(struct weir__wheel *wheel, struct weir__entry *entry);

/* A time at or before the first deadline, as late as is known: exact when only
 * a few timers are due next, INT64_MIN if some that were inserted in this turn
 * are due already, INT64_MAX if the wheel is empty.  Waking up at that time and
 * calling pop advances the wheel; many timers that are years away cost a
 * handful of such wake-ups. */
int64_t weir__wheel_next(struct weir__wheel *wheel);

/* Take out any timer; false if the wheel is empty. */
bool weir__wheel_take_any(struct weir__wheel *wheel, struct weir__entry *entry);

#endif /* WEIR_SRC_WHEEL_H */
