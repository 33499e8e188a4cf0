/* SPDX-License-Identifier: MIT */
/*
 * random -- small random numbers that a test can repeat.
 *
 *     struct random random = {random_seed()};
 *     moment = random_below(&random, 10000);
 *
 * The seed is WEIR_SEED from the environment, or the time; it is printed, so
 * that a failure can be run again.
 */
#ifndef WEIR_TEST_SUPPORT_RANDOM_H
#define WEIR_TEST_SUPPORT_RANDOM_H

#include <inttypes.h>
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

/* 0 .. limit - 1; the bias of a small limit is far below what a test sees. */
static inline uint64_t random_below(struct random *random, uint64_t limit)
{
    return random_next(random) % limit;
}

#endif /* WEIR_TEST_SUPPORT_RANDOM_H */
