/* SPDX-License-Identifier: MIT */
/*
 * weak -- see weak.h.
 */
#include "weak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "heap.h"

static bool is_acquire(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool is_release(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

void (*weak_on_limit)(const char *what);

void weak_limit(const char *what)
{
    if (weak_on_limit != NULL)
        weak_on_limit(what);
    fprintf(stderr, "explorer: more than there is room for: %s\n", what);
    exit(3);
}

void weak_reset(struct weak *weak)
{
    weak->locations = 0;
    weak->has_dirty = false;
    weak->messages = 1; /* 0 is the first value of every location */
    memset(&weak->heavy, 0, sizeof(weak->heavy));
}

static uint16_t rank(const struct weak *weak, message_id id)
{
    return weak->message[id].rank; /* message[0].rank is 0 forever */
}

static uint64_t in_memory(const void *word, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, word, size); /* the explorer runs on little-endian */
    return value;
}

static unsigned guess_of(const void *word)
{
    return ((uintptr_t)word >> 2) % GUESSES;
}

/* The index of the location; weak->locations if there is none. */
static unsigned find(const struct weak *weak, const void *word)
{
    unsigned i = weak->guess[guess_of(word)];

    if (i < weak->locations && weak->location[i].word == word)
        return i;
    for (i = 0; i < weak->locations && weak->location[i].word != word; i++)
        ;
    return i;
}

unsigned weak_locate(struct weak *weak, const void *word, size_t size,
                     const struct model_site *site, bool is_plain)
{
    struct location *location;
    struct message *first;
    unsigned index = find(weak, word);

    weak->guess[guess_of(word)] = (uint16_t)index;
    if (index < weak->locations)
        return index;
    if (weak->locations == LOCATIONS || weak->messages == POOL)
        weak_limit("atomic variables, or stores to them (weak.h)");
    location = &weak->location[weak->locations];
    *location = (struct location){
        .word = word, .size = size, .site = site, .is_plain = is_plain};
    location->count = 1;
    location->order[0] = (message_id)weak->messages++;
    first = &weak->message[location->order[0]];
    memset(first, 0, sizeof(*first));
    first->value = in_memory(word, size);
    return weak->locations++;
}

uint64_t weak_value(const struct weak *weak, unsigned location, message_id id)
{
    return weak->message[id != 0 ? id : weak->location[location].order[0]]
        .value;
}

message_id weak_newest(const struct weak *weak, unsigned location)
{
    const struct location *l = &weak->location[location];

    return l->order[l->count - 1];
}

static unsigned candidates(const struct weak *weak, unsigned location,
                           const struct view *view, int order, bool unglued,
                           message_id *out)
{
    const struct location *l = &weak->location[location];
    unsigned bound = rank(weak, view->at[location]);
    unsigned count = 0;

    if (order == __ATOMIC_SEQ_CST && rank(weak, l->newest_sc) > bound)
        bound = rank(weak, l->newest_sc);
    for (unsigned i = l->count; i-- > bound;)
        if (!unglued || !weak->message[l->order[i]].is_glued)
            out[count++] = l->order[i];
    return count;
}

unsigned weak_readable(const struct weak *weak, unsigned location,
                       const struct view *view, int order, message_id *out)
{
    return candidates(weak, location, view, order, false, out);
}

unsigned weak_unglued(const struct weak *weak, unsigned location,
                      const struct view *view, int order, message_id *out)
{
    return candidates(weak, location, view, order, true, out);
}

unsigned weak_count(const struct weak *weak, const void *word)
{
    unsigned index = find(weak, word);

    return index < weak->locations ? weak->location[index].count : 1;
}

message_id weak_latest(const struct weak *weak, unsigned location,
                       const struct view *view)
{
    message_id latest = weak->location[location].latest;

    return rank(weak, latest) >= rank(weak, view->at[location])
               ? latest
               : weak_newest(weak, location);
}

static void move_up(const struct weak *weak, message_id *at, message_id to)
{
    if (rank(weak, to) > rank(weak, *at))
        *at = to;
}

static void join(const struct weak *weak, struct view *view,
                 const struct view *other, bool plain_too)
{
    for (unsigned i = 0; i < weak->locations; i++) {
        uint16_t mine = rank(weak, view->at[i]);
        uint16_t theirs = rank(weak, other->at[i]);

        if (weak->location[i].is_plain && !plain_too)
            continue;
        if (theirs > mine) {
            view->at[i] = other->at[i];
            view->reads[i] = other->reads[i];
        } else if (theirs == mine) {
            view->reads[i] |= other->reads[i];
        }
    }
}

void weak_join(const struct weak *weak, struct view *view,
               const struct view *other)
{
    join(weak, view, other, true);
    for (unsigned i = 0; i <= MODEL_THREADS; i++)
        if (other->clock[i] > view->clock[i])
            view->clock[i] = other->clock[i];
}

void weak_join_atomics(const struct weak *weak, struct view *view,
                       const struct view *other)
{
    join(weak, view, other, false);
}

void weak_read(struct weak *weak, unsigned location, struct view *view,
               struct fences *fences, message_id from, int order)
{
    struct location *l = &weak->location[location];

    move_up(weak, &view->at[location], from);
    if (is_acquire(order))
        weak_join(weak, view, &weak->message[from].view);
    else if (fences->is_used)
        weak_join(weak, &fences->pending, &weak->message[from].view);
    if (order == __ATOMIC_SEQ_CST)
        move_up(weak, &l->newest_sc, from);
}

/* What is newest in modification order is what memory holds. */
static void write_through(const struct weak *weak, unsigned location)
{
    const struct location *l = &weak->location[location];

    memcpy((void *)l->word, &weak->message[weak_newest(weak, location)].value,
           l->size);
}

static message_id insert(struct weak *weak, unsigned location, message_id after,
                         uint64_t value)
{
    struct location *l = &weak->location[location];
    unsigned place = rank(weak, after) + 1u;
    message_id id = (message_id)weak->messages;

    if (weak->messages == POOL || l->count == MESSAGES)
        weak_limit("stores to one atomic variable (weak.h)");
    weak->messages++;
    memmove(&l->order[place + 1], &l->order[place],
            (l->count - place) * sizeof(l->order[0]));
    l->order[place] = id;
    l->count++;
    l->latest = id;
    for (unsigned i = place; i < l->count; i++)
        weak->message[l->order[i]].rank = (uint16_t)i;
    memset(&weak->message[id].view, 0, sizeof(struct view));
    weak->message[id].value = value;
    weak->message[id].is_glued = false;
    weak->message[id].step = 0;
    write_through(weak, location);
    return id;
}

void weak_write(struct weak *weak, unsigned location, struct view *view,
                const struct fences *fences, message_id after, uint64_t value,
                int order)
{
    message_id id = insert(weak, location, after, value);

    view->at[location] = id;
    if (is_release(order))
        weak->message[id].view = *view;
    else if (fences->is_used)
        weak->message[id].view = fences->released;
    if (order == __ATOMIC_SEQ_CST)
        move_up(weak, &weak->location[location].newest_sc, id);
}

void weak_rmw(struct weak *weak, unsigned location, struct view *view,
              struct fences *fences, message_id from, uint64_t value, int order)
{
    message_id id;

    weak_read(weak, location, view, fences, from, order);
    id = insert(weak, location, from, value);
    weak->message[from].is_glued = true;
    view->at[location] = id;
    if (is_release(order))
        weak->message[id].view = *view;
    else if (fences->is_used)
        weak->message[id].view = fences->released;
    weak_join(weak, &weak->message[id].view, &weak->message[from].view);
    if (order == __ATOMIC_SEQ_CST)
        move_up(weak, &weak->location[location].newest_sc, id);
}

void weak_fence(struct weak *weak, struct view *view, struct fences *fences,
                int order)
{
    if (is_acquire(order))
        weak_join(weak, view, &fences->pending);
    if (order == __ATOMIC_SEQ_CST) {
        for (unsigned i = 0; i < weak->locations; i++) {
            struct location *l = &weak->location[i];

            move_up(weak, &l->newest_sc, view->at[i]);
            move_up(weak, &view->at[i], l->newest_sc);
        }
    }
    if (is_release(order))
        fences->released = *view;
}

void weak_overwrite(struct weak *weak, unsigned location, struct view *view)
{
    message_id newest = weak_newest(weak, location);

    view->at[location] =
        insert(weak, location, newest, weak_value(weak, location, newest));
    weak->location[location].is_dirty = true;
    weak->has_dirty = true;
}

void weak_refresh(struct weak *weak)
{
    for (unsigned i = 0; i < weak->locations; i++) {
        struct location *l = &weak->location[i];

        if (l->is_dirty)
            weak->message[weak_newest(weak, i)].value =
                in_memory(l->word, l->size);
        l->is_dirty = false;
    }
    weak->has_dirty = false;
}

bool weak_unshared(struct weak *weak, unsigned location, struct view *view,
                   uint64_t value)
{
    struct location *l = &weak->location[location];

    if (rank(weak, view->at[location]) != l->count - 1)
        return false;
    view->at[location] =
        insert(weak, location, weak_newest(weak, location), value);
    l->unshared = view->at[location];
    return true;
}

bool weak_is_known(const struct weak *weak, unsigned location,
                   const struct view *view)
{
    return rank(weak, view->at[location]) >=
           rank(weak, weak->location[location].unshared);
}

bool weak_plain_read(struct weak *weak, unsigned location, struct view *view,
                     unsigned self)
{
    struct location *l = &weak->location[location];

    if (rank(weak, view->at[location]) != l->count - 1)
        return false;
    l->readers |= (uint8_t)(1u << self);
    view->reads[location] |= (uint8_t)(1u << self);
    return true;
}

/* The value goes to memory by the access itself; the message is the event. */
bool weak_plain_write(struct weak *weak, unsigned location, struct view *view)
{
    struct location *l = &weak->location[location];
    uint64_t value = in_memory(l->word, l->size);

    if (rank(weak, view->at[location]) != l->count - 1 ||
        (l->readers & ~view->reads[location]) != 0)
        return false;
    view->at[location] =
        insert(weak, location, weak_newest(weak, location), value);
    view->reads[location] = 0;
    l->readers = 0;
    return true;
}

void weak_floor_begin(const struct weak *weak, struct weak_floor *floor)
{
    for (unsigned i = 0; i < weak->locations; i++)
        floor->rank[i] = (uint16_t)(weak->location[i].count - 1);
}

void weak_floor_lower(const struct weak *weak, struct weak_floor *floor,
                      const struct view *view, const void *rmw,
                      const void *late)
{
    for (unsigned i = 0; i < weak->locations; i++) {
        const struct location *l = &weak->location[i];
        unsigned lowest = rank(weak, view->at[i]);

        if (l->word == rmw)
            while (weak->message[l->order[lowest]].is_glued)
                lowest++;
        if (l->word == late)
            lowest = rank(weak, weak_latest(weak, i, view));
        if (lowest < floor->rank[i])
            floor->rank[i] = (uint16_t)lowest;
    }
}

static uint64_t above(unsigned rank_, unsigned floor)
{
    return rank_ > floor ? rank_ - floor : 0;
}

/* A sum over locations: the order in which they were met does not count. */
uint64_t weak_hash_view(const struct weak *weak, const struct view *view,
                        const struct weak_floor *floor, uint64_t seed)
{
    uint64_t sum = heap_hash_known(view->clock, seed);

    for (unsigned i = 0; i < weak->locations; i++) {
        const struct location *l = &weak->location[i];
        unsigned at = rank(weak, view->at[i]);
        uint64_t entry = l->is_plain
                             ? (at == l->count - 1u ? 1u + view->reads[i] : 0)
                             : above(at, floor->rank[i]);

        if (entry != 0)
            sum += hash_mix(hash_mix(seed, (uintptr_t)l->word), entry);
    }
    return sum;
}

static uint64_t hash_location(const struct weak *weak, unsigned location,
                              const struct weak_floor *floor, uint64_t seed)
{
    const struct location *l = &weak->location[location];
    uint64_t hash = hash_mix(seed, (uintptr_t)l->word);

    if (l->is_plain)
        return hash_mix(hash, l->readers);
    hash =
        hash_mix(hash, above(rank(weak, l->newest_sc), floor->rank[location]));
    hash =
        hash_mix(hash, above(rank(weak, l->unshared), floor->rank[location]));
    for (unsigned i = floor->rank[location]; i < l->count; i++) {
        const struct message *m = &weak->message[l->order[i]];

        hash = hash_mix(hash_mix(hash, m->value), m->is_glued);
        hash = hash_mix(hash, weak_hash_view(weak, &m->view, floor, seed));
    }
    return hash;
}

uint64_t weak_hash(const struct weak *weak, const struct weak_floor *floor,
                   uint64_t seed)
{
    uint64_t sum = weak_hash_view(weak, &weak->heavy, floor, seed);

    for (unsigned i = 0; i < weak->locations; i++)
        sum += hash_location(weak, i, floor, seed);
    return sum;
}
