/* SPDX-License-Identifier: MIT */
/*
 * effort -- how long a stress case runs.
 *
 *     struct effort effort = effort_begin(4);     seconds
 *     while (effort_goes_on(&effort))
 *         ...                                     a round
 *
 * For one thread; one member of a crew calls it for all.  Environment
 * variables, for `make verify` and for debugging:
 *
 *     WEIR_ROUNDS=1000000     this many rounds, however long they take
 *     WEIR_SECONDS=60         this long, instead of what the case says
 *     WEIR_BRIEF=1            an eighth of a fixed number of steps (effort_steps)
 *
 * A case has a deadline (suite.h), which libcheck multiplies by
 * CK_TIMEOUT_MULTIPLIER.  For a million rounds:
 *
 *     WEIR_ROUNDS=1000000 CK_TIMEOUT_MULTIPLIER=10 build/tsan/test/stress/...
 */
#ifndef WEIR_TEST_SUPPORT_EFFORT_H
#define WEIR_TEST_SUPPORT_EFFORT_H

#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "suite.h"

#ifndef __has_feature /* clang's counterpart of gcc's macros */
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { IS_THREAD_SANITIZED = true };
#else
enum { IS_THREAD_SANITIZED = false };
#endif

struct effort {
    uint64_t rounds; /* so far */
    uint64_t limit;  /* 0: by time */
    int64_t begin_ns, end_ns;
};

static inline int64_t effort_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* How many steps a case takes whose steps are counted. */
static inline unsigned effort_steps(unsigned steps)
{
    return getenv("WEIR_BRIEF") != NULL ? steps / 8 : steps;
}

static inline struct effort effort_begin(double seconds)
{
    const char *rounds = getenv("WEIR_ROUNDS");
    const char *given = getenv("WEIR_SECONDS");
    struct effort effort = {.begin_ns = effort_now()};

    if (rounds != NULL)
        effort.limit = strtoull(rounds, NULL, 0);
    if (given != NULL)
        seconds = strtod(given, NULL);
    effort.end_ns = effort.begin_ns + (int64_t)(seconds * 1e9);
    return effort;
}

/* Whether there is another round.  Prints the number of rounds at the end. */
static inline bool effort_goes_on(struct effort *effort)
{
    bool goes_on = effort->limit != 0 ? effort->rounds < effort->limit
                                      : effort_now() < effort->end_ns;

    if (goes_on)
        effort->rounds++;
    else
        fprintf(stderr, "# %" PRIu64 " rounds in %.1f s\n", effort->rounds,
                (double)(effort_now() - effort->begin_ns) / 1e9);
    return goes_on;
}

/*
 * Pin the case to one core, for cases with many threads under ThreadSanitizer.
 * It compares vector clocks, so it finds as much on one core as on two.  On
 * two, its own locks around a word that a hundred threads contend for make the
 * case several times slower.
 */
static inline void effort_spare_the_sanitizer(void)
{
    cpu_set_t one;

    if (!IS_THREAD_SANITIZED)
        return;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    expect_int(sched_setaffinity(0, sizeof(one), &one), 0);
}

#endif /* WEIR_TEST_SUPPORT_EFFORT_H */
