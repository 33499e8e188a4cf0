/* SPDX-License-Identifier: MIT */
/*
 * slab -- an allocator of numbered slots that never move.
 *
 * Shape     Block k holds GROUP << k slots, and begins with the index
 *           GROUP * (2^k - 1).  So the highest bit of a slot's position, which
 *           is index + GROUP, gives its block, and one multiplication gives its
 *           address.  In memory a block consists of its annex, the first parts
 *           of all its slots, then the second and the third parts, and a
 *           descriptor per group of 64 slots: a bitmap of the free ones.
 *           Groups with free slots form a list, last in, first out.
 * Roles     take, put   the owner
 *           at          any thread
 * Progress  All are wait-free except for the allocator, which take calls at
 *           most 24 times in a slab's life.  A group is cleared when it is
 *           first taken from, not together with its block: a growing slab never
 *           stops to clear megabytes, and unused memory is not touched.
 *
 * Why bitmaps, and not a list of free slots
 *   Putting a slot back must not touch it: among a million slots, it is
 *   unlikely to be in a cache.  And slots that are put back in any order are
 *   handed out again in memory order, 64 at a time, so the taker fills line
 *   after line.
 *
 * Shared state
 *   limit   the owner writes, any thread reads                            P1
 *   origin  the owner writes each one once, any thread reads              P1
 *   slots   atomic words, where other threads read them
 *
 * Pairs
 *   P1  add_group: store of limit, release  -->  at: load, acquire
 *       Hands over the address of the block and the zeroed slots.
 *
 * Not paired, on purpose
 *   origin: each is written once, before the first limit that admits an index
 *   into the block.
 *
 * Why garbage is safe  Any number below `limit` is the index of a slot that
 *           exists; any other is refused before an address is computed from it.
 * Reclaim   fini only.  The owner ensures that no thread reads any more.
 *
 * Tested by  test/unit/base/slab.c, test/model/base/slab.c
 */
#include "base/slab.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define NONE WEIR__SLAB_NONE
#define ALL (UINT64_MAX >> (64 - WEIR__SLAB_GROUP))

struct weir__slab_group {
    uint64_t free; /* one bit per slot */
    uint32_t next; /* next group with free slots, if this has any */
};

struct layout {
    size_t part[WEIR__SLAB_PARTS], groups, end; /* offsets in the block */
};

static struct layout layout_of(const struct weir__slab *slab, unsigned block)
{
    size_t groups = (size_t)1 << block, at = 0;
    struct layout layout;

    if (slab->kind->annex != NULL)
        at = (slab->kind->annex(block) + CACHE_LINE - 1) / CACHE_LINE *
             CACHE_LINE;
    for (unsigned i = 0; i < WEIR__SLAB_PARTS; i++) {
        layout.part[i] = at;
        at += groups * WEIR__SLAB_GROUP * slab->kind->size[i];
    }
    layout.groups = at;
    layout.end = at + groups * sizeof(struct weir__slab_group);
    return layout;
}

void weir__slab_init(struct weir__slab *slab,
                     const struct weir__slab_kind *kind)
{
    slab->free_group = NONE;
    slab->kind = kind;
    set_unshared(&slab->limit, 0);
    for (unsigned i = 0; i < WEIR__SLAB_PARTS; i++)
        DEBUG_CHECK(kind->size[i] % (i == 0 ? 4 : 8) == 0, "a part's size");
    for (unsigned i = 0; i < WEIR__SLAB_BLOCKS; i++) {
        slab->block[i] = NULL; /* an origin is set before any thread reads it */
        slab->group[i] = NULL;
    }
}

void weir__slab_fini(struct weir__slab *slab)
{
    for (unsigned i = 0; i < WEIR__SLAB_BLOCKS; i++)
        weir__memory_free(slab->block[i], layout_of(slab, i).end);
    weir__slab_init(slab, slab->kind);
}

/* ---- blocks ---- */

/* Slots of a large slab are accessed in random order.  On huge pages each
 * access still misses the cache, but not the TLB as well. */
static char *allocate(size_t bytes)
{
    char *block =
        weir__memory_alloc(bytes, bytes < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE);

    if (block != NULL && bytes >= HUGE_PAGE)
        weir__memory_prefer_huge(block, bytes);
    return block;
}

