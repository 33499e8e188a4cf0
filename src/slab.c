/* SPDX-License-Identifier: MIT */
/*
 * slab -- numbered slots that never move.
 *
 * Shape     Block k holds FIRST << k slots, and begins with the index
 *           FIRST * (2^k - 1).  So index + FIRST has its highest bit at k, and
 *           below it the place in the block.  Indices below `limit` were taken
 *           at least once; those put back are a list through their slots.
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
 *   slots   the first 8 bytes are an atomic word, if other threads look;
 *           the link after them is the owner's
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

enum { LINK = 8 }; /* where in a slot that was put back */

static size_t block_size(const struct weir__slab *slab, unsigned block)
{
    return ((size_t)WEIR__SLAB_FIRST << block) * slab->slot_size;
}

void weir__slab_init(struct weir__slab *slab, uint32_t slot_size)
{
    DEBUG_CHECK(slot_size % 8 == 0 && slot_size >= 16,
                "a slot is a multiple of 8 bytes, and not below 16");
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

/* The block that begins with the slot of this index. */
static int add_block(struct weir__slab *slab, uint32_t index)
{
    unsigned number = (unsigned)__builtin_ctz(index + WEIR__SLAB_FIRST) -
                      WEIR__SLAB_FIRST_BITS;
    char *block;

    if (number == WEIR__SLAB_BLOCKS)
        return -ENOSPC;
    block = weir__memory_alloc(block_size(slab, number), CACHE_LINE);
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

int weir__slab_take(struct weir__slab *slab, uint32_t *index)
{
    const char *slot;

    if (slab->free_head == WEIR__SLAB_NONE)
        return take_fresh(slab, index);
    *index = slab->free_head;
    slot = weir__slab_slot(slab, *index);
    memcpy(&slab->free_head, slot + LINK, sizeof(slab->free_head));
    return 0;
}

void weir__slab_put(struct weir__slab *slab, uint32_t index)
{
    char *slot = weir__slab_slot(slab, index);

    DEBUG_CHECK(weir__slab_at(slab, index) == slot,
                "weir__slab_put of an index that was never taken");
    memcpy(slot + LINK, &slab->free_head, sizeof(slab->free_head));
    slab->free_head = index;
}
