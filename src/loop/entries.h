/* SPDX-License-Identifier: MIT */
/*
 * entries -- the lists of deadlines that a wheel keeps for its timers.
 *
 * A list consists of chunks, and a chunk is an array of entries, so that
 * walking a million of them reads memory sequentially.  Chunks come with the
 * slots of the timers, so nothing here allocates.  Used by one thread.
 *
 * An entry is dead once the generation of its timer's slot has changed.  It is
 * not searched for, and is dropped when it is found.
 */
#ifndef WEIR_SRC_ENTRIES_H
#define WEIR_SRC_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/slab.h"
#include "weir/task.h"

/* The three parts of a timer's slot.  The first is its state. */
struct weir__timer {
    atomic(uint32_t) word; /* generation, and what timer.c needs */
};

/* The second is its callback. */
struct weir__timer_call {
    weir_fn *fn;
    void *arg;
};

/* The third is for the few timers that repeat or have a name. */
struct weir__habit {
    int64_t period_ns;
    atomic(const char *) name; /* any thread: report; NULL unless NAMED */
};

/* The deadline of a timer. */
struct weir__entry {
    int64_t deadline_ns;
    uint64_t id; /* weir_timer: generation and index of the slot */
};

#ifdef WEIR_SMALL
enum { WEIR__CHUNK = 6 };
#else
enum { WEIR__CHUNK = 15 }; /* with its header, four cache lines */
#endif

struct weir__chunk {
    struct weir__chunk *next; /* circular: the last points to the first */
    uint32_t first, end;      /* entries in use: at least one, if in a list */
    struct weir__entry entry[WEIR__CHUNK];
};

/* A list is represented by its last chunk; NULL: it is empty. */
typedef struct weir__chunk *weir__list;

enum {
    WEIR__ENTRIES_LISTS = 706, /* that can have entries at once */
    WEIR__ENTRIES_SLACK = 4,   /* chunks in use while entries move */
};

struct weir__entries {
    struct weir__slab *timers;
    uint64_t count;            /* all entries, and of these ... */
    uint64_t dead;             /* ... those whose timers have ended */
    uint64_t extra;            /* chunks that are not the first of their list */
    struct weir__chunk *spare; /* used before, linked by next up to NULL */
    struct weir__chunk *fresh, *fresh_end; /* never used, of one annex ... */
    unsigned annexes;                      /* ... and how many were begun */
    struct weir__chunk *mark; /* the caller's; NULL once it has left its list */
};

enum {
    WEIR__TIMER_WORD,
    WEIR__TIMER_CALL,
    WEIR__TIMER_HABIT,
    WEIR__TIMER_GENERATION_SHIFT = 7, /* in the word */
};

static inline uint32_t weir__timer_index(uint64_t id)
{
    return (uint32_t)id;
}

static inline uint64_t weir__timer_id(uint32_t word, uint32_t index)
{
    return (uint64_t)(word >> WEIR__TIMER_GENERATION_SHIFT) << 32 | index;
}

static inline struct weir__timer *
weir__timer_at(const struct weir__slab *timers, uint32_t index)
{
    return weir__slab_part(timers, WEIR__TIMER_WORD, index,
                           sizeof(struct weir__timer));
}

static inline struct weir__timer_call *
weir__timer_call_at(const struct weir__slab *timers, uint32_t index)
{
    return weir__slab_part(timers, WEIR__TIMER_CALL, index,
                           sizeof(struct weir__timer_call));
}

static inline struct weir__habit *
weir__habit_at(const struct weir__slab *timers, uint32_t index)
{
    return weir__slab_part(timers, WEIR__TIMER_HABIT, index,
                           sizeof(struct weir__habit));
}

/* A slab for timers and for the chunks that they need. */
void weir__timer_slots_init(struct weir__slab *timers);

void weir__entries_init(struct weir__entries *entries,
                        struct weir__slab *timers);

/* The number of chunks that the slots have brought so far.  The caller must not
 * use more: see wheel.c. */
uint64_t weir__entries_room(const struct weir__entries *entries);

/* Prefetch a chunk that will be read or written sequentially, or NULL. */
static inline void weir__chunk_fetch(const struct weir__chunk *chunk)
{
    for (size_t at = 0; at < sizeof(*chunk); at += CACHE_LINE)
        __builtin_prefetch((const void *)((uintptr_t)chunk + at), 1);
}

/* --- lists ---------------------------------------------------------------- */

void weir__entries_add_chunk(struct weir__entries *entries, weir__list *list);

static inline void weir__entries_append(struct weir__entries *entries,
                                        weir__list *list,
                                        struct weir__entry entry)
{
    if (*list == NULL || (*list)->end == WEIR__CHUNK)
        weir__entries_add_chunk(entries, list);
    (*list)->entry[(*list)->end++] = entry;
}

/* The list must not be empty. */
struct weir__entry weir__entries_take_first(struct weir__entries *entries,
                                            weir__list *list);

/* The first live entry, or NULL.  Drops the dead ones before it. */
struct weir__entry *weir__entries_first(struct weir__entries *entries,
                                        weir__list *list);

/* Free the first chunk for use by other lists. */
void weir__entries_drop_chunk(struct weir__entries *entries, weir__list *list);

/* Append one list to another. */
weir__list weir__entries_join(struct weir__entries *entries, weir__list one,
                              weir__list other);

/* Drop the whole list, without updating the counts. */
void weir__entries_give_back(struct weir__entries *entries, weir__list list);

/* --- dead entries --------------------------------------------------------- */

/* Drop the dead entries of the chunk after `before`, or of the first one
 * (NULL), and fill up `before` from it.  False: the chunk was freed. */
bool weir__entries_clean(struct weir__entries *entries, weir__list *list,
                         struct weir__chunk *before);

/* Clean chunks until the first one has all live entries of the list, or is
 * full. */
void weir__entries_gather(struct weir__entries *entries, weir__list *list);

/* --- order ---------------------------------------------------------------- */

/* Sort by deadline; the sort is stable. */
void weir__entries_sort_chunk(struct weir__chunk *chunk);

/* Sort the live entries of a list. */
weir__list weir__entries_sort(struct weir__entries *entries, weir__list list);

#endif /* WEIR_SRC_ENTRIES_H */
