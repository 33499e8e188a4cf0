/* SPDX-License-Identifier: MIT */
/*
 * entries -- what a wheel keeps of its timers: lists of deadlines.
 *
 * A list is chunks, and a chunk is entries side by side: to go through a million
 * is to read memory from one end to the other.  Chunks come with the slots of
 * the timers, so nothing here asks for memory.  One thread's.
 *
 * An entry is dead when the generation of its timer's slot has moved on.  Nobody
 * looks for it then: it is dropped by whoever comes across it.
 */
#ifndef WEIR_SRC_ENTRIES_H
#define WEIR_SRC_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "slab.h"
#include "weir/task.h"

/* The three parts of a timer's slot.  The first: whether it is there at all. */
struct weir__timer {
    atomic(uint32_t) word; /* generation, and what timer.c needs */
};

/* The second: what is to be done. */
struct weir__errand {
    weir_fn *fn;
    void *arg;
};

/* The third is for the few that repeat, or have a name. */
struct weir__habit {
    int64_t period_ns;
    atomic(const char *) name; /* any thread: report; NULL unless NAMED */
};

/* And when. */
struct weir__entry {
    int64_t deadline_ns;
    uint64_t id; /* weir_timer: generation and index of the slot */
};

#ifdef WEIR_SMALL
enum { WEIR__CHUNK = 6 };
#else
enum { WEIR__CHUNK = 15 }; /* with its head, four lines of memory */
#endif

struct weir__chunk {
    struct weir__chunk *next; /* the last one's is the first */
    uint32_t first, end;      /* entries in use: not none, while in a list */
    struct weir__entry entry[WEIR__CHUNK];
};

/* A list is known by its last chunk; NULL: it is empty. */
typedef struct weir__chunk *weir__list;

enum {
    WEIR__ENTRIES_LISTS = 706, /* that can have entries at once */
    WEIR__ENTRIES_SLACK = 4,   /* chunks in use while entries move */
};

struct weir__entries {
    struct weir__slab *timers;
    uint64_t count;            /* all there are, and of those ... */
    uint64_t dead;             /* ... whose timers are over */
    uint64_t extra;            /* chunks that are not the first of their list */
    struct weir__chunk *spare; /* used before, linked by next up to NULL */
    struct weir__chunk *fresh, *fresh_end; /* never used, of one annex ... */
    unsigned annexes;                      /* ... and so many were begun */
    struct weir__chunk *mark; /* somebody's; NULL once it has left its list */
};

enum {
    WEIR__TIMER_WORD,
    WEIR__TIMER_ERRAND,
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

static inline struct weir__errand *
weir__errand_at(const struct weir__slab *timers, uint32_t index)
{
    return weir__slab_part(timers, WEIR__TIMER_ERRAND, index,
                           sizeof(struct weir__errand));
}

static inline struct weir__habit *
weir__habit_at(const struct weir__slab *timers, uint32_t index)
{
    return weir__slab_part(timers, WEIR__TIMER_HABIT, index,
                           sizeof(struct weir__habit));
}

/* A slab for timers, and for the chunks that so many need. */
void weir__timer_slots_init(struct weir__slab *timers);

void weir__entries_init(struct weir__entries *entries,
                        struct weir__slab *timers);

/* The chunks that the slots have brought so far.  Who uses more breaks things:
 * see wheel.c. */
uint64_t weir__entries_room(const struct weir__entries *entries);

/* It will be read or written soon, from end to end. */
static inline void weir__chunk_fetch(const struct weir__chunk *chunk)
{
    for (size_t at = 0; at < sizeof(*chunk); at += CACHE_LINE)
        __builtin_prefetch((const char *)chunk + at, 1);
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

/* Of a list that is not empty. */
struct weir__entry weir__entries_take_first(struct weir__entries *entries,
                                            weir__list *list);

/* The first that lives; the dead before it are dropped.  NULL: none does. */
struct weir__entry *weir__entries_first(struct weir__entries *entries,
                                        weir__list *list);

/* The first chunk may be used for another list. */
void weir__entries_drop_chunk(struct weir__entries *entries, weir__list *list);

/* One list behind another. */
weir__list weir__entries_join(struct weir__entries *entries, weir__list one,
                              weir__list other);

/* Drops all of it, dead or not, without counting them. */
void weir__entries_give_back(struct weir__entries *entries, weir__list list);

/* --- the dead ------------------------------------------------------------- */

/* Drops the dead of the chunk after `before`, or of the first (NULL), and fills
 * up `before` from it.  False: the chunk is gone. */
bool weir__entries_clean(struct weir__entries *entries, weir__list *list,
                         struct weir__chunk *before);

/* Until the first chunk has all the living of a list, or is full of them. */
void weir__entries_gather(struct weir__entries *entries, weir__list *list);

/* --- order ---------------------------------------------------------------- */

/* By deadline; of equal ones the first stays first. */
void weir__entries_sort_chunk(struct weir__chunk *chunk);

/* The living of a list, in one that is sorted. */
weir__list weir__entries_sort(struct weir__entries *entries, weir__list list);

#endif /* WEIR_SRC_ENTRIES_H */
