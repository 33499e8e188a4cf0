/* SPDX-License-Identifier: MIT */
/*
 * race -- see race.h.
 */
#include "race.h"

#include <stdlib.h>
#include <string.h>

#include "exchange.h"

enum { GRANULE = 8, FIRST_ROOM = 256, MOST_GRANULES = 1 << 20 };

struct clock {
    uint32_t time[THREADS];
};

/* An access to some of the eight bytes that a later one can race with. */
struct last {
    struct last *next;
    struct race_access access;
    uint32_t time; /* of its thread */
    uint8_t thread, bytes;
};

/* What is known about an address: a granule, or an object. */
struct entry {
    uintptr_t key; /* 0: the place is free */
    struct clock *clock;
    struct last *last;
};

struct table {
    struct entry *entries;
    unsigned count, room; /* a power of two */
};

static struct table granules, words, objects;
static struct clock clocks[THREADS]; /* what each thread knows */
static struct last *spare;

/* --- tables -------------------------------------------------------------------- */

static struct entry *place_of(const struct table *table, uintptr_t key)
{
    unsigned at = (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    for (;; at++) {
        struct entry *entry = &table->entries[at & (table->room - 1)];

        if (entry->key == key || entry->key == 0)
            return entry;
    }
}

static void grow(struct table *table)
{
    struct table bigger = {.room =
                               table->room > 0 ? 2 * table->room : FIRST_ROOM};

    bigger.entries = calloc(bigger.room, sizeof(*bigger.entries));
    if (bigger.entries == NULL)
        abort();
    for (unsigned i = 0; i < table->room; i++)
        if (table->entries[i].key != 0)
            *place_of(&bigger, table->entries[i].key) = table->entries[i];
    bigger.count = table->count;
    free(table->entries);
    *table = bigger;
}

/* NULL: it is not there. */
static struct entry *look_up(const struct table *table, uintptr_t key)
{
    struct entry *entry = table->room > 0 ? place_of(table, key) : NULL;

    return entry != NULL && entry->key != 0 ? entry : NULL;
}

static struct entry *find(struct table *table, uintptr_t key)
{
    struct entry *entry;

    if (2 * table->count >= table->room)
        grow(table);
    entry = place_of(table, key);
    if (entry->key == 0)
        table->count++;
    entry->key = key;
    return entry;
}

/* --- clocks -------------------------------------------------------------------- */

static void join(struct clock *to, const struct clock *from)
{
    for (unsigned i = 0; i < THREADS; i++)
        if (from->time[i] > to->time[i])
            to->time[i] = from->time[i];
}

/* The clock says what the thread has done until now. */
static void release(unsigned self, struct clock *to)
{
    *to = clocks[self];
    to->time[self]++; /* a thread that begins has made no release: time 0 */
    clocks[self].time[self]++;
}

static struct clock *clock_of(struct table *table, const void *address)
{
    struct entry *entry = find(table, (uintptr_t)address);

