/* SPDX-License-Identifier: MIT */
/*
 * litmus -- small programs whose outcomes under C11 are known, as programs of
 * others: plain C11, compiled with -fsanitize=thread.
 *
 * Each has at most four threads and prints what they read.  The set of outcomes
 * must be exactly the one that is published for C11 (Batty et al. 2011; Lahav
 * et al. 2017 for fences), with and without reduction.  Of load buffering, the
 * outcome 11 of relaxed accesses is allowed by C11 and not explored.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "weir/explore.h"

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC memory_order_seq_cst
#define LOAD(x, order) atomic_load_explicit(&(x), order)
#define STORE(x, value, order) atomic_store_explicit(&(x), value, order)
#define FENCE(order) atomic_thread_fence(order)

static atomic_int x, y, z;
static int r[4]; /* each written by one thread */

/* A program with the orders given, as four functions and what it reads. */
#define PROGRAM(name, a, b, c, d)                                              \
    static void *name##_a(void *unused)                                        \
    {                                                                          \
        a;                                                                     \
        return unused;                                                         \
    }                                                                          \
    static void *name##_b(void *unused)                                        \
    {                                                                          \
        b;                                                                     \
        return unused;                                                         \
    }                                                                          \
    static void *name##_c(void *unused)                                        \
    {                                                                          \
        c;                                                                     \
        return unused;                                                         \
    }                                                                          \
    static void *name##_d(void *unused)                                        \
    {                                                                          \
        d;                                                                     \
        return unused;                                                         \
    }

PROGRAM(sb_rlx, (STORE(x, 1, RLX), r[0] = LOAD(y, RLX)),
        (STORE(y, 1, RLX), r[1] = LOAD(x, RLX)), (void)0, (void)0)
PROGRAM(sb_acq_rel, (STORE(x, 1, REL), r[0] = LOAD(y, ACQ)),
        (STORE(y, 1, REL), r[1] = LOAD(x, ACQ)), (void)0, (void)0)
PROGRAM(sb_sc, (STORE(x, 1, SC), r[0] = LOAD(y, SC)),
        (STORE(y, 1, SC), r[1] = LOAD(x, SC)), (void)0, (void)0)
PROGRAM(sb_half_sc, (STORE(x, 1, SC), r[0] = LOAD(y, SC)),
        (STORE(y, 1, SC), r[1] = LOAD(x, RLX)), (void)0, (void)0)
PROGRAM(sb_fences, (STORE(x, 1, RLX), FENCE(SC), r[0] = LOAD(y, RLX)),
        (STORE(y, 1, RLX), FENCE(SC), r[1] = LOAD(x, RLX)), (void)0, (void)0)
PROGRAM(sb_one_fence, (STORE(x, 1, RLX), FENCE(SC), r[0] = LOAD(y, RLX)),
        (STORE(y, 1, RLX), r[1] = LOAD(x, RLX)), (void)0, (void)0)
PROGRAM(sb_weak_fences,
        (STORE(x, 1, RLX), FENCE(memory_order_acq_rel), r[0] = LOAD(y, RLX)),
        (STORE(y, 1, RLX), FENCE(memory_order_acq_rel), r[1] = LOAD(x, RLX)),
        (void)0, (void)0)
PROGRAM(sb_rmw,
        (atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel),
         r[0] = LOAD(y, ACQ)),
        (atomic_fetch_add_explicit(&y, 1, memory_order_acq_rel),
         r[1] = LOAD(x, ACQ)),
        (void)0, (void)0)
PROGRAM(sb_fence_sc, (STORE(x, 1, RLX), FENCE(SC), r[0] = LOAD(y, RLX)),
        (STORE(y, 1, SC), r[1] = LOAD(x, SC)), (void)0, (void)0)

PROGRAM(mp_rlx, (STORE(x, 1, RLX), STORE(y, 1, RLX)),
        (r[0] = LOAD(y, RLX), r[1] = LOAD(x, RLX)), (void)0, (void)0)
PROGRAM(mp_acq_rel, (STORE(x, 1, RLX), STORE(y, 1, REL)),
        (r[0] = LOAD(y, ACQ), r[1] = LOAD(x, RLX)), (void)0, (void)0)
