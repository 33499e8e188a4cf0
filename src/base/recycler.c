/* SPDX-License-Identifier: MIT */
/*
 * recycler -- slots handed out one by one and recycled by the block.
 *
 * Shape     Each producer has a cache, with one current block that it hands out
 *           from front to back.  So memory is accessed sequentially, and the
 *           prefetcher works although the consumers follow a list.  A block
 *           counts the slots that have not been put back.  The consumer that
 *           takes the count to zero returns the block to its cache.
 *
 *              producer                            consumers
 *              current: [used|used|next|    ]      left: 2
 *                 ^--- one, when it is full ------- spare <- push
 *
 * Roles     take, return         the cache's thread
 *           put, count, settle   the consumers
 *           trim                 a consumer
 * Progress  All are wait-free except for the allocator, and except while the
 *           other side changes the list of spares.
 * Memory    The number of slots in use is not bounded, because a producer does
 *           not block.  If there is no spare block, the next one is twice as
 *           large as the last: there is a backlog, and the allocator dominates
 *           its cost.  A cache keeps up to `most` spare slots, since freeing
 *           and allocating them again would cost page faults each time.  A
 *           block beyond that is freed as soon as it is back.  Trim frees the
 *           spares of caches with more than `kept`.
 *
 * Shared state
 *   cache[]         its thread only.  A thread's index passes to another thread
 *                   under a mutex (thread.c), and the cache with it
 *   cache.next, .end, .current, .next_size   the cache's thread, plain
 *   block.left      consumers, atomic; a sole consumer's own             P1
 *   cache.spare     any, atomic                                       P2 P3
 *   block.next      the thread that has the block                     P2 P3
 *   cache.spares    any, relaxed: a count
 *   all, cache.other   a producer pushes its cache; trim reads           P4
 *
 * Pairs
 *   P1  settle: fetch_sub, release  -->  the settle that reaches zero, acquire
 *       All other consumers have read their slots of the block.
 *   P2  give_back: CAS on spare, release  -->  take_spare, trim: exchange on
 *       spare, acquire
 *       Hands back a block that all consumers have read.
 *   P3  take_spare: CAS on spare, release  -->  trim: exchange on spare,
 *       acquire
 *       Hands back the blocks that the producer had taken.
 *   P4  list: CAS on all, release  -->  trim: load, acquire
 *       Hands over a new cache.
 *
 * Not paired, on purpose
 *   put: left, relaxed.  A sole consumer counts alone, and receives the block
 *   with the first of its slots.
 *
 * Why no ABA        give_back and take_spare push without reading below the
 *                   head that they compare; a thread that wants to read takes
 *                   all.
 *
 * Tested by  test/unit/base/recycler.c, test/model/base/recycler.c,
 *            test/model/loop/envelope.c,
 *            test/stress/loop/ingress.c, test/stress/pool/pool.c
 */
#include "base/recycler.h"

#include <stdbool.h>

#include "base/memory.h"
#include "base/thread.h"

#ifdef WEIR_SMALL
enum { SMALLEST = 2, LARGEST = 4 };
#else
enum { SMALLEST = 64, LARGEST = 1024 };
#endif

struct weir__recycler_block {
    struct weir__recycler_cache *cache; /* const; NULL: a single slot */
    struct weir__recycler_block *next;
    const struct weir__recycler_kind *kind; /* const */
    uint32_t slots;                         /* const: how many */
    atomic(uint32_t) left;                  /* consumers, recycler/P1 */
    char slot[];                            /* multiples of 8 bytes */
};

static size_t bytes_of(const struct weir__recycler_kind *kind, uint32_t slots)
{
    return sizeof(struct weir__recycler_block) + (size_t)slots * kind->size;
}

static struct weir__recycler_block *
new_block(struct weir__recycler_cache *cache,
          const struct weir__recycler_kind *kind, uint32_t slots)
{
    struct weir__recycler_block *block = weir__memory_alloc(
        bytes_of(kind, slots),
        cache == NULL ? _Alignof(struct weir__recycler_block) : CACHE_LINE);

    if (block == NULL)
        return NULL;
    block->cache = cache;
    block->kind = kind;
    block->slots = slots;
    set_unshared(&block->left, slots);
    for (uint32_t i = 0; i < slots; i++) {
        void *pointer = &block->slot[i * kind->size + kind->block_at];

        *(struct weir__recycler_block **)pointer = block;
    }
    return block;
}

