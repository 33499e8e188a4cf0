/* SPDX-License-Identifier: MIT */
/*
 * clock -- who sees the time that a test has set sees what the test did.
 */
#include "base/clock.h"

#include "model.h"

static int data;

static void freeze_at_zero(void)
{
    model_assert(weir_clock_freeze(0) == 0);
}

static void freezer(void)
{
    plain_store(&data, 1);
    model_assert(weir_clock_freeze(7) == 0);
}

static void advancer(void)
{
    plain_store(&data, 1);
    model_assert(weir_clock_advance(7) == 0);
}

static void reader(void)
{
    if (weir_clock_now() == 7)
        model_assert(plain_load(&data) == 1);
}

static void advance_by_two(void)
{
    model_assert(weir_clock_advance(2) == 0);
}

static void expect_four(void)
{
    model_assert(weir_clock_now() == 4);
}

static const struct model_case cases[] = {
    {"freeze_publishes_what_came_before", .setup = freeze_at_zero,
     .threads = {T(freezer), T(reader)}},
    {"advance_publishes_what_came_before", .setup = freeze_at_zero,
     .threads = {T(advancer), T(reader)}},
    {"advances_of_two_threads_add_up", .setup = freeze_at_zero, .spurious = 1,
     .threads = {T(advance_by_two), T(advance_by_two)}, .finish = expect_four},
};

MODEL_CASES(cases)
