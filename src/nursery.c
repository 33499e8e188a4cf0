/* SPDX-License-Identifier: MIT */
/*
 * nursery -- where promises come from, and go to.
 *
 * The loop's thread takes them from blocks, each with a list of its own of what
 * is free in it.  The blocks are in a ring, those with room first: one that
 * becomes full goes to the end, one that is no longer full to the front.  A few
 * empty ones are kept, so that in steady state nothing is allocated; what a
 * burst has taken beyond that goes back.
 *
 * Another thread gets its promise from the allocator, one by one ("single"); the
 * loop hears of it by its letter.
 *
 * All of it belongs to the loop's thread; after TERMINATED to who has the
 * loop's lock.
 *
 * Tested by  test/unit/promise_memory.c
 */
#include <stddef.h>

#include "memory.h"
#include "promise.h"

#ifdef WEIR_SMALL
enum { SLOTS = 2, KEPT = 1 };
#else
enum { SLOTS = 127, KEPT = 16 }; /* a block is four pages */
#endif

struct weir__promise_block {
    struct weir__promise_block *prev, *next; /* the ring */
    weir_promise *free;                      /* through `next` */
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

void weir__nursery_fini(weir_loop *loop)
{
    while (loop->promises.blocks != NULL)
        release_block(&loop->promises, loop->promises.blocks);
}

/* ---- promises ---- */

/* `slot` and `loop` are there already, the union is for the caller; the value
 * counts once it is settled. */
static void begin(weir_promise *promise, uint32_t verdict, unsigned flags)
{
    set_unshared(&promise->word, verdict);
    set_unshared(&promise->away, 0);
    promise->job = WEIR__JOB_NONE;
    promise->flags = (uint8_t)flags;
    promise->refs = 1;
    promise->last = promise->from = NULL;
    promise->id = 0;
}

weir_promise *weir__promise_take(weir_loop *loop, uint32_t verdict)
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
        all->blocks = block->next; /* full: it is the last one now */
    all->live++;
    all->unsettled++;
    begin(promise, verdict, 0);
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
    begin(&single->promise, verdict, WEIR__SINGLE);
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
    if (block->free == NULL && all->blocks != block) {
        unlink(all, block);
        link_first(all, block);
    }
    promise->next = block->free;
    block->free = promise;
    if (--block->used == 0 && all->empty_blocks++ >= KEPT)
        release_block(all, block);
}

bool weir__promise_put(weir_promise *promise)
{
    struct weir__promises *all = weir__promises_of(promise);

    if (promise->flags & WEIR__SINGLE)
        put_single(all, promise);
    else
        put_in_block(all, promise);
    return --all->live == 0 && plain_load(&all->is_over);
}

void weir__promise_each(weir_loop *loop, void (*visit)(weir_promise *promise))
{
    struct weir__promise_block *block = loop->promises.blocks;

    for (struct weir__promise_single *single = loop->promises.singles;
         single != NULL; single = single->next)
        visit(&single->promise);
    if (block == NULL)
        return;
    do {
        for (int i = 0; i < SLOTS; i++)
            if (weir__promise_verdict(&block->slot[i]) != WEIR__UNUSED)
                visit(&block->slot[i]);
        block = block->next;
    } while (block != loop->promises.blocks);
}