PROGRAM(mp_rel_rlx, (STORE(x, 1, RLX), STORE(y, 1, REL)),
        (r[0] = LOAD(y, RLX), r[1] = LOAD(x, RLX)), (void)0, (void)0)
PROGRAM(mp_rlx_acq, (STORE(x, 1, RLX), STORE(y, 1, RLX)),
        (r[0] = LOAD(y, ACQ), r[1] = LOAD(x, RLX)), (void)0, (void)0)
PROGRAM(mp_fences, (STORE(x, 1, RLX), FENCE(REL), STORE(y, 1, RLX)),
        (r[0] = LOAD(y, RLX), FENCE(ACQ), r[1] = LOAD(x, RLX)), (void)0,
        (void)0)
PROGRAM(mp_release_fence, (STORE(x, 1, RLX), FENCE(REL), STORE(y, 1, RLX)),
        (r[0] = LOAD(y, ACQ), r[1] = LOAD(x, RLX)), (void)0, (void)0)
PROGRAM(mp_acquire_fence, (STORE(x, 1, RLX), STORE(y, 1, REL)),
        (r[0] = LOAD(y, RLX), FENCE(ACQ), r[1] = LOAD(x, RLX)), (void)0,
        (void)0)
PROGRAM(mp_fence_after_store, (STORE(x, 1, RLX), STORE(y, 1, RLX), FENCE(REL)),
        (r[0] = LOAD(y, RLX), FENCE(ACQ), r[1] = LOAD(x, RLX)), (void)0,
        (void)0)
PROGRAM(mp_fence_before_load, (STORE(x, 1, RLX), FENCE(REL), STORE(y, 1, RLX)),
        (FENCE(ACQ), r[0] = LOAD(y, RLX), r[1] = LOAD(x, RLX)), (void)0,
        (void)0)

PROGRAM(lb, (r[0] = LOAD(x, RLX), STORE(y, 1, RLX)),
        (r[1] = LOAD(y, RLX), STORE(x, 1, RLX)), (void)0, (void)0)
PROGRAM(lb_acq_rel, (r[0] = LOAD(x, ACQ), STORE(y, 1, REL)),
        (r[1] = LOAD(y, ACQ), STORE(x, 1, REL)), (void)0, (void)0)

PROGRAM(iriw_acq, STORE(x, 1, REL), STORE(y, 1, REL),
        (r[0] = LOAD(x, ACQ), r[1] = LOAD(y, ACQ)),
        (r[2] = LOAD(y, ACQ), r[3] = LOAD(x, ACQ)))
PROGRAM(iriw_sc, STORE(x, 1, SC), STORE(y, 1, SC),
        (r[0] = LOAD(x, SC), r[1] = LOAD(y, SC)),
        (r[2] = LOAD(y, SC), r[3] = LOAD(x, SC)))
PROGRAM(iriw_fences, STORE(x, 1, RLX), STORE(y, 1, RLX),
        (r[0] = LOAD(x, RLX), FENCE(SC), r[1] = LOAD(y, RLX)),
        (r[2] = LOAD(y, RLX), FENCE(SC), r[3] = LOAD(x, RLX)))

PROGRAM(corr, STORE(x, 1, RLX), (r[0] = LOAD(x, RLX), r[1] = LOAD(x, RLX)),
        (void)0, (void)0)
PROGRAM(corr2, STORE(x, 1, RLX), STORE(x, 2, RLX),
        (r[0] = LOAD(x, RLX), r[1] = LOAD(x, RLX)),
        (r[2] = LOAD(x, RLX), r[3] = LOAD(x, RLX)))
PROGRAM(cowr, (STORE(x, 1, RLX), r[0] = LOAD(x, RLX)), STORE(x, 2, RLX),
        (void)0, (void)0)
PROGRAM(corw, (r[0] = LOAD(x, RLX), STORE(x, 1, RLX)), STORE(x, 2, RLX),
        (void)0, (void)0)
