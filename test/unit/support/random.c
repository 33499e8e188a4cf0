/* SPDX-License-Identifier: MIT */
/*
 * random -- the numbers that the tests draw: each as often as the others, and
 * the same again for the same seed.
 */
#include "support/random.h"

#include "support/suite.h"

enum { MEAN = 4000, LIMIT_MAX = 256 };

/* Within a sixth of the mean, which is ten standard deviations. */
static void expect_even(const uint64_t *counts, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        expect(counts[i] > MEAN - MEAN / 6 && counts[i] < MEAN + MEAN / 6);
}

CASE(random_below_draws_each_number_as_often)
{
    static const unsigned limits[] = {2, 3, 4, 18, 50, 100, LIMIT_MAX};

    for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        uint64_t counts[LIMIT_MAX] = {0};
        struct random random = {i};

        for (unsigned draws = limits[i] * MEAN; draws > 0; draws--)
            counts[random_below(&random, limits[i])]++;
        expect_even(counts, limits[i]);
    }
}

CASE(random_pairs_are_drawn_as_often)
{
    uint64_t counts[16] = {0};
    struct random random = {1};

    for (unsigned draws = 16 * MEAN; draws > 0; draws--) {
        uint64_t first = random_below(&random, 4);

        counts[4 * first + random_below(&random, 4)]++;
    }
    expect_even(counts, 16);
}

CASE(random_seed_is_that_of_the_environment)
{
    struct random one, other = {12345};

    expect_int(setenv("WEIR_SEED", "12345", 1), 0);
    one.state = random_seed();
    for (int i = 0; i < 100; i++)
        expect(random_next(&one) == random_next(&other));
}

CASE(random_choices_that_were_not_taken_are_found)
{
    static uint64_t taken[3];
    struct random random = {1};

    expect(!random_all_taken("taken", taken, 3));
    for (int i = 0; i < 100; i++)
        expect(random_choose(&random, taken) < 3);
    expect_int(taken[0] + taken[1] + taken[2], 100);
    expect_all_taken(taken);
    taken[2] = 0;
    expect(!random_all_taken("taken", taken, 3));
}