static int add_block(struct weir__slab *slab, unsigned number)
{
    struct layout layout;
    char *block;

    if (number == WEIR__SLAB_BLOCKS)
        return -ENOSPC;
    layout = layout_of(slab, number);
    block = allocate(layout.end);
    if (block == NULL)
        return -ENOMEM;
    slab->block[number] = block;
    slab->group[number] = (void *)(block + layout.groups);
    for (unsigned i = 0; i < WEIR__SLAB_PARTS; i++) {
        size_t before = (size_t)WEIR__SLAB_GROUP << number; /* positions */

        /* relaxed: ordered by P1; no index leads here before the next limit */
        store_relaxed(&slab->origin[i][number],
                      (uintptr_t)block + layout.part[i] -
                          before * slab->kind->size[i]);
    }
    return 0;
}

void *weir__slab_annex(const struct weir__slab *slab, unsigned block)
{
    /* relaxed: ordered by P1, because the caller has seen the limit */
    uintptr_t origin = load_relaxed(&slab->origin[0][block]);
    size_t before = (size_t)WEIR__SLAB_GROUP << block;

    return (void *)(origin + before * slab->kind->size[0] -
                    layout_of(slab, block).part[0]);
}

/* ---- groups ---- */

static struct weir__slab_group *group_at(const struct weir__slab *slab,
                                         uint32_t number)
{
    struct weir__slab_place place =
        weir__slab_place_of(number * WEIR__SLAB_GROUP);

    return &slab->group[place.block][number + 1 - (UINT32_C(1) << place.block)];
}

static void list_group(struct weir__slab *slab, uint32_t number)
{
    group_at(slab, number)->next = slab->free_group;
    slab->free_group = number;
}

/* Add a group of fresh slots, all zeros. */
static int add_group(struct weir__slab *slab)
{
    /* relaxed: own; only this thread writes it */
    uint32_t fresh = load_relaxed(&slab->limit);
    struct weir__slab_place place = weir__slab_place_of(fresh);
    int err;

    if ((place.position & (place.position - 1)) == 0 &&
        (err = add_block(slab, place.block)) != 0)
        return err;
    for (unsigned i = 0; i < WEIR__SLAB_PARTS; i++)
        memset(weir__slab_part(slab, i, fresh, slab->kind->size[i]), 0,
               (size_t)slab->kind->size[i] * WEIR__SLAB_GROUP);
    group_at(slab, fresh / WEIR__SLAB_GROUP)->free = ALL;
    list_group(slab, fresh / WEIR__SLAB_GROUP);
    /* slab/P1 release: publishes the address of the block and the zeros */
    store_release(&slab->limit, fresh + WEIR__SLAB_GROUP);
    return 0;
}

/* Take the first free slot of the first group, or all its free slots. */
static int take(struct weir__slab *slab, bool is_all,
                struct weir__slab_stock *stock)
{
    struct weir__slab_group *group;
    int err;

    if (slab->free_group == NONE && (err = add_group(slab)) != 0)
        return err;
    group = group_at(slab, slab->free_group);
    stock->first = slab->free_group * WEIR__SLAB_GROUP;
    stock->slots = is_all ? group->free : group->free & -group->free;
    group->free ^= stock->slots;
    if (group->free == 0)
        slab->free_group = group->next;
    return 0;
}

int weir__slab_take_group(struct weir__slab *slab,
                          struct weir__slab_stock *stock)
{
    return take(slab, true, stock);
}

int weir__slab_take(struct weir__slab *slab, uint32_t *index)
{
    struct weir__slab_stock one;
    int err = take(slab, false, &one);

    if (err == 0)
        *index = one.first + (uint32_t)__builtin_ctzll(one.slots);
    return err;
}

void weir__slab_put(struct weir__slab *slab, uint32_t index)
{
    uint32_t number = index / WEIR__SLAB_GROUP;
    struct weir__slab_group *group = group_at(slab, number);
    uint64_t bit = UINT64_C(1) << index % WEIR__SLAB_GROUP;

    DEBUG_CHECK(!(group->free & bit), "weir__slab_put of a slot that is free");
    if (group->free == 0)
        list_group(slab, number);
    group->free |= bit;
}