PROGRAM(wrc_acq, STORE(x, 1, REL), (r[0] = LOAD(x, ACQ), STORE(y, 1, REL)),
        (r[1] = LOAD(y, ACQ), r[2] = LOAD(x, RLX)), (void)0)
PROGRAM(wrc_rlx, STORE(x, 1, RLX), (r[0] = LOAD(x, RLX), STORE(y, 1, RLX)),
        (r[1] = LOAD(y, RLX), r[2] = LOAD(x, RLX)), (void)0)

/* A release sequence goes on through the increment of another thread. */
PROGRAM(release_sequence, (STORE(x, 1, RLX), STORE(y, 1, REL)),
        atomic_fetch_add_explicit(&y, 2, RLX),
        (r[0] = LOAD(y, ACQ), r[1] = LOAD(x, RLX)), (void)0)
/* ... but not through its store. */
PROGRAM(no_release_sequence, (STORE(x, 1, RLX), STORE(y, 1, REL)),
        STORE(y, 3, RLX), (r[0] = LOAD(y, ACQ), r[1] = LOAD(x, RLX)), (void)0)

PROGRAM(two_plus_two_w, (STORE(x, 1, RLX), STORE(y, 2, RLX)),
        (STORE(y, 1, RLX), STORE(x, 2, RLX)), (void)0, (void)0)
PROGRAM(two_plus_two_w_sc, (STORE(x, 1, SC), STORE(y, 2, SC)),
        (STORE(y, 1, SC), STORE(x, 2, SC)), (void)0, (void)0)
PROGRAM(two_plus_two_w_fences, (STORE(x, 1, RLX), FENCE(SC), STORE(y, 2, RLX)),
        (STORE(y, 1, RLX), FENCE(SC), STORE(x, 2, RLX)), (void)0, (void)0)
PROGRAM(r_fences, (STORE(x, 1, RLX), FENCE(SC), STORE(y, 1, RLX)),
        (STORE(y, 2, RLX), FENCE(SC), r[0] = LOAD(x, RLX)), (void)0, (void)0)

PROGRAM(increments, atomic_fetch_add_explicit(&x, 1, RLX),
        atomic_fetch_add_explicit(&x, 1, RLX),
        atomic_fetch_add_explicit(&x, 1, RLX), (void)0)

/* What is printed: registers, or at the end, memory. */
enum shown { R01, R012, R0123, R0, X, XY, R0X, R0Y };

static const struct program {
    const char *name;
    void *(*thread[4])(void *);
    unsigned threads;
    enum shown shown;
    const char *outcomes;
} programs[] = {
#define P(name, threads, shown, outcomes)                                      \
    {                                                                          \
#name, {name##_a, name##_b, name##_c, name##_d }, threads, shown,      \
                outcomes                                                       \
    }
    P(sb_rlx, 2, R01, "00 01 10 11"),
    P(sb_acq_rel, 2, R01, "00 01 10 11"),
    P(sb_sc, 2, R01, "01 10 11"),
    P(sb_half_sc, 2, R01, "00 01 10 11"),
    P(sb_fences, 2, R01, "01 10 11"),
    P(sb_one_fence, 2, R01, "00 01 10 11"),
    P(sb_weak_fences, 2, R01, "00 01 10 11"),
    P(sb_rmw, 2, R01, "00 01 10 11"),
    P(sb_fence_sc, 2, R01, "01 10 11"),
    P(mp_rlx, 2, R01, "00 01 10 11"),
    P(mp_acq_rel, 2, R01, "00 01 11"),
    P(mp_rel_rlx, 2, R01, "00 01 10 11"),
    P(mp_rlx_acq, 2, R01, "00 01 10 11"),
    P(mp_fences, 2, R01, "00 01 11"),
    P(mp_release_fence, 2, R01, "00 01 11"),
    P(mp_acquire_fence, 2, R01, "00 01 11"),
    P(mp_fence_after_store, 2, R01, "00 01 10 11"),
    P(mp_fence_before_load, 2, R01, "00 01 10 11"),
    P(lb, 2, R01, "00 01 10"),
    P(lb_acq_rel, 2, R01, "00 01 10"),
    P(iriw_acq, 4, R0123,
      "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 "
      "1110 1111"),
    P(iriw_sc, 4, R0123,
      "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 "
      "1111"),
    P(iriw_fences, 4, R0123,
      "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 "
      "1111"),
    P(corr, 2, R01, "00 01 11"),
    P(corr2, 4, R0123,
      "0000 0001 0002 0011 0012 0021 0022 0100 0101 0102 0111 0112 0121 0122 "
      "0200 0201 0202 0211 0212 0221 0222 1100 1101 1102 1111 1112 1121 1122 "
      "1200 1201 1202 1211 1212 1222 2100 2101 2102 2111 2121 2122 2200 2201 "
      "2202 2211 2212 2221 2222"),
    P(cowr, 2, R0X, "11 12 22"),
    P(corw, 2, R0X, "01 02 21"),
    P(wrc_acq, 3, R012, "000 001 010 011 100 101 111"),
    P(wrc_rlx, 3, R012, "000 001 010 011 100 101 110 111"),
    P(release_sequence, 3, R01, "00 01 11 20 21 31"),
    P(no_release_sequence, 3, R01, "00 01 11 30 31"),
    P(two_plus_two_w, 2, XY, "11 12 21 22"),
    P(two_plus_two_w_sc, 2, XY, "12 21 22"),
    P(two_plus_two_w_fences, 2, XY, "12 21 22"),
    P(r_fences, 2, R0Y, "01 11 12"),
    P(increments, 3, X, "3"),
};