static void free_block(struct weir__recycler_block *block)
{
    weir__memory_free(block, bytes_of(block->kind, block->slots));
}

/* Returns the number of slots freed. */
static uint32_t free_blocks(struct weir__recycler_block *block)
{
    uint32_t slots = 0;

    while (block != NULL) {
        struct weir__recycler_block *next = plain_load(&block->next);

        slots += block->slots;
        free_block(block);
        block = next;
    }
    return slots;
}

/* ---- producers ---- */

/* The last block of a list.  It is short: blocks that have just come back. */
static struct weir__recycler_block *last_of(struct weir__recycler_block *block)
{
    while (plain_load(&block->next) != NULL)
        block = plain_load(&block->next);
    return block;
}

/* Take one spare block.  The others stay, where trim can free them.  Reading
 * the first one's link requires taking all; the rest are then put back below
 * any blocks that arrived meanwhile. */
static struct weir__recycler_block *
take_spare(struct weir__recycler_cache *cache)
{
    /* recycler/P2 acquire: receives blocks that all consumers have read */
    struct weir__recycler_block *first = swap_acquire(&cache->spare, NULL);
    struct weir__recycler_block *rest;
    struct weir__recycler_block *seen = NULL;

    if (first == NULL)
        return NULL;
    fetch_sub_relaxed(&cache->spares, first->slots); /* relaxed: count */
    rest = plain_load(&first->next);
    /* recycler/P3 release: we have read their links */
    while (rest != NULL && !cas_release(&cache->spare, &seen, rest)) {
        /* recycler/P2 acquire: receives blocks that arrived meanwhile */
        struct weir__recycler_block *newer = swap_acquire(&cache->spare, NULL);

        if (newer != NULL) {
            plain_store(&last_of(newer)->next, rest);
            rest = newer;
        }
        seen = NULL;
    }
    return first;
}

static struct weir__recycler_block *
new_larger_block(struct weir__recycler_cache *cache,
                 const struct weir__recycler_kind *kind)
{
    struct weir__recycler_block *block =
        new_block(cache, kind, cache->next_size);

    if (block != NULL && cache->next_size < LARGEST)
        cache->next_size *= 2;
    return block;
}

__attribute__((cold, noinline)) void *
weir__recycler_cache_take_slowly(struct weir__recycler_cache *cache,
                                 const struct weir__recycler_kind *kind)
{
    struct weir__recycler_block *block = take_spare(cache);

    if (block != NULL)
        cache->next_size = SMALLEST;
    else
        block = new_larger_block(cache, kind);
    if (block == NULL)
        return NULL;
    cache->current = block;
    cache->next = block->slot + kind->size;
    cache->end = block->slot + (size_t)block->slots * kind->size;
    return block->slot;
}

void *weir__recycler_take_single(const struct weir__recycler_kind *kind)
{
    struct weir__recycler_block *block = new_block(NULL, kind, 1);

    return block == NULL ? NULL : block->slot;
}

/* Make a cache visible to trim. */
static void list(struct weir__recycler *recycler,
                 struct weir__recycler_cache *cache)
{
    /* relaxed: a guess, checked by the CAS */
    cache->other = load_relaxed(&recycler->all);
    /* recycler/P4 release: publishes the cache */
    while (!cas_weak_release(&recycler->all, &cache->other, cache))
        ;
}

static void *take_first(struct weir__recycler *recycler, uint32_t thread)
{
    struct weir__recycler_cache *cache =
        weir__memory_alloc(sizeof(*cache), CACHE_APART);
    void *slot;

    if (cache == NULL)
        return NULL;
    weir__recycler_cache_init(cache);
    slot = weir__recycler_cache_take_slowly(cache, recycler->kind);
    if (slot == NULL) {
        weir__memory_free(cache, sizeof(*cache));
        return NULL;
    }
    list(recycler, cache);
    recycler->cache[thread] = cache;
    return slot;
}

__attribute__((cold, noinline)) static void *
take_slowly(struct weir__recycler *recycler, uint32_t thread)
{
    if (thread >= WEIR__RECYCLER_CACHES)
        return weir__recycler_take_single(recycler->kind);
    if (recycler->cache[thread] == NULL)
        return take_first(recycler, thread);
    return weir__recycler_cache_take_slowly(recycler->cache[thread],
                                            recycler->kind);
}

