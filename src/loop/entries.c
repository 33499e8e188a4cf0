/* SPDX-License-Identifier: MIT */
/*
 * entries -- the lists of deadlines that a wheel keeps for its timers.
 *
 * Shape     A list is a ring of chunks, represented by its last one.  Chunks
 *           that were used before and are in no list are `spare`.  Chunks that
 *           were never used are in the annexes of the timers' slab, untouched.
 * Roles     One thread, the loop's.  Nothing here is shared, except the words
 *           of the slots and the slab's limit.
 *
 * Pairs     slab/P1: the thread that creates the slots creates their annexes.
 *
 * Tested by  test/unit/loop/entries.c, test/unit/loop/wheel.c,
 *            test/model/base/slab.c
 */
#include "loop/entries.h"

#include <string.h>

/* --- chunks --------------------------------------------------------------- */

/* The number of chunks in the annex of a block: one and a half times as many as
 * its number of entries fills, and one for the first entry of each list. */
static size_t chunks_of(unsigned block)
{
    size_t slots = (size_t)WEIR__SLAB_GROUP << block;
    size_t before = slots - WEIR__SLAB_GROUP;

    return slots * 3 / (2 * WEIR__CHUNK) + 1 +
           (before < WEIR__ENTRIES_LISTS ? slots : 0) +
           (block == 0 ? 2 * WEIR__ENTRIES_SLACK : 0);
}

static size_t annex_bytes(unsigned block)
{
    return chunks_of(block) * sizeof(struct weir__chunk);
}

void weir__timer_slots_init(struct weir__slab *timers)
{
    static const struct weir__slab_kind kind = {
        .size = {[WEIR__TIMER_WORD] = sizeof(struct weir__timer),
                 [WEIR__TIMER_CALL] = sizeof(struct weir__timer_call),
                 [WEIR__TIMER_HABIT] = sizeof(struct weir__habit)},
        .annex = annex_bytes};

    weir__slab_init(timers, &kind);
}

void weir__entries_init(struct weir__entries *entries,
                        struct weir__slab *timers)
{
    *entries = (struct weir__entries){.timers = timers};
}

uint64_t weir__entries_room(const struct weir__entries *entries)
{
    /* slab/P1 acquire: receives the annexes */
    uint32_t slots = load_acquire(&entries->timers->limit);
    unsigned blocks = weir__slab_place_of(slots - 1).block + 1;
    uint64_t room = 0;

    for (unsigned block = 0; block < blocks; block++)
        room += chunks_of(block);
    return room;
}

static struct weir__chunk *new_chunk(struct weir__entries *entries)
{
    struct weir__chunk *chunk = entries->spare;

    if (chunk != NULL) {
        entries->spare = chunk->next;
        weir__chunk_fetch(chunk->next);
    } else {
        if (entries->fresh == entries->fresh_end) {
            entries->fresh =
                weir__slab_annex(entries->timers, entries->annexes);
            entries->fresh_end = entries->fresh + chunks_of(entries->annexes++);
        }
        chunk = entries->fresh++;
    }
    chunk->first = chunk->end = 0;
    return chunk;
}

static void put_chunk(struct weir__entries *entries, struct weir__chunk *chunk)
{
    if (entries->mark == chunk)
        entries->mark = NULL;
    chunk->next = entries->spare;
    entries->spare = chunk;
}

/* --- lists ---------------------------------------------------------------- */

void weir__entries_add_chunk(struct weir__entries *entries, weir__list *list)
{
    struct weir__chunk *last = *list, *chunk = new_chunk(entries);

    if (last == NULL) {
        chunk->next = chunk;
    } else {
        chunk->next = last->next;
        last->next = chunk;
        entries->extra++;
    }
    *list = chunk;
}

/* Remove a chunk from a list: the one after `before`, or the first. */
static struct weir__chunk *cut_after(struct weir__entries *entries,
                                     weir__list *list,
                                     struct weir__chunk *before)
{
    struct weir__chunk *last = *list;
    struct weir__chunk *chunk = before != NULL ? before->next : last->next;

    if (chunk->next == chunk) {
        *list = NULL;
        return chunk;
    }
    (before != NULL ? before : last)->next = chunk->next;
    if (chunk == last)
        *list = before;
    chunk->next = chunk;
    entries->extra--;
    return chunk;
}

void weir__entries_drop_chunk(struct weir__entries *entries, weir__list *list)
{
    put_chunk(entries, cut_after(entries, list, NULL));
}

struct weir__entry weir__entries_take_first(struct weir__entries *entries,
                                            weir__list *list)
{
    struct weir__chunk *chunk = (*list)->next;
    struct weir__entry entry = chunk->entry[chunk->first++];

    if (chunk->first == chunk->end)
        weir__entries_drop_chunk(entries, list);
    return entry;
}

weir__list weir__entries_join(struct weir__entries *entries, weir__list one,
                              weir__list other)
{
    struct weir__chunk *first;

    if (one == NULL || other == NULL)
        return one != NULL ? one : other;
    first = one->next;
    one->next = other->next;
    other->next = first;
    entries->extra++;
    return other;
}

void weir__entries_give_back(struct weir__entries *entries, weir__list list)
{
    struct weir__chunk *first = list->next;

    list->next = entries->spare;
    entries->spare = first;
    entries->mark = NULL;
}

