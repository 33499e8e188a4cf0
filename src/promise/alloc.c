/* SPDX-License-Identifier: MIT */
/*
 * alloc -- the allocator of promises.
 *
 * The loop's thread allocates promises from blocks, each with its own free
 * list.  The blocks form a ring, those with free slots first: a block that
 * becomes full moves to the end, and one that is no longer full moves to the
 * front.  A few empty blocks are kept, so that in steady state nothing is
 * allocated; the memory of a burst beyond that is freed.  The last few promises
 * released are cached outside the free lists of their blocks.  Reusing one
 * costs a few instructions, and its memory is still in the CPU cache.
 *
 * Other threads allocate each promise separately (a "single"); the loop learns
 * of it from its message.
 *
 * All of this belongs to the loop's thread, and after TERMINATED to the thread
 * that holds the loop's lock.
 *
 * Tested by  test/unit/promise/promise_memory.c
 */
#include <stddef.h>

#include "base/memory.h"
#include "promise/promise.h"

#ifdef WEIR_SMALL
enum { SLOTS = 2, KEPT = 1, SPARES = 1 };
#else
enum { SLOTS = 127, KEPT = 16, SPARES = 8 }; /* a block is four pages */
#endif

struct weir__promise_block {
    struct weir__promise_block *prev, *next; /* the ring */
    weir_promise *free;                      /* free list, through `next` */
    uint32_t used;
    weir_promise slot[SLOTS];
};

struct weir__promise_single {
    struct weir__promise_single *prev, *next; /* once the loop knows it */
    weir_promise promise;
};

/* ---- blocks ---- */

static struct weir__promise_block *block_of(weir_promise *promise)
{
    return (struct weir__promise_block *)((char *)(promise - promise->slot) -
                                          offsetof(struct weir__promise_block,
                                                   slot));
}

static void link_last(struct weir__promises *all,
                      struct weir__promise_block *block)
{
    struct weir__promise_block *first = all->blocks;

    if (first == NULL) {
        all->blocks = block->prev = block->next = block;
        return;
    }
    block->next = first;
    block->prev = first->prev;
    first->prev->next = block;
    first->prev = block;
}

static void unlink(struct weir__promises *all,
                   struct weir__promise_block *block)
{
    block->prev->next = block->next;
    block->next->prev = block->prev;
    if (all->blocks == block)
        all->blocks = block->next == block ? NULL : block->next;
}

static void link_first(struct weir__promises *all,
                       struct weir__promise_block *block)
{
    link_last(all, block);
    all->blocks = block;
}

__attribute__((cold)) static struct weir__promise_block *
add_block(weir_loop *loop)
{
    struct weir__promise_block *block = weir__memory_alloc(
        sizeof(*block), _Alignof(struct weir__promise_block));

    if (block == NULL)
        return NULL;
    block->used = 0;
    block->free = NULL;
    for (int i = SLOTS - 1; i >= 0; i--) {
        weir_promise *promise = &block->slot[i];

        promise->slot = (uint16_t)i;
        promise->next = block->free;
        promise->loop = loop;
        set_unshared(&promise->word, WEIR__UNUSED);
        block->free = promise;
    }
    loop->promises.hooks = &weir__promise_hooks;
    loop->promises.empty_blocks++;
    link_first(&loop->promises, block);
    return block;
}

__attribute__((cold)) static void
release_block(struct weir__promises *all, struct weir__promise_block *block)
{
    unlink(all, block);
    all->empty_blocks--;
    weir__memory_free(block, sizeof(*block));
}

void weir__promise_alloc_fini(weir_loop *loop)
{
    while (loop->promises.blocks != NULL)
        release_block(&loop->promises, loop->promises.blocks);
}

/* ---- promises ---- */

static weir_promise *take_from_block(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;
    struct weir__promise_block *block = all->blocks;
    weir_promise *promise;

    if (block == NULL || block->free == NULL) {
        block = add_block(loop);
        if (block == NULL)
            return NULL;
    }
    promise = block->free;
    block->free = promise->next;
    if (block->used++ == 0)
        all->empty_blocks--;
    if (block->free == NULL)
        all->blocks = block->next; /* full: it is now the last */
    return promise;
}

