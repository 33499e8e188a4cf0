/* SPDX-License-Identifier: MIT */
/*
 * recycler -- slots that one thread takes and other threads give back.
 *
 *     a producer                            a consumer
 *     slot = weir__recycler_take(recycler)  read the slot
 *     fill in; hand over                    weir__recycler_put(slot->block)
 *
 * Slots are allocated in blocks, and each producer thread has its own cache of
 * blocks.  In steady state nothing is allocated.  A loop's envelopes
 * (loop/envelope.h), a pool's submitted calls (pool.c) and promisify's requests
 * (promisify.c) are slots.
 *
 * If the slots of a cache have one consumer, it puts them back one by one.  If
 * they have several, each consumer counts what it has read in a tally of its
 * own, so that it changes a shared word once for a run of neighbours:
 *
 *     weir__recycler_count(slot->block, &tally)      for each slot
 *     weir__recycler_settle(&tally)                  before it sleeps
 */
#ifndef WEIR_SRC_RECYCLER_H
#define WEIR_SRC_RECYCLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

/* Threads with an index below this have a cache.  The others allocate each
 * slot. */
#ifdef WEIR_SMALL
enum { WEIR__RECYCLER_CACHES = 8 };
#else
enum { WEIR__RECYCLER_CACHES = 256 };
#endif

struct weir__recycler_block;

/* The slots of one use.  It must outlive them. */
struct weir__recycler_kind {
    uint32_t size;     /* of a slot, in bytes; a multiple of 8 */
    uint32_t block_at; /* the offset of the slot's pointer to its block */
    uint32_t kept;     /* free slots of a cache that trim leaves there */
    uint32_t most;     /* a cache with this many free slots keeps no more */
};

/* One producer's blocks. */
struct weir__recycler_cache {
    /* Producer only: the slots of its current block that are left, the block,
     * and the size of the next one that is allocated. */
    char *next, *end;
    struct weir__recycler_block *current;
    uint32_t next_size;
    _Alignas(CACHE_APART) atomic(struct weir__recycler_block *) spare; /* P2 */
    atomic(uint32_t) spares; /* any thread: slots in spare, approximately */
    struct weir__recycler_cache *other; /* const once it is in `all` */
};

struct weir__recycler {
    const struct weir__recycler_kind *kind;                    /* const */
    struct weir__recycler_cache *cache[WEIR__RECYCLER_CACHES]; /* by thread */
    atomic(struct weir__recycler_cache *) all; /* newest first, recycler/P4 */
};

/* Slots of one block that a consumer has read but not yet put back. */
struct weir__recycler_tally {
    struct weir__recycler_block *block;
    uint32_t count;
};

void weir__recycler_init(struct weir__recycler *recycler,
                         const struct weir__recycler_kind *kind);

/* Free all memory.  Every slot must have been put back or returned. */
void weir__recycler_fini(struct weir__recycler *recycler);

/* Take a slot.  Only its pointer to the block is set.  Returns NULL if there is
 * no memory.  Thread: any. */
void *weir__recycler_take(struct weir__recycler *recycler);

/* Return an unused slot of this block.  Thread: the one that took it and has
 * not taken another since. */
void weir__recycler_return(struct weir__recycler_block *block);

/* Put a slot of this block back.  Thread: the sole consumer. */
void weir__recycler_put(struct weir__recycler_block *block);

/* Put the slots of a tally back.  Thread: the tally's. */
void weir__recycler_settle(struct weir__recycler_tally *tally);

/* Count a slot of this block as read.  Thread: the tally's. */
static inline void weir__recycler_count(struct weir__recycler_block *block,
                                        struct weir__recycler_tally *tally)
{
    if (tally->block != block) {
        weir__recycler_settle(tally);
        tally->block = block;
        tally->count = 0;
    }
    tally->count++;
}

/* Free the spare blocks that a burst has left.  Thread: a consumer, before it
 * sleeps. */
void weir__recycler_trim(struct weir__recycler *recycler);

/* ---- one cache, for a producer that is not always the same thread ---- */

void weir__recycler_cache_init(struct weir__recycler_cache *cache);
void weir__recycler_cache_fini(struct weir__recycler_cache *cache);

/* Take a slot.  The slow variant continues with another block.  Return NULL if
 * there is no memory. */
void *weir__recycler_cache_take_slowly(struct weir__recycler_cache *cache,
                                       const struct weir__recycler_kind *kind);

static inline void *
weir__recycler_cache_take(struct weir__recycler_cache *cache,
                          const struct weir__recycler_kind *kind)
{
    char *slot = cache->next;

    if (__builtin_expect(slot == cache->end, 0))
        return weir__recycler_cache_take_slowly(cache, kind);
    cache->next = slot + kind->size;
    return slot;
}

/* Take a slot that belongs to no cache: it is freed when it is put back. */
void *weir__recycler_take_single(const struct weir__recycler_kind *kind);

#endif /* WEIR_SRC_RECYCLER_H */
