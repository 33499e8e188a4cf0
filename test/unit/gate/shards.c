/* SPDX-License-Identifier: MIT */
/*
 * shards -- what a single step of each role does; test/model/gate/shards.c and
 * test/stress/gate/gate.c let them race.
 */
#include "gate/shards.h"

#include <stdlib.h>

#include "base/membarrier.h"
#include "base/memory.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/suite.h"

#ifdef WEIR_SMALL
enum { GENERATION_BITS = 3 };
#else
enum { GENERATION_BITS = 30 };
#endif

/* Static, so that what a case leaves behind is not a leak. */
static struct weir__shards *shards;

static void make(void)
{
    if (!weir__membarrier_is_ready())
        skip_case("the kernel has no membarrier");
    shards = weir__shards_new();
    expect(shards != NULL);
}

static void make_open(void)
{
    make();
    weir__shards_open(shards, shards->generation);
}

static uint64_t seal(uint64_t generation, uint32_t count, unsigned state)
{
    return (uint64_t)count << 32 | generation << 2 | state;
}

static void add(int delta)
{
    expect(weir__shards_add(shards, delta));
}

CASE(shards_new_refuse_adds)
{
    make();
    expect(!weir__shards_add(shards, 1));
    expect_int(weir__shards_sum(shards), 0);
}

CASE(shards_open_take_adds)
{
    make_open();
    add(1);
    add(1);
    add(-1);
    expect_int(weir__shards_sum(shards), 1);
}

CASE(shards_fold_returns_the_sum)
{
    make_open();
    add(5);
    add(-2);
    expect_int(weir__shards_fold(shards), 3);
}

CASE(shards_fold_returns_a_sum_below_zero_modulo_2_to_the_32)
{
    make_open();
    add(-1);
    expect_int(weir__shards_fold(shards), UINT32_MAX);
}

CASE(shards_folded_refuse_adds)
{
    make_open();
    add(1);
    expect_int(weir__shards_fold(shards), 1);
    expect(!weir__shards_add(shards, 1));
    expect_int(weir__shards_sum(shards), 1);
}

CASE(shards_folded_before_they_were_opened_stay_shut)
{
    make();
    expect_int(weir__shards_fold(shards), 0);
    weir__shards_open(shards, shards->generation);
    expect(!weir__shards_add(shards, 1));
}

static void add_one(struct crew *crew, unsigned id)
{
    unsigned *refused = crew->context;
    bool has_shard = weir__thread_index() < WEIR__SHARDS;

    expect(weir__shards_add(shards, 1) == has_shard);
    if (!has_shard)
        __atomic_fetch_add(refused, 1, __ATOMIC_RELAXED);
    crew_meet(crew); /* all live together, so each has its own number */
}

CASE(shards_of_all_threads_are_summed)
{
    unsigned refused = 0;

    make_open();
    crew_run(WEIR__SHARDS, add_one, &refused);
    expect_int(refused, 0);
    expect_int(weir__shards_sum(shards), WEIR__SHARDS);
    expect_int(weir__shards_fold(shards), WEIR__SHARDS);
}

CASE(shards_refuse_threads_beyond_the_last_shard)
{
    unsigned refused = 0;

    make_open();
    crew_run(WEIR__SHARDS + 10, add_one, &refused);
    expect_int(refused, 10);
    expect_int(weir__shards_fold(shards), WEIR__SHARDS);
}

/* The three ways in which an add can meet the fold, step by step: the add has
 * stored count 1 when it sees that the seal is no longer OPEN. */
static struct weir__shard *meet_fold(uint64_t seal_then)
{
    make_open();
    shards->shard[0].count.v_ = 1;
    shards->shard[0].seal.v_ = seal_then;
    return &shards->shard[0];
}

CASE(shard_add_that_comes_first_puts_its_count_into_the_seal)
{
    struct weir__shard *shard = meet_fold(seal(0, 0, SEALING));

    expect(weir__shard_settle(shard, seal(0, 0, OPEN), 1));
    expect(shard->seal.v_ == seal(0, 1, SEALED));
}

CASE(shard_add_that_the_folder_has_seen_is_counted)
{
    struct weir__shard *shard = meet_fold(seal(0, 1, SEALED));

    expect(weir__shard_settle(shard, seal(0, 0, OPEN), 1));
    expect(shard->seal.v_ == seal(0, 1, SEALED));
}

CASE(shard_add_that_the_folder_has_missed_is_not_counted)
{
    struct weir__shard *shard = meet_fold(seal(0, 0, SEALED));

    expect(!weir__shard_settle(shard, seal(0, 0, OPEN), 1));
    expect(shard->seal.v_ == seal(0, 0, SEALED));
}

CASE(shard_add_whose_gate_is_gone_was_counted)
{
    struct weir__shard *shard = meet_fold(seal(1, 0, SEALING));

    expect(weir__shard_settle(shard, seal(0, 0, OPEN), 1));
    expect(shard->seal.v_ == seal(1, 0, SEALING));
}

CASE(shards_that_were_freed_are_used_again)
{
    struct weir__shards *old;

    make_open();
    old = shards;
    add(1);
    expect_int(weir__shards_fold(shards), 1);
    weir__shards_free(shards);
    make();
    expect(shards == old);
    expect_int(weir__shards_sum(shards), 0);
    expect(!weir__shards_add(shards, 1));
}

CASE(shards_used_again_are_of_a_new_generation)
{
    uint64_t generation;

    make();
    generation = shards->generation;
    weir__shards_free(shards);
    make();
    expect_int(shards->generation, generation + 1);
}

CASE(shards_used_again_are_not_opened_by_the_old_starter)
{
    uint64_t generation;

    make();
    generation = shards->generation;
    weir__shards_free(shards);
    make();
    weir__shards_open(shards, generation);
    expect(!weir__shards_add(shards, 1));
}

CASE(shards_used_again_can_be_opened_and_folded)
{
    make();
    weir__shards_free(shards);
    make_open();
    add(3);
    expect_int(weir__shards_fold(shards), 3);
    expect(!weir__shards_add(shards, 1));
}

CASE(shards_of_the_last_generation_are_let_go)
{
    struct weir__shards *old;

    make();
    old = shards;
    shards->generation = (UINT64_C(1) << GENERATION_BITS) - 1;
    weir__shards_free(shards);
    make();
    expect(shards != old);
    free(old);
}

CASE(shards_of_several_gates_are_all_used_again)
{
    enum { BLOCKS = 5 };
    static struct weir__shards *block[BLOCKS];
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            block[i] = weir__shards_new();
            for (int j = 0; j < i; j++)
                expect(block[j] != block[i]);
        }
        for (int i = 0; i < BLOCKS; i++)
            weir__shards_free(block[i]);
    }
    expect_int(memory.calls, BLOCKS);
}

CASE(shards_without_memory_are_NULL)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect(weir__shards_new() == NULL);
    expect_int(memory.live, 0);
}