weir_promise *weir__promise_take_slowly(weir_loop *loop, uint32_t verdict)
{
    weir_promise *promise = take_from_block(loop);

    if (promise == NULL)
        return NULL;
    loop->promises.live++;
    loop->promises.unsettled++;
    weir__promise_begin(promise, verdict, 0);
    return promise;
}

weir_promise *weir__promise_take_single(weir_loop *loop, uint32_t verdict)
{
    struct weir__promise_single *single = weir__memory_alloc(
        sizeof(*single), _Alignof(struct weir__promise_single));

    if (single == NULL)
        return NULL;
    single->promise.loop = loop;
    single->promise.slot = 0;
    weir__promise_begin(&single->promise, verdict, WEIR__SINGLE);
    return &single->promise;
}

static struct weir__promise_single *single_of(weir_promise *promise)
{
    return (struct weir__promise_single *)((char *)promise -
                                           offsetof(struct weir__promise_single,
                                                    promise));
}

void weir__promise_discard(weir_promise *promise)
{
    weir__memory_free(single_of(promise), sizeof(struct weir__promise_single));
}

void weir__promise_enlist(weir_promise *promise)
{
    struct weir__promises *all = weir__promises_of(promise);
    struct weir__promise_single *single = single_of(promise);

    single->prev = NULL;
    single->next = all->singles;
    if (all->singles != NULL)
        all->singles->prev = single;
    all->singles = single;
    all->hooks = &weir__promise_hooks;
    all->live++;
    all->unsettled++;
}

static void put_single(struct weir__promises *all, weir_promise *promise)
{
    struct weir__promise_single *single = single_of(promise);

    if (single->prev != NULL)
        single->prev->next = single->next;
    else
        all->singles = single->next;
    if (single->next != NULL)
        single->next->prev = single->prev;
    weir__promise_discard(promise);
}

static void put_in_block(struct weir__promises *all, weir_promise *promise)
{
    struct weir__promise_block *block = block_of(promise);

    set_unshared(&promise->word, WEIR__UNUSED);
    if (block->free == NULL && all->blocks != block && !all->is_visiting) {
        unlink(all, block);
        link_first(all, block);
    }
    promise->next = block->free;
    block->free = promise;
    if (--block->used == 0 && all->empty_blocks++ >= KEPT)
        release_block(all, block);
}

/* Put a promise into the cache. */
static inline void put_aside(struct weir__promises *all, weir_promise *promise)
{
    set_unshared(&promise->word, WEIR__UNUSED);
    promise->next = all->spare;
    all->spare = promise;
    all->spares++;
}

bool weir__promise_put(weir_promise *promise)
{
    struct weir__promises *all = weir__promises_of(promise);

    if (promise->flags & WEIR__SINGLE)
        put_single(all, promise);
    else if (all->spares == SPARES)
        put_in_block(all, promise);
    else
        put_aside(all, promise);
    return --all->live == 0 && plain_load(&all->is_over);
}

/* ---- the last reference ---- */

/* Release what the promise holds.  This calls user code: not under a lock. */
static void clean(weir_promise *promise)
{
    const weir_value *value = weir__promise_value(promise);

    if (promise->from != NULL)
        weir_promise_unref(promise->from);
    else
        weir__value_free(value);
}

/* Reject a promise that others wait for but nothing can settle any more. */
__attribute__((cold)) static void abandon(weir_promise *promise)
{
    static const weir_value abandoned = {NULL, NULL, WEIR_EABANDONED};

    weir__promise_hold(promise);
    (void)weir__promise_finish(promise, weir__promise_verdict(promise),
                               WEIR__REJECTED, &abandoned);
    weir__promise_drop(promise);
}

__attribute__((noinline)) static void drop_last(weir_promise *promise)
{
    if (!weir__promise_is_unreferenced(promise) ||
        (promise->id != 0 && !weir__promise_ids_forget(promise)))
        return;
    if (weir__promise_is_settled(promise)) {
        clean(promise);
    } else if (promise->last != NULL) {
        abandon(promise);
        return;
    } else {
        weir__promises_of(promise)->unsettled--;
    }
    (void)weir__promise_put(promise);
}

