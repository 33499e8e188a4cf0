/* SPDX-License-Identifier: MIT */
/*
 * explorer -- the explorer itself: it finds each kind of bug that it says it
 * finds, with each kind of search, and nothing where there is nothing.
 */
#include <stdio.h>

#include "base/futex.h"
#include "model.h"

static atomic(int) x, y;
static int plain;

static void nothing(void)
{
}

/* --- findings --------------------------------------------------------------
 */

static void set_x(void)
{
    store_relaxed(&x, 1);
}

static void assert_x_is_unset(void)
{
    model_assert(load_relaxed(&x) == 0);
}

static void sleep_on_x(void)
{
    weir__futex_wait(&x, 0, -1, WEIR__FUTEX_PRIVATE);
}

static void sleep_on_x_for_a_while(void)
{
    weir__futex_wait(&x, 0, 1, WEIR__FUTEX_PRIVATE);
}

static void set_x_and_wake(void)
{
    store_relaxed(&x, 1);
    weir__futex_wake_one(&x, WEIR__FUTEX_PRIVATE);
}

static void spin_on_x(void)
{
    while (load_relaxed(&x) == 0)
        ;
}

/* Two threads that undo each other's work forever. */
static void flip(void)
{
    int mine = (int)model_self();

    while (load_relaxed(&y) == 0)
        store_relaxed(&x, mine);
}

static void set_y(void)
{
    store_relaxed(&y, 1);
}

static void read_plain(void)
{
    (void)plain_load(&plain);
    store_relaxed(&y, 1);
}

static void write_plain(void)
{
    plain_store(&plain, 1);
    store_relaxed(&y, 2);
}

static void init_late(void)
{
    set_unshared(&x, 5);
    store_relaxed(&y, 1);
}

static void add_to_x(void)
{
    (void)fetch_add_relaxed(&x, 1);
}

static void take_below_zero(void)
{
    int seen = load_relaxed(&x);

    while (!cas_weak_relaxed(&x, &seen, seen - 1))
        ;
}

/* --- memory ----------------------------------------------------------------
 */

struct block {
    atomic(int) word;
    int plain;
};
static struct block *block;

static void make_block(void)
{
    block = model_alloc(sizeof(*block));
    set_unshared(&block->word, 0);
    block->plain = 0;
}

static void free_block(void)
{
    model_free(block);
}

static void use_block(void)
{
    struct block *mine = block;

    store_relaxed(&mine->word, 1);
}

/* The plain access is right behind an operation: only a thread that is stopped
 * between the two sees the block freed. */
static void use_block_by_plain_access(void)
{
    struct block *mine = block;

    store_relaxed(&x, 1);
    mine->plain = 1;
}

/* Sees that the other has made its access, but not that it is over: nothing
 * orders the access before the free. */
static void use_block_relaxed(void)
{
    struct block *mine = block;

    (void)fetch_add_relaxed(&mine->word, 1);
}

static void use_block_release(void)
{
    struct block *mine = block;

    (void)fetch_sub_release(&mine->word, -1);
}

static void free_block_when_used(void)
{
    struct block *mine = block;

    if (load_acquire(&mine->word) == 1) {
        model_free(mine);
        block = NULL;
    }
}

static void drop_block(void)
{
    block = NULL;
}

static void alloc_and_use(void)
{
    struct block *mine = model_alloc(sizeof(*mine));

    set_unshared(&mine->word, 1); /* without a look: it may be NULL */
    model_free(mine);
}

static void follow_null(void)
{
    volatile int *volatile nowhere = NULL;

    store_relaxed(&x, 1);
    *nowhere = 1;
}

static void load_from_null(void)
{
    atomic(int) *volatile nowhere = NULL;

    (void)load_relaxed(nowhere);
}

/* --- choices of the machine ------------------------------------------------
 */

static int tries;

