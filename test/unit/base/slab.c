/* SPDX-License-Identifier: MIT */
/*
 * slab -- numbers for slots, and memory that stays where it is.
 */
#include "base/slab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/suite.h"

enum { SLOT_SIZE = 64, MANY = WEIR__SLAB_GROUP * 40 };

/* Odd, and another one for each block. */
static size_t annex_bytes(unsigned block)
{
    return 100 * block + 7;
}

static const struct weir__slab_kind kind = {{SLOT_SIZE, 40}, annex_bytes};
static const uint32_t *const sizes = kind.size;

static struct weir__slab slab;
static uint32_t taken[MANY];

static struct failing_allocator memory;
static size_t asked_align; /* by the last allocation */

/* Memory is dirty when it comes, whatever malloc would have given. */
static void *alloc_dirty(void *context, size_t size, size_t align)
{
    void *pointer = memory.hooks.alloc(context, size, align);

    asked_align = align;
    if (pointer != NULL)
        memset(pointer, 0xa5, size);
    return pointer;
}

static void begin_failing_at(uint64_t fail_at)
{
    weir_allocator dirty;

    failing_allocator_init(&memory, fail_at);
    dirty = memory.hooks;
    dirty.alloc = alloc_dirty;
    expect_status(weir_set_allocator(&dirty), 0);
    memset(&slab, 0xa5, sizeof(slab));
    weir__slab_init(&slab, &kind);
}

static void *at(uint32_t index)
{
    return weir__slab_at(&slab, index, SLOT_SIZE);
}

static void *part(unsigned number, uint32_t index)
{
    return weir__slab_part(&slab, number, index, sizes[number]);
}

static void begin(void)
{
    begin_failing_at(0);
}

