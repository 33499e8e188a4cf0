/* SPDX-License-Identifier: MIT */
/*
 * slab -- an allocator of numbered slots that never move.
 *
 * A slot has up to three parts.  The first parts of all slots are contiguous,
 * and so are the second and the third: small, frequently read fields stay in a
 * cache that a million whole slots would not fit into.
 *
 * Slots are allocated in blocks, each twice as large as the one before.  The
 * block of an index is found by counting leading zeros, and a growing slab
 * copies nothing.  A block may have an annex: memory for whatever else its
 * slots need.
 *
 * The owner takes slots and puts them back.  Any thread may read a part by its
 * index at any time, even after the slot was put back: the memory stays, and
 * the slab does not write to it, until the slot is taken again or the slab is
 * destroyed.  The slot's own words must tell the reader whether what it found
 * is still valid.
 */
#ifndef WEIR_SRC_SLAB_H
#define WEIR_SRC_SLAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

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

/* The layout of a slot, and of a block's annex. */
struct weir__slab_kind {
    /* Multiples of 4 for the first part, of 8 for the others; 0: no such
     * part. */
    uint32_t size[WEIR__SLAB_PARTS];
    /* The size of a block's annex in bytes; NULL: no annex. */
    size_t (*annex)(unsigned block);
};

struct weir__slab {
    atomic(uint32_t) limit; /* slots that exist; any thread, slab/P1 */
    uint32_t free_group;    /* owner: first group with free slots */
    const struct weir__slab_kind *kind;
    char *block[WEIR__SLAB_BLOCKS]; /* owner only, like the next */
    struct weir__slab_group *group[WEIR__SLAB_BLOCKS];
    /* Where the parts of position 0 would be, for each block; any thread, P1 */
    atomic(uintptr_t) origin[WEIR__SLAB_PARTS][WEIR__SLAB_BLOCKS];
};

/* A set of slots of one group. */
struct weir__slab_stock {
    uint64_t slots; /* one bit per slot */
    uint32_t first; /* the index of bit 0 */
};

/* Initialise an empty slab.  The kind must outlive it. */
void weir__slab_init(struct weir__slab *slab,
                     const struct weir__slab_kind *kind);

/* Free all memory.  No thread may access a slot any more. */
void weir__slab_fini(struct weir__slab *slab);

/*
 * Take a slot.  One that was put back has its old contents; a fresh one is all
 * zeros.
 *
 * Thread   the owner
 * Returns  0, -ENOMEM, -ENOSPC (all WEIR__SLAB_BLOCKS blocks are in use, which
 *          is 2^30 - 64 slots)
 */
int weir__slab_take(struct weir__slab *slab, uint32_t *index);

/* Take all free slots of one group at once: neighbours in memory, as far as
 * possible.  Each is put back individually.  Returns as weir__slab_take(). */
int weir__slab_take_group(struct weir__slab *slab,
                          struct weir__slab_stock *stock);

/* Put a slot back without accessing it.  Thread: the owner. */
void weir__slab_put(struct weir__slab *slab, uint32_t index);

/* Where a slot is: its block, and its position among all slots. */
struct weir__slab_place {
    uint32_t block, position;
};

static inline struct weir__slab_place weir__slab_place_of(uint32_t index)
{
    uint32_t position = index + WEIR__SLAB_GROUP;
    uint32_t top = 31 ^ (uint32_t)__builtin_clz(position);

    return (struct weir__slab_place){top - WEIR__SLAB_GROUP_BITS, position};
}

/* Return a part of a slot that take() has returned, without checking the index.
 * `size` repeats the part's size as a compile-time constant.  Thread: the
 * owner, or one that the owner gave the index to. */
static inline void *weir__slab_part(const struct weir__slab *slab,
                                    unsigned part, uint32_t index, size_t size)
{
    struct weir__slab_place place = weir__slab_place_of(index);
    /* relaxed: ordered by P1, or by what told this thread the index */
    uintptr_t origin = load_relaxed(&slab->origin[part][place.block]);

    return (void *)(origin + (size_t)place.position * size);
}

/* Return the first part of a slot, or NULL if no slot with this index has ever
 * existed.  Thread: any. */
static inline void *weir__slab_at(const struct weir__slab *slab, uint32_t index,
                                  size_t size)
{
    /* slab/P1 acquire: receives the block's address and the slot's zeros */
    if (index >= load_acquire(&slab->limit))
        return NULL;
    return weir__slab_part(slab, 0, index, size);
}

/* Return the annex of a block, which starts on its own cache line.  Its
 * memory is uninitialised: the slab never accesses it.  Thread: one that has
 * seen a limit above the block's first index. */
void *weir__slab_annex(const struct weir__slab *slab, unsigned block);

#endif /* WEIR_SRC_SLAB_H */
