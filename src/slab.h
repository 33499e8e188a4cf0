/* SPDX-License-Identifier: MIT */
/*
 * slab -- numbered slots that never move.
 *
 * A slot has up to three parts.  The first parts of all slots lie side by side,
 * and so do the others: what is small and often looked at stays in a cache that
 * a million whole slots would not fit into.
 *
 * Slots come in blocks, each twice as large as the one before, so an index is
 * found with a count of leading zeros, and a growing slab copies nothing.  A
 * block may have an annex: memory for whatever else so many slots need.  The
 * owner takes slots and puts them back; any thread may look at a part by its
 * index, at any time, also at one that was put back: its memory stays, and is
 * not written to, until the slot is taken again or the slab ends.  What such a
 * look finds is for the slot's own words to say.
 */
#ifndef WEIR_SRC_SLAB_H
#define WEIR_SRC_SLAB_H

#include <stddef.h>
#include <stdint.h>

#include "atomic.h"

#ifdef WEIR_SMALL
enum { WEIR__SLAB_GROUP_BITS = 1 };
#else
enum { WEIR__SLAB_GROUP_BITS = 6 };
#endif
enum {
    WEIR__SLAB_GROUP = 1 << WEIR__SLAB_GROUP_BITS, /* slots; also in block 0 */
    WEIR__SLAB_BLOCKS = 24,
    WEIR__SLAB_PARTS = 3,
};
#define WEIR__SLAB_NONE UINT32_MAX

struct weir__slab_group; /* which slots of a group are free */

/* What a slot is made of, and a block besides. */
struct weir__slab_kind {
    /* Multiples of 4, those of later parts of 8; 0: no such part. */
    uint32_t size[WEIR__SLAB_PARTS];
    /* The bytes of a block's annex; NULL: there is none. */
    size_t (*annex)(unsigned block);
};

struct weir__slab {
    atomic(uint32_t) limit; /* slots there are; any thread, slab/P1 */
    uint32_t free_group;    /* owner: the first of those with free slots */
    const struct weir__slab_kind *kind;
    char *block[WEIR__SLAB_BLOCKS]; /* owner, as the next */
    struct weir__slab_group *group[WEIR__SLAB_BLOCKS];
    /* Where the parts of position 0 would be, in each block; any thread, P1 */
    atomic(uintptr_t) origin[WEIR__SLAB_PARTS][WEIR__SLAB_BLOCKS];
};

/* Slots of one group. */
struct weir__slab_stock {
    uint64_t slots; /* a bit for each */
    uint32_t first; /* the index of bit 0 */
};

/* The kind outlives the slab. */
void weir__slab_init(struct weir__slab *slab,
                     const struct weir__slab_kind *kind);

/* Gives all memory back.  No slot may be looked at any more. */
void weir__slab_fini(struct weir__slab *slab);

/*
 * Take a slot: one that was put back, just as it was, or a fresh one, which is
 * all zeros.
 *
 * Thread   the owner
 * Returns  0, -ENOMEM, -ENOSPC (WEIR__SLAB_BLOCKS blocks are taken: 2^30 - 64
 *          slots)
 */
int weir__slab_take(struct weir__slab *slab, uint32_t *index);

/* The same, and all that are free in its group at once: neighbours in memory,
 * as far as possible.  Each is put back on its own. */
int weir__slab_take_group(struct weir__slab *slab,
                          struct weir__slab_stock *stock);

/* Put it back.  Does not touch it.  Thread: the owner. */
void weir__slab_put(struct weir__slab *slab, uint32_t index);

/* Where a slot is: in which block, and which one of all. */
struct weir__slab_place {
    uint32_t block, position;
};

static inline struct weir__slab_place weir__slab_place_of(uint32_t index)
{
    uint32_t position = index + WEIR__SLAB_GROUP;
    uint32_t top = 31 ^ (uint32_t)__builtin_clz(position);

    return (struct weir__slab_place){top - WEIR__SLAB_GROUP_BITS, position};
}

/* A part of a slot that take() has returned, without a question asked; `size`
 * is the part's, once more, so that the compiler knows it.
 * Thread: the owner, or one that the owner told the index. */
static inline void *weir__slab_part(const struct weir__slab *slab,
                                    unsigned part, uint32_t index, size_t size)
{
    struct weir__slab_place place = weir__slab_place_of(index);
    /* relaxed: ordered by P1, or by what told this thread the index */
    uintptr_t origin = load_relaxed(&slab->origin[part][place.block]);

    return (void *)(origin + (size_t)place.position * size);
}

/* The first part, or NULL if there never was a slot with this index.
 * Thread: any. */
static inline void *weir__slab_at(const struct weir__slab *slab, uint32_t index,
                                  size_t size)
{
    /* slab/P1 acquire: receives the block's address and the slot's zeros */
    if (index >= load_acquire(&slab->limit))
        return NULL;
    return weir__slab_part(slab, 0, index, size);
}

/* The annex of a block, on a line of its own.  Nobody has touched it.
 * Thread: one that has seen a limit above the block's first index. */
void *weir__slab_annex(const struct weir__slab *slab, unsigned block);

#endif /* WEIR_SRC_SLAB_H */