static void end(void)
{
    weir__slab_fini(&slab);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

static uint32_t take(void)
{
    uint32_t index;

    expect_status(weir__slab_take(&slab, &index), 0);
    return index;
}

static void take_many(void)
{
    for (unsigned i = 0; i < MANY; i++)
        taken[i] = take();
}

CASE(slab_fresh_slot_is_all_zeros)
{
    static const char zeros[SLOT_SIZE];

    begin();
    for (unsigned i = 0; i < MANY; i++) {
        taken[i] = take();
        for (unsigned j = 0; j < WEIR__SLAB_PARTS; j++)
            expect(memcmp(part(j, taken[i]), zeros, sizes[j]) == 0);
    }
    end();
}

CASE(slab_slots_and_their_parts_do_not_overlap)
{
    begin();
    take_many();
    for (unsigned i = 0; i < MANY; i++)
        for (unsigned j = 0; j < WEIR__SLAB_PARTS; j++)
            memset(part(j, taken[i]), (int)((3 * i + j) % 251), sizes[j]);
    for (unsigned i = 0; i < MANY; i++)
        for (unsigned j = 0; j < WEIR__SLAB_PARTS; j++)
            for (unsigned byte = 0; byte < sizes[j]; byte++)
                expect_int(((unsigned char *)part(j, taken[i]))[byte],
                           (3 * i + j) % 251);
    end();
}

CASE(slab_slot_never_moves)
{
    static void *slots[MANY];

    begin();
    for (unsigned i = 0; i < MANY; i++) {
        taken[i] = take();
        slots[i] = at(taken[i]);
    }
    for (unsigned i = 0; i < MANY; i++)
        expect(at(taken[i]) == slots[i]);
    end();
}

CASE(slab_slot_of_64_bytes_is_one_cache_line)
{
    begin();
    for (unsigned i = 0; i < MANY; i++)
        expect_int((uintptr_t)at(take()) % CACHE_LINE, 0);
    expect_int(asked_align, CACHE_LINE);
    end();
}

CASE(slab_slot_found_unasked_is_the_same)
{
    begin();
    take_many();
    for (unsigned i = 0; i < MANY; i++)
        expect(part(0, taken[i]) == at(taken[i]));
    end();
}

CASE(slab_of_other_sizes_keeps_slots_apart)
{
    for (uint32_t bytes = 4; bytes <= 136; bytes += 4) {
        const struct weir__slab_kind other = {.size = {bytes}};

        begin();
        weir__slab_init(&slab, &other);
        for (unsigned i = 0; i < MANY; i++)
            memset(weir__slab_at(&slab, take(), bytes), 0xff, bytes);
        expect(weir__slab_at(&slab, 1, bytes) ==
               (char *)weir__slab_at(&slab, 0, bytes) + bytes);
        end();
        expect_status(weir_set_allocator(NULL), 0);
    }
}

CASE(slab_put_slots_of_a_group_are_taken_again_in_the_order_of_memory)
{
    begin();
    take_many();
    for (unsigned i = WEIR__SLAB_GROUP; i-- > 0;)
        weir__slab_put(&slab, taken[i]);
    for (unsigned i = 0; i < WEIR__SLAB_GROUP; i++)
        expect_int(take(), taken[i]);
    end();
}

CASE(slab_put_touches_no_slot)
{
    static char bytes[SLOT_SIZE];

    begin();
    take_many();
    memset(bytes, 0x5a, sizeof(bytes));
    for (unsigned i = 0; i < MANY; i++)
        for (unsigned j = 0; j < WEIR__SLAB_PARTS; j++)
            memset(part(j, taken[i]), 0x5a, sizes[j]);
    for (unsigned i = 0; i < MANY; i++)
        weir__slab_put(&slab, taken[i]);
    for (unsigned i = 0; i < MANY; i++)
        for (unsigned j = 0; j < WEIR__SLAB_PARTS; j++)
            expect(memcmp(part(j, taken[i]), bytes, sizes[j]) == 0);
    end();
}

CASE(slab_take_group_takes_what_is_free_in_one)
{
    struct weir__slab_stock stock;

    begin();
    take_many();
    weir__slab_put(&slab, taken[WEIR__SLAB_GROUP + 1]);
    expect_status(weir__slab_take_group(&slab, &stock), 0);
    expect_int(stock.first, WEIR__SLAB_GROUP);
    expect_int(stock.slots, 2);
    expect_status(weir__slab_take_group(&slab, &stock), 0);
    expect_int(stock.first, MANY);
    expect_int(stock.slots, UINT64_MAX >> (64 - WEIR__SLAB_GROUP));
    for (unsigned i = 0; i < WEIR__SLAB_GROUP; i++)
        expect(at(MANY + i) != NULL);
    expect(at(MANY + WEIR__SLAB_GROUP) == NULL);
    end();
}

CASE(slab_takes_each_slot_once_whatever_comes_back)
{
    static bool is_out[MANY];
    struct random random = {random_seed()};
    unsigned out = 0;

    begin();
    take_many();
    for (unsigned i = 0; i < MANY; i++)
        weir__slab_put(&slab, taken[i]);
    for (unsigned step = 0; step < 200000; step++) {
        uint32_t index = (uint32_t)random_below(&random, MANY);

        if (random_below(&random, 2) == 0 && out < MANY) {
            index = take();
            expect(index < MANY && !is_out[index]);
            is_out[index] = true;
            out++;
        } else if (is_out[index]) {
            weir__slab_put(&slab, index);
            is_out[index] = false;
            out--;
        }
    }
    end();
}

/* Block 0 has a group, block k 2^k of them. */
static unsigned blocks_of_many(void)
{
    return weir__slab_place_of(MANY - 1).block + 1;
}

CASE(slab_annex_is_as_large_as_asked_for_and_nobody_elses)
{
    begin();
    for (unsigned i = 0; i < MANY; i++) {
        taken[i] = take();
        memset(at(taken[i]), 0x11, SLOT_SIZE);
    }
    for (unsigned block = 0; block < blocks_of_many(); block++)
        memset(weir__slab_annex(&slab, block), (int)block, annex_bytes(block));
    for (unsigned block = 0; block < blocks_of_many(); block++)
        for (size_t i = 0; i < annex_bytes(block); i++)
            expect_int(((unsigned char *)weir__slab_annex(&slab, block))[i],
                       block);
    for (unsigned i = 0; i < MANY; i++)
        for (unsigned byte = 0; byte < SLOT_SIZE; byte++)
            expect_int(((unsigned char *)at(taken[i]))[byte], 0x11);
    end();
}

/* A page that nobody has written to costs nothing. */
CASE(slab_annex_is_not_touched_and_begins_a_line)
{
    begin();
    take_many();
    for (unsigned block = 0; block < blocks_of_many(); block++) {
        const unsigned char *annex = weir__slab_annex(&slab, block);

        expect_int((uintptr_t)annex % CACHE_LINE, 0);
        for (size_t i = 0; i < annex_bytes(block); i++)
            expect_int(annex[i], 0xa5);
    }
    end();
}

CASE(slab_put_slots_are_enough_without_new_memory)
{
    uint64_t calls;

    begin();
    take_many();
    calls = memory.calls;
    for (int round = 0; round < 10; round++) {
        for (unsigned i = 0; i < MANY; i++)
            weir__slab_put(&slab, taken[i]);
        take_many();
    }
    expect_int(memory.calls, calls);
    end();
}

CASE(slab_at_of_an_empty_slab_is_NULL)
{
    begin();
    expect(at(0) == NULL);
    expect(at(WEIR__SLAB_NONE) == NULL);
    end();
}

CASE(slab_at_of_an_index_that_never_was_is_NULL)
{
    begin();
    for (uint32_t limit = WEIR__SLAB_GROUP; limit <= MANY;
         limit += WEIR__SLAB_GROUP) {
        for (unsigned i = 0; i < WEIR__SLAB_GROUP; i++)
            (void)take();
        expect(at(limit - 1) != NULL);
        expect(at(limit) == NULL);
        for (unsigned bit = 0; bit < 32; bit++) {
            uint32_t garbage = limit | UINT32_C(1) << bit;

            expect(garbage < limit || at(garbage) == NULL);
            expect(at(UINT32_MAX << bit) == NULL || UINT32_MAX << bit < limit);
        }
    }
    end();
}

CASE(slab_at_of_a_slot_that_was_put_back_still_finds_it)
{
    void *slot;

    begin();
    taken[0] = take();
    slot = at(taken[0]);
    weir__slab_put(&slab, taken[0]);
    expect(at(taken[0]) == slot);
    end();
}

CASE(slab_take_without_memory_changes_nothing)
{
    for (uint64_t fail_at = 1; fail_at <= 5; fail_at++) {
        unsigned count = 0;
        uint32_t index = 77;
        int err;

        begin_failing_at(fail_at);
        while ((err = weir__slab_take(&slab, &index)) == 0)
            taken[count++] = index;
        expect_status(err, -ENOMEM);
        expect_int(count,
                   (WEIR__SLAB_GROUP << (fail_at - 1)) - WEIR__SLAB_GROUP);
        expect_int(index, count == 0 ? 77 : taken[count - 1]);
        expect(at(count) == NULL);
        expect_int(memory.live, fail_at - 1);
        for (; count < MANY; count++)
            taken[count] = take();
        for (unsigned i = 0; i < MANY; i++)
            expect_int(taken[i], i);
        end();
        expect_status(weir_set_allocator(NULL), 0);
    }
}

CASE(slab_take_from_a_full_slab_is_refused)
{
    uint32_t index;

    begin();
    taken[0] = take();
    /* Not even 2^30 small slots fit into the memory of a test. */
    for (unsigned i = 1; i < WEIR__SLAB_GROUP; i++)
        (void)take();
    slab.limit.v_ =
        (WEIR__SLAB_GROUP << WEIR__SLAB_BLOCKS) - (uint32_t)WEIR__SLAB_GROUP;
    expect_status(weir__slab_take(&slab, &index), -ENOSPC);
    weir__slab_put(&slab, taken[0]);
    expect_int(take(), taken[0]);
    expect_status(weir__slab_take(&slab, &index), -ENOSPC);
    end();
}

CASE(slab_after_fini_is_empty_and_can_be_used)
{
    begin();
    take_many();
    weir__slab_fini(&slab);
    expect_int(memory.live, 0);
    expect(at(taken[0]) == NULL);
    take_many();
    end();
}

CASE(slab_fini_without_slots_does_nothing)
{
    begin();
    end();
    expect_int(memory.calls, 0);
}

/* The reader knows indices by hearsay: nothing but the slab itself orders its
 * look at the slot.  It finds no slot, zeros, or what the owner wrote. */
struct growth {
    uint32_t newest; /* atomic */
    bool is_done;    /* atomic */
};

static void look_at(uint32_t index)
{
    uint64_t *word = at(index);
    uint64_t seen;

    if (word == NULL)
        return;
    seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    expect(seen == 0 || seen == index + UINT64_C(1));
}

static void grow_or_look(struct crew *crew, unsigned id)
{
    struct growth *growth = crew->context;

    if (id == 0) {
        for (unsigned i = 0; i < MANY; i++) {
            uint32_t index = take();
            uint64_t *word = part(0, index);

            __atomic_store_n(&growth->newest, index, __ATOMIC_RELAXED);
            __atomic_store_n(word, index + UINT64_C(1), __ATOMIC_RELAXED);
            if (i % 3 == 0)
                weir__slab_put(&slab, index);
        }
        __atomic_store_n(&growth->is_done, true, __ATOMIC_RELAXED);
        return;
    }
    for (struct random random = {id};;) {
        uint32_t newest = __atomic_load_n(&growth->newest, __ATOMIC_RELAXED);

        look_at(newest);
        look_at(newest + 1);
        look_at((uint32_t)random_below(&random, MANY));
        look_at((uint32_t)random_next(&random));
        if (__atomic_load_n(&growth->is_done, __ATOMIC_RELAXED))
            return;
    }
}

CASE(slab_at_of_a_growing_slab_finds_whole_slots)
{
    for (int round = 0; round < 50; round++) {
        struct growth growth = {0, false};

        begin();
        crew_run(3, grow_or_look, &growth);
        end();
        expect_status(weir_set_allocator(NULL), 0);
    }
}