/* --- dead entries --------------------------------------------------------- */

static inline bool is_dead(const struct weir__entries *entries,
                           const struct weir__entry *entry)
{
    uint32_t index = weir__timer_index(entry->id);
    /* relaxed: only the loop changes the generation */
    uint32_t word = load_relaxed(&weir__timer_at(entries->timers, index)->word);

    return weir__timer_id(word, index) != entry->id;
}

static void uncount_dead(struct weir__entries *entries)
{
    entries->count--;
    entries->dead--;
}

struct weir__entry *weir__entries_first(struct weir__entries *entries,
                                        weir__list *list)
{
    while (*list != NULL) {
        struct weir__chunk *chunk = (*list)->next;

        if (entries->dead == 0 ||
            !is_dead(entries, &chunk->entry[chunk->first]))
            return &chunk->entry[chunk->first];
        uncount_dead(entries);
        if (++chunk->first == chunk->end)
            weir__entries_drop_chunk(entries, list);
    }
    return NULL;
}

/* Keep the live entries of a chunk, at its beginning. */
static void filter(struct weir__entries *entries, struct weir__chunk *chunk)
{
    uint32_t end = 0;

    for (uint32_t i = chunk->first; i < chunk->end; i++)
        __builtin_prefetch(weir__timer_at(
            entries->timers, weir__timer_index(chunk->entry[i].id)));
    for (uint32_t i = chunk->first; i < chunk->end; i++) {
        if (is_dead(entries, &chunk->entry[i]))
            uncount_dead(entries);
        else
            chunk->entry[end++] = chunk->entry[i];
    }
    chunk->first = 0;
    chunk->end = end;
}

/* Fill up one chunk from the next one, whose entries start at index 0. */
static void fill_up(struct weir__chunk *chunk, struct weir__chunk *next)
{
    uint32_t moved = WEIR__CHUNK - chunk->end;

    if (moved > next->end)
        moved = next->end;
    memcpy(&chunk->entry[chunk->end], next->entry,
           moved * sizeof(struct weir__entry));
    memmove(next->entry, &next->entry[moved],
            (next->end - moved) * sizeof(struct weir__entry));
    chunk->end += moved;
    next->end -= moved;
}

bool weir__entries_clean(struct weir__entries *entries, weir__list *list,
                         struct weir__chunk *before)
{
    struct weir__chunk *chunk = before != NULL ? before->next : (*list)->next;

    filter(entries, chunk);
    if (before != NULL)
        fill_up(before, chunk);
    if (chunk->end > 0)
        return true;
    put_chunk(entries, cut_after(entries, list, before));
    return false;
}

void weir__entries_gather(struct weir__entries *entries, weir__list *list)
{
    if ((*list)->next == *list && entries->dead == 0)
        return;
    while (*list != NULL && !weir__entries_clean(entries, list, NULL))
        ;
    while (*list != NULL && (*list)->next != *list &&
           (*list)->next->end < WEIR__CHUNK)
        (void)weir__entries_clean(entries, list, (*list)->next);
}

/* --- order ---------------------------------------------------------------- */

void weir__entries_sort_chunk(struct weir__chunk *chunk)
{
    struct weir__entry *entry = chunk->entry;

    for (uint32_t i = chunk->first + 1; i < chunk->end; i++) {
        struct weir__entry one = entry[i];
        uint32_t at = i;

        for (; at > chunk->first && entry[at - 1].deadline_ns > one.deadline_ns;
             at--)
            entry[at] = entry[at - 1];
        entry[at] = one;
    }
}

static int64_t first_deadline(weir__list list)
{
    return list->next->entry[list->next->first].deadline_ns;
}

/* Merge two sorted lists.  Of equal deadlines those of the first come first. */
static weir__list merge(struct weir__entries *entries, weir__list one,
                        weir__list other)
{
    weir__list both = NULL;

    while (one != NULL || other != NULL) {
        bool is_other =
            one == NULL ||
            (other != NULL && first_deadline(other) < first_deadline(one));
        weir__list *from = is_other ? &other : &one;

        weir__entries_append(entries, &both,
                             weir__entries_take_first(entries, from));
    }
    return both;
}

/* Cut off the first chunk as a sorted list; NULL: all its entries are dead. */
static weir__list cut_sorted(struct weir__entries *entries, weir__list *list)
{
    struct weir__chunk *chunk = cut_after(entries, list, NULL);

    filter(entries, chunk);
    if (chunk->end == 0) {
        put_chunk(entries, chunk);
        return NULL;
    }
    weir__entries_sort_chunk(chunk);
    return chunk;
}

/* A bottom-up merge sort of lists of 1, 2, 4, ... chunks.  The older list is
 * always the first operand, which keeps the sort stable. */
weir__list weir__entries_sort(struct weir__entries *entries, weir__list list)
{
    weir__list sorted[32], all = NULL;
    unsigned used = 0;

    for (uint32_t count = 1; list != NULL; count++) {
        weir__list one = cut_sorted(entries, &list);

        for (uint32_t bits = count; (bits & 1) == 0; bits >>= 1)
            one = merge(entries, sorted[--used], one);
        sorted[used++] = one;
    }
    while (used > 0)
        all = merge(entries, sorted[--used], all);
    return all;
}