static void print_outcome(enum shown shown)
{
    switch (shown) {
    case R0:
        weir_explore_outcome("%d", r[0]);
        break;
    case R01:
        weir_explore_outcome("%d%d", r[0], r[1]);
        break;
    case R012:
        weir_explore_outcome("%d%d%d", r[0], r[1], r[2]);
        break;
    case R0123:
        weir_explore_outcome("%d%d%d%d", r[0], r[1], r[2], r[3]);
        break;
    case X:
        weir_explore_outcome("%d", atomic_load(&x));
        break;
    case XY:
        weir_explore_outcome("%d%d", atomic_load(&x), atomic_load(&y));
        break;
    case R0X:
        weir_explore_outcome("%d%d", r[0], atomic_load(&x));
        break;
    case R0Y:
        weir_explore_outcome("%d%d", r[0], atomic_load(&y));
        break;
    }
}

static void run(void *argument)
{
    const struct program *program = argument;
    pthread_t thread[4];

    for (unsigned i = 0; i < program->threads; i++)
        pthread_create(&thread[i], NULL, program->thread[i], NULL);
    for (unsigned i = 0; i < program->threads; i++)
        pthread_join(thread[i], NULL);
    print_outcome(program->shown);
}

static int number, failures;

static void check(const struct program *program, bool no_reduction)
{
    weir_explore_options options = {.size = sizeof(options),
                                    .no_reduction = no_reduction};
    weir_explore_result result = {.size = sizeof(result)};
    int error = weir_explore_run(run, (void *)program, &options, &result);
    bool ok = error == 0 && result.finding == WEIR_EXPLORE_NOTHING &&
              result.is_complete &&
              strcmp(result.outcomes, program->outcomes) == 0;

    printf("%s %d - %s has its outcomes%s\n", ok ? "ok" : "not ok", ++number,
           program->name, no_reduction ? ", without reduction" : "");
    printf("#   %llu executions, %llu pruned, %.2f s\n",
           (unsigned long long)result.executions,
           (unsigned long long)result.pruned, result.seconds);
    if (!ok) {
        failures++;
        printf("#   expected: %s\n#   outcomes: %s\n", program->outcomes,
               result.outcomes);
        if (result.finding != WEIR_EXPLORE_NOTHING)
            printf("%s", result.report);
    }
    fflush(stdout);
    weir_explore_result_fini(&result);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        check(&programs[i], false);
        /* Four threads have too many executions for that. */
        if (programs[i].threads < 4)
            check(&programs[i], true);
    }
    printf("1..%d\n", number);
    return failures != 0;
}