static void weak_cas_once(void)
{
    int seen = 0;

    tries +=
        !ATOMIC_CAS(&x, &seen, 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void outcome_tries(void)
{
    model_outcome("%d", tries);
}

static void outcome_x(void)
{
    model_outcome("%d", load_relaxed(&x));
}

static void sleep_and_count(void)
{
    weir__futex_wait(&x, 0, -1, WEIR__FUTEX_PRIVATE);
    tries += load_relaxed(&x) == 0;
}

/* Wakes one of two; the other sleeps forever. */
static void wake_one(void)
{
    weir__futex_wake_one(&x, WEIR__FUTEX_PRIVATE);
}

/* --- searches: a bug that needs two preemptions -----------------------------
 */

static void turn_taker(void)
{
    store_relaxed(&x, 1);
    if (load_relaxed(&y) == 1)
        store_relaxed(&x, 2);
    if (load_relaxed(&y) == 2)
        model_assert(false);
}

static void other_turn_taker(void)
{
    if (load_relaxed(&x) == 1)
        store_relaxed(&y, 1);
    if (load_relaxed(&x) == 2)
        store_relaxed(&y, 2);
}

static const struct model_case cases[] = {
    {"nothing_is_found_in_nothing", .threads = {T(nothing), T(nothing)}},
    {"assertion_is_found", .threads = {T(set_x), T(assert_x_is_unset)},
     .expect = MODEL_ASSERTION},
    {"deadlock_is_found", .threads = {T(sleep_on_x), T(nothing)},
     .expect = MODEL_DEADLOCK},
    {"changed_word_without_wake_is_a_lost_wake",
     .threads = {T(sleep_on_x), T(set_x)}, .expect = MODEL_LOST_WAKE},
    {"changed_word_with_wake_is_right",
     .threads = {T(sleep_on_x), T(set_x_and_wake)}},
    {"sleep_with_a_deadline_is_no_deadlock",
     .threads = {T(sleep_on_x_for_a_while), T(nothing)}},
    {"spinning_for_ever_is_a_livelock", .threads = {T(spin_on_x)},
     .expect = MODEL_LIVELOCK},
    {"spinning_until_another_thread_moves_is_none",
     .threads = {T(spin_on_x), T(set_x)}},
    {"two_threads_that_undo_each_other_are_a_livelock",
     .threads = {T(flip), T(flip)}, .expect = MODEL_LIVELOCK},
    {"too_many_steps_are_a_livelock", .threads = {T(flip), T(set_y)},
     .steps = 1, .expect = MODEL_LIVELOCK},
    {"race_of_read_and_write_is_found",
     .threads = {T(read_plain), T(write_plain)}, .expect = MODEL_RACE},
    {"race_of_write_and_write_is_found",
     .threads = {T(write_plain), T(write_plain)}, .expect = MODEL_RACE},
    {"reads_do_not_race", .threads = {T(read_plain), T(read_plain)}},
    {"initialisation_in_use_is_a_race", .threads = {T(init_late), T(add_to_x)},
     .expect = MODEL_RACE},
    {"use_after_free_is_found", .setup = make_block,
     .threads = {T(use_block), T(free_block)}, .expect = MODEL_USE_AFTER_FREE},
    {"plain_use_after_free_is_found_by_delay", .setup = make_block,
     .may_delay = true,
     .threads = {T(use_block_by_plain_access), T(free_block)},
     .expect = MODEL_USE_AFTER_FREE},
    {"free_that_nothing_orders_after_the_last_use_is_found",
     .setup = make_block,
     .threads = {T(use_block_relaxed), T(free_block_when_used)},
     .expect = MODEL_USE_AFTER_FREE},
    {"free_after_an_acquire_of_the_last_use_is_right", .setup = make_block,
     .threads = {T(use_block_release), T(free_block_when_used)}},
    {"double_free_is_found", .setup = make_block,
     .threads = {T(free_block), T(free_block)}, .expect = MODEL_USE_AFTER_FREE},
    {"leak_is_found", .setup = make_block, .threads = {T(drop_block)},
     .expect = MODEL_LEAK},
    {"what_static_data_points_to_is_no_leak", .setup = make_block,
     .threads = {T(nothing)}},
    {"failing_allocation_is_tried", .failing_allocs = 1,
     .threads = {T(alloc_and_use)}, .expect = MODEL_CRASH},
    {"allocation_succeeds_otherwise", .threads = {T(alloc_and_use)}},
    {"crash_is_found", .threads = {T(follow_null)}, .expect = MODEL_CRASH},
    {"atomic_at_no_address_is_a_crash", .threads = {T(load_from_null)},
     .expect = MODEL_CRASH},

    {"weak_cas_fails_for_no_reason_if_told", .spurious = 1,
     .threads = {T(weak_cas_once)}, .finish = outcome_tries, .outcomes = "0 1"},
    {"weak_cas_succeeds_otherwise", .threads = {T(weak_cas_once)},
     .finish = outcome_tries, .outcomes = "0"},
    {"sleep_ends_for_no_reason_if_told", .spurious = 1,
     .threads = {T(sleep_and_count), T(set_x_and_wake)},
     .finish = outcome_tries, .outcomes = "0 1"},
    {"sleep_ends_by_the_wake_otherwise",
     .threads = {T(sleep_and_count), T(set_x_and_wake)},
     .finish = outcome_tries, .outcomes = "0"},
    {"spurious_wake_does_not_hide_a_deadlock", .spurious = 3,
     .threads = {T(sleep_on_x), T(nothing)}, .expect = MODEL_DEADLOCK},
    {"wake_one_wakes_one",
     .threads = {T(sleep_on_x), T(sleep_on_x), T(wake_one)},
     .expect = MODEL_DEADLOCK},
    {"static_data_is_new_in_each_execution",
     .threads = {T(add_to_x), T(add_to_x)}, .finish = outcome_x,
     .outcomes = "2"},

    {"narrow_words_go_below_zero",
     .threads = {T(take_below_zero), T(take_below_zero)}, .finish = outcome_x,
     .outcomes = "-2"},

    {"bug_is_found_by_search", .threads = {T(turn_taker), T(other_turn_taker)},
     .expect = MODEL_ASSERTION},
    {"bug_is_found_with_three_preemptions", .preemption_bound = 3,
     .threads = {T(turn_taker), T(other_turn_taker)},
     .expect = MODEL_ASSERTION},
    {"bug_is_not_found_with_one_preemption", .preemption_bound = 1,
     .threads = {T(turn_taker), T(other_turn_taker)}},
    {"bug_is_found_by_random_runs", .random_runs = 5000,
     .threads = {T(turn_taker), T(other_turn_taker)},
     .expect = MODEL_ASSERTION},
    {"bug_is_found_by_pct", .random_runs = 5000, .pct_depth = 4,
     .threads = {T(turn_taker), T(other_turn_taker)},
     .expect = MODEL_ASSERTION},
};

MODEL_CASES(cases)
