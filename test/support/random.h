/* SPDX-License-Identifier: MIT */
/*
 * random -- a small random number generator with a reproducible seed.
 *
 *     struct random random = {random_seed()};
 *     moment = random_below(&random, 10000);
 *
 *     static uint64_t taken[4];
 *     switch (random_choose(&random, taken)) ...     0 .. 3, counted
 *     expect_all_taken(taken);
 *
 * The seed is WEIR_SEED from the environment, or the time.  It is printed, so
 * that a failure can be reproduced.
 *
 * Programs without a suite use this file, too; only expect_all_taken needs
 * suite.h.
 */
#ifndef WEIR_TEST_SUPPORT_RANDOM_H
#define WEIR_TEST_SUPPORT_RANDOM_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_seed(void)
{
    const char *given = getenv("WEIR_SEED");
    struct timespec now;
    uint64_t seed;

    clock_gettime(CLOCK_REALTIME, &now);
    seed = given != NULL
               ? strtoull(given, NULL, 0)
               : (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    fprintf(stderr, "# WEIR_SEED=%" PRIu64 "\n", seed);
    return seed;
}

/* splitmix64: Steele, Lea and Flood 2014. */
static inline uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Return a number 0 .. limit - 1.  The modulo bias is negligible for small
 * limits. */
static inline uint64_t random_below(struct random *random, uint64_t limit)
{
    return random_next(random) % limit;
}

/* Choose an index of the array `taken` and increment that element.  Thread:
 * any; relaxed, so as not to hide a race. */
#define random_choose(random, taken)                                           \
    random_count(random, taken, sizeof(taken) / sizeof((taken)[0]))

static inline uint64_t random_count(struct random *random, uint64_t *taken,
                                    uint64_t limit)
{
    uint64_t chosen = random_below(random, limit);

    __atomic_fetch_add(&taken[chosen], 1, __ATOMIC_RELAXED);
    return chosen;
}

/* Print the counts and expect that none is 0.  For cases that choose many times
 * more often than there are choices, even on a slow machine. */
#define expect_all_taken(taken)                                                \
    do {                                                                       \
        bool are_all_taken = random_all_taken(                                 \
            #taken, taken, sizeof(taken) / sizeof((taken)[0]));                \
                                                                               \
        expect(are_all_taken);                                                 \
    } while (0)

static inline bool random_all_taken(const char *name, const uint64_t *taken,
                                    uint64_t limit)
{
    bool are_all_taken = true;

    fprintf(stderr, "# %s:", name);
    for (uint64_t i = 0; i < limit; i++) {
        fprintf(stderr, " %" PRIu64, taken[i]);
        are_all_taken &= taken[i] > 0;
    }
    fprintf(stderr, "\n");
    return are_all_taken;
}

#endif /* WEIR_TEST_SUPPORT_RANDOM_H */
