/* SPDX-License-Identifier: MIT */
/*
 * deque -- a worker's own work-stealing deque of jobs.
 *
 *     the owner                            any other thread
 *     weir__deque_push(deque, item)        weir__deque_steal(deque, &item)
 *     item = weir__deque_pop(deque)
 *
 * The owner pushes and pops at one end, newest first.  Thieves take the oldest
 * item at the other end.  Each item goes to exactly one of them.  deque.c
 * explains the memory orders.
 */
#ifndef WEIR_SRC_DEQUE_H
#define WEIR_SRC_DEQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

struct weir__ring {
    int64_t mask;             /* const: slots - 1; slots is a power of two */
    struct weir__ring *older; /* owner only: the ring this one replaced */
    atomic(void *) slot[];    /* owner writes, all threads read */
};

struct weir__deque {
    /* The owner's cache line. */
    atomic(int64_t) bottom; /* owner writes, deque/P1 P3 */
    int64_t top_seen;       /* owner only: a lower bound of top */
    struct weir__ring *own; /* owner only: same value as `ring` */
    /* The thieves' cache line. */
    _Alignas(CACHE_APART) atomic(int64_t) top; /* all threads, deque/P3 P4 */
    atomic(struct weir__ring *) ring;          /* owner writes, deque/P2 */
};

enum weir__loot {
    WEIR__LOOT_NONE, /* the deque was empty */
    WEIR__LOOT_LOST, /* another thread took it; there may be more */
    WEIR__LOOT_ONE,
};

/* Returns  0, -ENOMEM */
int weir__deque_init(struct weir__deque *deque);

/* Free the memory.  The deque must be empty, with no thief left. */
void weir__deque_fini(struct weir__deque *deque);

/* Push an item into a ring that may have to grow. */
__attribute__((cold)) bool weir__deque_push_slowly(struct weir__deque *deque,
                                                   void *item);

/* Pop the last item, unless a thief takes it first. */
__attribute__((noinline)) void *
weir__deque_pop_last(struct weir__deque *deque, int64_t bottom, int64_t top);

/*
 * Take the oldest item.
 *
 * Thread   any, including the owner
 * Orders   WEIR__LOOT_ONE sees what came before the push
 */
enum weir__loot weir__deque_steal(struct weir__deque *deque, void **item);

/* Whether the deque appears to be empty: a guess.  Thread: any. */
static inline bool weir__deque_is_empty(const struct weir__deque *deque)
{
    /* relaxed: a guess; a caller that wants an item tries to take one */
    int64_t top = load_relaxed(&deque->top);

    /* relaxed: a guess too */
    return load_relaxed(&deque->bottom) <= top;
}

/* Return the approximate number of items.  Thread: any. */
static inline uint64_t weir__deque_count(const struct weir__deque *deque)
{
    int64_t top = load_relaxed(&deque->top); /* relaxed: count */
    /* relaxed: count */
    int64_t bottom = load_relaxed(&deque->bottom);

    return bottom > top ? (uint64_t)(bottom - top) : 0;
}

/* Push an item if there is known to be room.  False: nothing has changed. */
static inline bool weir__deque_push_quick(struct weir__deque *deque, void *item)
{
    /* relaxed: own */
    int64_t bottom = load_relaxed(&deque->bottom);
    struct weir__ring *ring = deque->own;

    if (__builtin_expect(bottom - deque->top_seen > ring->mask, 0))
        return false;
    /* relaxed: ordered by P1 */
    store_relaxed(&ring->slot[bottom & ring->mask], item);
    /* deque/P1 release: publishes the slot, and what the item points to */
    store_release(&deque->bottom, bottom + 1);
    return true;
}

/*
 * Push an item, which must not be NULL.
 *
 * Thread   the owner
 * Returns  false: out of memory, and nothing has changed
 * Orders   the thread that takes the item sees what came before the push
 */
static inline bool weir__deque_push(struct weir__deque *deque, void *item)
{
    return weir__deque_push_quick(deque, item) ||
           weir__deque_push_slowly(deque, item);
}

/*
 * Take the newest item.
 *
 * Thread   the owner
 * Returns  the item, or NULL: the deque is empty, or a thief took the last item
 */
static inline void *weir__deque_pop(struct weir__deque *deque)
{
    /* relaxed: own */
    int64_t bottom = load_relaxed(&deque->bottom) - 1;
    int64_t top;

    /* relaxed: top only grows, so a deque that looks empty is empty */
    if (load_relaxed(&deque->top) > bottom)
        return NULL;
    /* deque/P3 seq_cst: claims the slot before reading top */
    store_seq_cst(&deque->bottom, bottom);
    /* deque/P3 seq_cst: after the claim */
    top = load_seq_cst(&deque->top);
    if (__builtin_expect(top < bottom, 1))
        /* relaxed: own */
        return load_relaxed(&deque->own->slot[bottom & deque->own->mask]);
    return weir__deque_pop_last(deque, bottom, top);
}

#endif /* WEIR_SRC_DEQUE_H */
