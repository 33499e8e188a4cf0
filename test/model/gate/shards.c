/* SPDX-License-Identifier: MIT */
/*
 * shards -- every add is in the sum or refused, never both, never neither.
 */
#include "gate/shards.h"

#include "base/memory.h"
#include "model.h"

static struct weir__shards *shards;
static uint32_t refused; /* adds that were to be counted elsewhere */
static uint32_t total;   /* what the fold returned */
static int done[2];      /* what each owner did before its last add */
static int prepared;     /* what the starter did before open */

static void init(void)
{
    shards = weir__shards_new();
    model_assert(shards != NULL);
}

static void init_open(void)
{
    init();
    plain_store(&prepared, 1);
    weir__shards_open(shards, shards->generation);
}

static void add(int delta)
{
    if (weir__shards_add(shards, delta))
        model_assert(plain_load(&prepared) == 1);
    else
        refused += (uint32_t)delta;
}

static void adder(void)
{
    plain_store(&done[model_self()], 1);
    add(1);
}

static void enter_and_exit(void)
{
    add(1);
    add(-1);
}

static void add_three(void)
{
    add(1);
    add(1);
    add(1);
}

static void folder(void)
{
    total = weir__shards_fold(shards);
}

/* What was counted before the fold is seen after it: the sum says who was. */
static void folder_of_one(void)
{
    total = weir__shards_fold(shards);
    if (total == 1)
        model_assert(plain_load(&done[0]) == 1);
}

static void opener(void)
{
    plain_store(&prepared, 1);
    weir__shards_open(shards, shards->generation);
}

static void expect_one(void)
{
    model_assert(total + refused == 1);
}

static void expect_two(void)
{
    model_assert(total + refused == 2);
}

static void expect_three(void)
{
    model_assert(total + refused == 3);
}

static void expect_zero(void)
{
    model_assert(total + refused == 0);
}

/* The list of unused blocks. */
static struct weir__shards *kept[2];

static void init_two_unused(void)
{
    struct weir__shards *a = weir__shards_new();
    struct weir__shards *b = weir__shards_new();

    weir__shards_free(a);
    weir__shards_free(b);
}

static void take_and_keep(void)
{
    kept[model_self()] = weir__shards_new();
}

static void expect_two_blocks(void)
{
    model_assert(kept[0] != NULL && kept[1] != NULL && kept[0] != kept[1]);
}

static void take_and_give_back(void)
{
    struct weir__shards *mine = weir__shards_new();

    if (mine != NULL)
        weir__shards_free(mine);
}

/* A block goes through all its generations and is let go of for good; static,
 * so that it is not a leak: a straggler may still look at it. */
static struct weir__shards *used_up[2];

static void use_up(void)
{
    for (int i = 0; i < 9; i++) {
        struct weir__shards *block = weir__shards_new();

        used_up[i / 8] = block;
        weir__shards_free(block);
    }
    model_assert(used_up[0] != used_up[1]);
}

static void nothing(void)
{
}

static const struct model_case cases[] = {
    {"add_is_in_the_sum_or_refused", .setup = init_open,
     .threads = {T(adder), T(folder)}, .finish = expect_one},
    {"two_owners_and_a_folder_lose_nothing", .setup = init_open,
     .threads = {T(adder), T(adder), T(folder)}, .finish = expect_two},
    {"three_adds_and_a_folder_lose_nothing", .setup = init_open,
     .threads = {T(add_three), T(folder)}, .finish = expect_three},
    {"exit_after_enter_comes_out_even", .setup = init_open,
     .threads = {T(enter_and_exit), T(enter_and_exit), T(folder)},
     .finish = expect_zero},
    {"fold_receives_what_the_counted_work_did", .setup = init_open,
     .threads = {T(adder), T(folder_of_one)}, .finish = expect_one},
    {"open_hands_over_what_came_before", .setup = init,
     .threads = {T(adder), T(opener)}},
    {"open_after_fold_opens_nothing", .setup = init,
     .threads = {T(adder), T(opener), T(folder)}, .finish = expect_one},
    {"unused_blocks_go_to_one_taker_each", .setup = init_two_unused,
     .threads = {T(take_and_keep), T(take_and_keep)},
     .finish = expect_two_blocks},
    {"unused_blocks_survive_takers_and_givers", .setup = init_two_unused,
     .spurious = 1, .threads = {T(take_and_give_back), T(take_and_give_back)}},
    {"new_without_memory_changes_nothing", .failing_allocs = 1,
     .threads = {T(take_and_give_back), T(take_and_give_back)}},
    {"block_is_let_go_of_after_its_last_generation", .setup = use_up,
     .threads = {T(nothing)}},
};

MODEL_CASES(cases)