/* Whether an unreferenced promise holds nothing that must be released. */
static inline bool is_bare(const weir_promise *promise)
{
    /* relaxed: own, no other thread has it */
    uint32_t word = load_relaxed(&promise->word);

    if (word == WEIR__FULFILLED || word == WEIR__REJECTED)
        return promise->from == NULL && promise->value.free == NULL;
    return word <= WEIR__BOUND && promise->last == NULL;
}

/* Release an unreferenced promise.  The common case needs no further call. */
void weir__promise_drop_last(weir_promise *promise)
{
    struct weir__promises *all = weir__promises_of(promise);

    /* relaxed: own; an unref elsewhere sets POSTED, so it never leaves zero */
    if (load_relaxed(&promise->away) != 0 || promise->refs != 0 ||
        promise->id != 0 || promise->flags & WEIR__SINGLE ||
        !is_bare(promise)) {
        drop_last(promise);
        return;
    }
    /* relaxed: own, no other thread has it */
    if (load_relaxed(&promise->word) <= WEIR__BOUND)
        all->unsettled--;
    all->live--;
    if (all->spares == SPARES)
        put_in_block(all, promise);
    else
        put_aside(all, promise);
}

void weir__promise_receive_after_end(weir_promise *promise)
{
    weir_loop *loop = promise->loop;
    bool is_dead, is_last;

    if (weir__loop_is_foreign(loop))
        return; /* it may be pending, and the lists half changed */
    weir__ingress_see_end(&loop->in);
    weir__lock_lock(&loop->lock);
    weir__promise_collect(promise);
    is_dead = promise->refs == 0 &&
              (promise->id == 0 || weir__promise_ids_forget(promise));
    weir__lock_unlock(&loop->lock);
    if (!is_dead)
        return;
    clean(promise);
    weir__lock_lock(&loop->lock);
    is_last = weir__promise_put(promise);
    weir__lock_unlock(&loop->lock);
    if (is_last)
        weir__loop_exit(loop);
}

/* ---- iterate over all promises ---- */

/* Visit the promises of other threads.  A visit may release any of them, so the
 * next one is held before the current one is released. */
static void each_single(struct weir__promises *all,
                        void (*visit)(weir_promise *promise))
{
    struct weir__promise_single *single = all->singles;

    if (single != NULL)
        weir__promise_hold(&single->promise);
    while (single != NULL) {
        struct weir__promise_single *next;

        visit(&single->promise);
        next = single->next;
        if (next != NULL)
            weir__promise_hold(&next->promise);
        weir__promise_drop(&single->promise);
        single = next;
    }
}

/* Visit a block.  It counts one more promise meanwhile, so it is not freed. */
static void each_in_block(struct weir__promises *all,
                          struct weir__promise_block *block,
                          void (*visit)(weir_promise *promise))
{
    if (block->used++ == 0)
        all->empty_blocks--;
    for (int i = 0; i < SLOTS; i++)
        if (weir__promise_verdict(&block->slot[i]) != WEIR__UNUSED)
            visit(&block->slot[i]);
    if (--block->used == 0)
        all->empty_blocks++;
}

/* Visit all blocks.  Other blocks may be freed meanwhile, but none is moved. */
static void each_block(struct weir__promises *all,
                       void (*visit)(weir_promise *promise))
{
    struct weir__promise_block *block = all->blocks;
    bool is_last;

    all->is_visiting = true;
    do {
        struct weir__promise_block *next;

        each_in_block(all, block, visit);
        next = block->next;
        is_last = next == all->blocks;
        if (block->used == 0 && all->empty_blocks > KEPT)
            release_block(all, block);
        block = next;
    } while (!is_last);
    all->is_visiting = false;
}

/* Move the blocks that have free slots now to the front. */
static void put_in_order(struct weir__promises *all)
{
    struct weir__promise_block *block, *last = all->blocks->prev;

    for (struct weir__promise_block *next = all->blocks; next != NULL;) {
        block = next;
        next = block == last ? NULL : block->next;
        if (block->free != NULL && block != all->blocks) {
            unlink(all, block);
            link_first(all, block);
        }
    }
}

void weir__promise_each(weir_loop *loop, void (*visit)(weir_promise *promise))
{
    struct weir__promises *all = &loop->promises;

    each_single(all, visit);
    if (all->blocks != NULL) {
        each_block(all, visit);
        put_in_order(all);
    }
}
