/* SPDX-License-Identifier: MIT */
/*
 * deque -- a worker's own stack of jobs, which others may steal from.
 *
 *     the owner                            any other thread
 *     weir__deque_push(deque, item)        weir__deque_steal(deque, &item)
 *     item = weir__deque_pop(deque)
 *
 * The owner works at one end, newest first; thieves take the oldest at the
 * other end.  Each item goes to exactly one of them.  deque.c explains the
 * orders.
 */
#ifndef WEIR_SRC_DEQUE_H
#define WEIR_SRC_DEQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic.h"

struct weir__ring {
    int64_t mask;             /* const: slots - 1; slots is a power of two */
    struct weir__ring *older; /* owner only: the one that this replaced */
    atomic(void *) slot[];    /* written by the owner, read by all */
};

struct weir__deque {
    /* The owner's line. */
    atomic(int64_t) bottom; /* the owner writes, deque/P1 P3 */
    int64_t top_seen;       /* owner only: top is not below this */
    struct weir__ring *own; /* owner only: the same as `ring` */
    /* The thieves' line. */
    _Alignas(CACHE_APART) atomic(int64_t) top; /* all, deque/P3 P4 */
    atomic(struct weir__ring *) ring;          /* the owner writes, deque/P2 */
};

enum weir__loot {
    WEIR__LOOT_NONE, /* there was nothing */
    WEIR__LOOT_LOST, /* somebody else got it; there may be more */
    WEIR__LOOT_ONE,
};

/* Returns  0, -ENOMEM */
int weir__deque_init(struct weir__deque *deque);

/* Gives the memory back.  It is empty, and nobody steals any more. */
void weir__deque_fini(struct weir__deque *deque);

/* push, when it may have to grow. */
__attribute__((cold)) bool weir__deque_push_slowly(struct weir__deque *deque,
                                                   void *item);

/* The last item, if a thief is not quicker. */
__attribute__((noinline)) void *
weir__deque_pop_last(struct weir__deque *deque, int64_t bottom, int64_t top);

/*
 * Take the oldest.
 *
 * Thread   any; the owner too, if it wants the oldest
 * Orders   WEIR__LOOT_ONE sees what came before the push
 */
enum weir__loot weir__deque_steal(struct weir__deque *deque, void **item);

/* Whether there seems to be nothing.  Thread: any; a guess. */
static inline bool weir__deque_is_empty(const struct weir__deque *deque)
{
    /* relaxed: a guess; who wants an item asks for it */
    int64_t top = load_relaxed(&deque->top);

    /* relaxed: the same */
    return load_relaxed(&deque->bottom) <= top;
}

/* How many there are, about.  Thread: any. */
static inline uint64_t weir__deque_count(const struct weir__deque *deque)
{
    int64_t top = load_relaxed(&deque->top); /* relaxed: count */
    /* relaxed: count */
    int64_t bottom = load_relaxed(&deque->bottom);

    return bottom > top ? (uint64_t)(bottom - top) : 0;
}

/* push, if there surely is room.  False: nothing has changed. */
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
 * Put an item, which is not NULL.
 *
 * Thread   the owner
 * Returns  false: there is no memory, and nothing has changed
 * Orders   what came before is seen by whoever takes the item
 */
static inline bool weir__deque_push(struct weir__deque *deque, void *item)
{
    return weir__deque_push_quick(deque, item) ||
           weir__deque_push_slowly(deque, item);
}

/*
 * Take the newest.
 *
 * Thread   the owner
 * Returns  the item, or NULL: it is empty, or thieves have taken the last
 */
static inline void *weir__deque_pop(struct weir__deque *deque)
{
    /* relaxed: own */
    int64_t bottom = load_relaxed(&deque->bottom) - 1;
    int64_t top;

    /* relaxed: it only grows, so what looks empty is empty */
    if (load_relaxed(&deque->top) > bottom)
        return NULL;
    /* deque/P3 seq_cst: claims the slot, before the look at top */
    store_seq_cst(&deque->bottom, bottom);
    /* deque/P3 seq_cst: after the claim */
    top = load_seq_cst(&deque->top);
    if (__builtin_expect(top < bottom, 1))
        /* relaxed: own */
        return load_relaxed(&deque->own->slot[bottom & deque->own->mask]);
    return weir__deque_pop_last(deque, bottom, top);
}

#endif /* WEIR_SRC_DEQUE_H */
