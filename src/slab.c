/* SPDX-License-Identifier: MIT */
/*
 * slab -- numbered slots that never move.
 *
 * Shape     Block k holds FIRST << k slots, and begins with the index
 *           FIRST * (2^k - 1).  So index + FIRST has its highest bit at k, and
 *           below it the place in the block.  Indices below `limit` were taken
 *           at least once.  Those put back are written into pages, each of
 *           them a slot that was put back itself: so it is known long before
 *           they are taken which ones come next, and they can be fetched.
 * Roles     take, put   the owner
 *           at          any thread
 * Progress  All are wait-free but for the allocator; take asks it for a block
 *           24 times at the most.  A slot is cleared when it is first taken,
 *           not with its block: a growing slab never stops to clear megabytes,
 *           and memory that is not used is not touched.
 *
 * Shared state
 *   limit   the owner writes, any thread reads                            P1
 *   block   the owner writes each one once, any thread reads              P1
 *   slots   the first 16 bytes are atomic words, if other threads look; what
 *           follows is the owner's, once it was put back
 *
 * Pairs
 *   P1  take: store of limit, release  -->  at: load, acquire
 *       Hands over the address of the block and a slot full of zeros.
 *
 * Not paired, on purpose
 *   block: it is written before the limit that lets an index into it, and
 *   never again.
 *
 * Why garbage is safe  Any number below `limit` is the index of a slot that
 *           exists; any other is refused before an address is made of it.
 * Reclaim   fini only.  The owner sees to it that nobody looks any more.
 *
 * Tested by  test/unit/slab.c
 */
#include "slab.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "memory.h"

#define HUGE_PAGE ((size_t)2 << 20)

/* What a slot that was put back is used for: to remember others. */
struct page {
    uint64_t kept[2]; /* the slot's own, which other threads may look at */
    uint32_t next;    /* page */
    uint32_t count;
    uint32_t slot[]; /* slots that were put back, as many as there is room */
};

static size_t block_size(const struct weir__slab *slab, unsigned block)
{
    return ((size_t)WEIR__SLAB_FIRST << block) * slab->slot_size;
}

void weir__slab_init(struct weir__slab *slab, uint32_t slot_size)
{
    DEBUG_CHECK(slot_size % 8 == 0 && slot_size >= sizeof(struct page),
                "a slot is a multiple of 8 bytes, and not below 24");
    slab->slot_size = slot_size;
    slab->free_head = WEIR__SLAB_NONE;
    set_unshared(&slab->limit, 0);
    for (unsigned i = 0; i < WEIR__SLAB_BLOCKS; i++)
        set_unshared(&slab->block[i], NULL);
}

void weir__slab_fini(struct weir__slab *slab)
{
    for (unsigned i = 0; i < WEIR__SLAB_BLOCKS; i++) {
        /* relaxed: unshared, nobody looks any more */
        weir__memory_free(load_relaxed(&slab->block[i]), block_size(slab, i));
    }
    weir__slab_init(slab, slab->slot_size);
}

/* A million slots are used in any order: on huge pages each look at one costs a
 * miss in the cache, but not another one in the table of pages. */
static char *allocate(size_t bytes)
{
    char *block =
        weir__memory_alloc(bytes, bytes < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE);

    if (block != NULL && bytes >= HUGE_PAGE)
        weir__memory_prefer_huge(block, bytes);
    return block;
}

/* The block that begins with the slot of this index. */
static int add_block(struct weir__slab *slab, uint32_t index)
{
    unsigned number = (unsigned)__builtin_ctz(index + WEIR__SLAB_FIRST) -
                      WEIR__SLAB_FIRST_BITS;
    char *block;

    if (number == WEIR__SLAB_BLOCKS)
        return -ENOSPC;
    block = allocate(block_size(slab, number));
    if (block == NULL)
        return -ENOMEM;
    /* relaxed: ordered by P1; no index leads here before the next limit */
    store_relaxed(&slab->block[number], block);
    return 0;
}

static int take_fresh(struct weir__slab *slab, uint32_t *index)
{
    /* relaxed: own, only this thread writes it */
    uint32_t fresh = load_relaxed(&slab->limit);
    uint32_t position = fresh + WEIR__SLAB_FIRST;
    int err;

    if ((position & (position - 1)) == 0 && (err = add_block(slab, fresh)) != 0)
        return err;
    memset(weir__slab_slot(slab, fresh), 0, slab->slot_size);
    /* slab/P1 release: publishes the address of the block and the zeros */
    store_release(&slab->limit, fresh + 1);
    *index = fresh;
    return 0;
}

static struct page *page_at(struct weir__slab *slab, uint32_t index)
{
    return weir__slab_slot(slab, index);
}

static uint32_t page_room(const struct weir__slab *slab)
{
    return (slab->slot_size - (uint32_t)sizeof(struct page)) / sizeof(uint32_t);
}

/* The page's slots will be taken soon, in any order that memory is in. */
static void fetch(struct weir__slab *slab, const struct page *page)
{
    for (uint32_t i = 0; i < page->count; i++)
        __builtin_prefetch(weir__slab_slot(slab, page->slot[i]), 1);
}

int weir__slab_take(struct weir__slab *slab, uint32_t *index)
{
    struct page *page;

    if (slab->free_head == WEIR__SLAB_NONE)
        return take_fresh(slab, index);
    page = page_at(slab, slab->free_head);
    if (page->count > 0) {
        *index = page->slot[--page->count];
        return 0;
    }
    *index = slab->free_head; /* an empty page is a slot like any other */
    slab->free_head = page->next;
    if (slab->free_head != WEIR__SLAB_NONE)
        fetch(slab, page_at(slab, slab->free_head));
    return 0;
}

void weir__slab_put(struct weir__slab *slab, uint32_t index)
{
    struct page *page;

    DEBUG_CHECK(weir__slab_at(slab, index) == weir__slab_slot(slab, index),
                "weir__slab_put of an index that was never taken");
    if (slab->free_head != WEIR__SLAB_NONE) {
        page = page_at(slab, slab->free_head);
        if (page->count < page_room(slab)) {
            page->slot[page->count++] = index;
            return;
        }
    }
    page = page_at(slab, index);
    page->next = slab->free_head;
    page->count = 0;
    slab->free_head = index;
}