    if (entry->clock == NULL)
        entry->clock = calloc(1, sizeof(*entry->clock));
    if (entry->clock == NULL)
        abort();
    return entry->clock;
}

void race_send(unsigned self, const void *object)
{
    release(self, clock_of(&objects, object));
}

void race_receive(unsigned self, const void *object)
{
    join(&clocks[self], clock_of(&objects, object));
}

void race_synchronize(unsigned self, const void *object)
{
    race_receive(self, object);
    race_send(self, object);
}

void race_start(unsigned self, unsigned other)
{
    struct clock now;

    release(self, &now);
    join(&clocks[other], &now);
}

void race_join(unsigned self, unsigned other)
{
    struct clock now;

    release(other, &now);
    join(&clocks[self], &now);
}

/* --- accesses ------------------------------------------------------------------ */

static bool is_conflict(const struct race_access *a,
                        const struct race_access *b)
{
    return (a->writes || b->writes) && !(a->is_atomic && b->is_atomic);
}

/* Whether a thread knows of the access.  A release is later than all accesses
 * before it. */
static bool is_before(const struct last *last, unsigned self)
{
    return last->thread == self || last->time < clocks[self].time[last->thread];
}

/* An access that is not needed any more: whatever would race with it also races
 * with the new one. */
static bool is_covered(const struct last *old, unsigned self,
                       const struct race_access *access, uint8_t bytes)
{
    if ((old->bytes & ~bytes) != 0)
        return false;
    if (access->writes && !access->is_atomic)
        return true;
    return old->thread == self && old->access.writes == access->writes &&
           old->access.is_atomic == access->is_atomic;
}

static void add_last(struct entry *entry, unsigned self,
                     const struct race_access *access, uint8_t bytes)
{
    struct last *last = spare;

    if (last != NULL)
        spare = last->next;
    else
        last = malloc(sizeof(*last));
    if (last == NULL)
        abort();
    *last = (struct last){.next = entry->last,
                          .access = *access,
                          .time = clocks[self].time[self],
                          .thread = (uint8_t)self,
                          .bytes = bytes};
    entry->last = last;
}

static void remove_last(struct last **link)
{
    struct last *last = *link;

    *link = last->next;
    last->next = spare;
    spare = last;
}

/* Some of the eight bytes. */
static bool note_granule(unsigned self, const struct race_access *access,
                         uintptr_t number, uint8_t bytes,
                         struct race_other *other)
{
    struct entry *entry = look_up(&granules, number);

    if (entry == NULL && granules.count == MOST_GRANULES)
        return false;
    entry = find(&granules, number);
    for (struct last **link = &entry->last; *link != NULL;) {
        const struct last *last = *link;

        if ((last->bytes & bytes) != 0 && !is_before(last, self) &&
            is_conflict(&last->access, access)) {
            *other = (struct race_other){last->thread, last->access};
            return true;
        }
        if (is_covered(last, self, access, bytes))
            remove_last(link);
        else
            link = &(*link)->next;
    }
    add_last(entry, self, access, bytes);
    return false;
}

/* An atomic read returns what the last write left, with its clock. */
bool race_note(unsigned self, const struct race_access *access,
               struct race_other *other)
{
    uintptr_t at = (uintptr_t)access->address, end = at + access->size;
    bool is_race = false;

    if (access->is_atomic && access->reads)
        join(&clocks[self], clock_of(&words, access->address));
    while (at < end && !is_race) {
        uintptr_t number = at / GRANULE, next = (number + 1) * GRANULE;
        uintptr_t stop = next < end ? next : end;
        unsigned mask = ((1u << (stop - at)) - 1) << at % GRANULE;

        is_race = note_granule(self, access, number, (uint8_t)mask, other);
        at = stop;
    }
    if (access->is_atomic && access->writes)
        release(self, clock_of(&words, access->address));
    return is_race;
}

void race_forget(const void *address, size_t size)
{
    for (uintptr_t at = (uintptr_t)address;
         granules.count > 0 && at < (uintptr_t)address + size; at += GRANULE) {
        struct entry *entry = look_up(&granules, at / GRANULE);

        while (entry != NULL && entry->last != NULL)
            remove_last(&entry->last);
    }
    for (unsigned i = 0; i < words.room; i++)
        if (words.entries[i].key - (uintptr_t)address < size)
            *words.entries[i].clock = (struct clock){{0}};
}

static void empty(struct table *table)
{
    for (unsigned i = 0; i < table->room; i++) {
        while (table->entries[i].last != NULL)
            remove_last(&table->entries[i].last);
        free(table->entries[i].clock);
    }
    free(table->entries);
    *table = (struct table){0};
}

void race_reset(void)
{
    empty(&granules);
    empty(&words);
    empty(&objects);
    memset(clocks, 0, sizeof(clocks));
    while (spare != NULL) {
        struct last *next = spare->next;

        free(spare);
        spare = next;
    }
}