void *weir__recycler_take(struct weir__recycler *recycler)
{
    uint32_t thread = weir__thread_index();
    struct weir__recycler_cache *cache =
        thread < WEIR__RECYCLER_CACHES ? recycler->cache[thread] : NULL;
    char *slot;

    if (cache == NULL || cache->next == cache->end)
        return take_slowly(recycler, thread);
    slot = cache->next;
    cache->next = slot + recycler->kind->size;
    return slot;
}

void weir__recycler_return(struct weir__recycler_block *block)
{
    if (block->cache != NULL)
        block->cache->next -= block->kind->size;
    else
        free_block(block);
}

/* ---- consumers ---- */

/* Return a block whose slots have all been read. */
static void give_back(struct weir__recycler_block *block)
{
    struct weir__recycler_cache *cache = block->cache;
    struct weir__recycler_block *seen;

    /* relaxed: count */
    if (cache == NULL || load_relaxed(&cache->spares) >= block->kind->most) {
        free_block(block);
        return;
    }
    set_unshared(&block->left, block->slots);
    fetch_add_relaxed(&cache->spares, block->slots); /* relaxed: count */
    /* relaxed: a guess, checked by the CAS */
    seen = load_relaxed(&cache->spare);
    do
        plain_store(&block->next, seen);
    /* recycler/P2 release: all consumers have read it */
    while (!cas_weak_release(&cache->spare, &seen, block));
}

void weir__recycler_put(struct weir__recycler_block *block)
{
    /* relaxed: own; the sole consumer counts alone */
    uint32_t left = load_relaxed(&block->left) - 1;

    store_relaxed(&block->left, left); /* relaxed: the same */
    if (left == 0)
        give_back(block);
}

void weir__recycler_settle(struct weir__recycler_tally *tally)
{
    struct weir__recycler_block *block = tally->block;

    if (block == NULL)
        return;
    tally->block = NULL;
    /* recycler/P1 release: our slots were read
     * recycler/P1 acquire: so were those of the others, if this is the last */
    if (fetch_sub_acq_rel(&block->left, tally->count) == tally->count)
        give_back(block);
}

void weir__recycler_trim(struct weir__recycler *recycler)
{
    /* recycler/P4 acquire: receives the caches */
    struct weir__recycler_cache *cache = load_acquire(&recycler->all);

    for (; cache != NULL; cache = cache->other) {
        uint32_t freed;

        /* relaxed: count */
        if (load_relaxed(&cache->spares) <= recycler->kind->kept)
            continue;
        /* recycler/P2 acquire: receives blocks that all consumers have read
         * recycler/P3 acquire: receives those that the producer put back */
        freed = free_blocks(swap_acquire(&cache->spare, NULL));
        fetch_sub_relaxed(&cache->spares, freed); /* relaxed: count */
    }
}

/* ---- init and fini ---- */

void weir__recycler_cache_init(struct weir__recycler_cache *cache)
{
    cache->next = cache->end = NULL;
    cache->current = NULL;
    cache->next_size = SMALLEST;
    set_unshared(&cache->spare, NULL);
    set_unshared(&cache->spares, 0);
}

void weir__recycler_cache_fini(struct weir__recycler_cache *cache)
{
    if (cache->next != cache->end) /* otherwise it has been given back */
        free_block(cache->current);
    /* relaxed: unshared, no thread uses it any more */
    (void)free_blocks(load_relaxed(&cache->spare));
}

void weir__recycler_init(struct weir__recycler *recycler,
                         const struct weir__recycler_kind *kind)
{
    recycler->kind = kind;
    for (uint32_t i = 0; i < WEIR__RECYCLER_CACHES; i++)
        recycler->cache[i] = NULL;
    set_unshared(&recycler->all, NULL);
}

void weir__recycler_fini(struct weir__recycler *recycler)
{
    /* relaxed: unshared, no thread uses it any more */
    struct weir__recycler_cache *cache = load_relaxed(&recycler->all);

    while (cache != NULL) {
        struct weir__recycler_cache *other = cache->other;

        weir__recycler_cache_fini(cache);
        weir__memory_free(cache, sizeof(*cache));
        cache = other;
    }
}
