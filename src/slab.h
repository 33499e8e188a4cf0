/* SPDX-License-Identifier: MIT */
/*
 * slab -- numbered slots that never move.
 *
 * Slots come in blocks, each twice as large as the one before, so an index is
 * found with a count of leading zeros, and a growing slab copies nothing.  The
 * owner takes slots and puts them back; any thread may look at one by its
 * index, at any time, also at one that was put back: its memory stays until
 * fini.  What such a look finds is for the slot's own words to say.
 */
#ifndef WEIR_SRC_SLAB_H
#define WEIR_SRC_SLAB_H

#include <stddef.h>
#include <stdint.h>

#include "atomic.h"

#ifdef WEIR_SMALL
enum { WEIR__SLAB_FIRST_BITS = 1 };
#else
enum { WEIR__SLAB_FIRST_BITS = 6 };
#endif
enum {
    WEIR__SLAB_FIRST = 1 << WEIR__SLAB_FIRST_BITS, /* slots in block 0 */
    WEIR__SLAB_BLOCKS = 24,
};
#define WEIR__SLAB_NONE UINT32_MAX

struct weir__slab {
    atomic(uint32_t) limit; /* slots ever taken; any thread, slab/P1 */
    uint32_t slot_size;     /* const after init */
    uint32_t free_head;     /* owner: the first page of those put back */
    atomic(char *) block[WEIR__SLAB_BLOCKS]; /* any thread, slab/P1 */
};

/* slot_size is a multiple of 8, and 24 at the least.  Slots of 64 bytes are
 * one cache line each. */
void weir__slab_init(struct weir__slab *slab, uint32_t slot_size);

/* Gives all memory back.  No slot may be looked at any more. */
void weir__slab_fini(struct weir__slab *slab);

/*
 * Take a slot: one that was put back, or a fresh one, which is all zeros.
 *
 * Thread   the owner
 * Returns  0, -ENOMEM, -ENOSPC (WEIR__SLAB_BLOCKS blocks are taken: 2^30 - 64
 *          slots)
 */
int weir__slab_take(struct weir__slab *slab, uint32_t *index);

/* Put it back.  Its first 16 bytes stay as they are: what other threads may look
 * at, its generation among it.  The others are the slab's.  Thread: the owner. */
void weir__slab_put(struct weir__slab *slab, uint32_t index);

/* The slot of an index that take() has returned, without a question asked.
 * Thread: the owner, or one that the owner told the index. */
static inline void *weir__slab_slot(const struct weir__slab *slab,
                                    uint32_t index)
{
    uint32_t position = index + WEIR__SLAB_FIRST;
    unsigned top = 31 - (unsigned)__builtin_clz(position);
    /* relaxed: ordered by P1, or by what told this thread the index */
    char *block = load_relaxed(&slab->block[top - WEIR__SLAB_FIRST_BITS]);

    return block + (size_t)(position ^ 1u << top) * slab->slot_size;
}

/* The slot, or NULL if there never was one with this index.  Thread: any. */
static inline void *weir__slab_at(const struct weir__slab *slab, uint32_t index)
{
    /* slab/P1 acquire: receives the block's address and the slot's zeros */
    if (index >= load_acquire(&slab->limit))
        return NULL;
    return weir__slab_slot(slab, index);
}

#endif /* WEIR_SRC_SLAB_H */
