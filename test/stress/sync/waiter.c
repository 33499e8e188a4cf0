/* SPDX-License-Identifier: MIT */
/*
 * waiter -- no wake is lost, and each that notify counts has ended one wait.  A
 * lost one shows as a case that does not end by its deadline.
 */
#include "weir/host/waiter.h"

#include <errno.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/suite.h"

/* ---- a ball that two threads pass to each other ---- */

enum { PASSES = 50000 };

struct match {
    int64_t spin_ns;
    uint32_t turn; /* atomic: whose it is */
    uint64_t ball; /* plain, so that the sanitizer sees each hand-over */
};

static void play(struct crew *crew, unsigned id)
{
    struct match *match = crew->context;
    weir_waiter waiter;

    weir_waiter_init(&waiter, match->spin_ns);
    for (unsigned i = 0; i < PASSES; i++) {
        while (__atomic_load_n(&match->turn, __ATOMIC_ACQUIRE) != id) {
            int err = weir_waiter_wait(&waiter, &match->turn, 4, 1 - id, -1);

            expect(err == 0 || err == -EAGAIN);
        }
        expect_int(match->ball++, 2 * i + id);
        __atomic_store_n(&match->turn, 1 - id, __ATOMIC_RELEASE);
        weir_waiter_notify(&match->turn, 1);
    }
}

static void hold_match(int64_t spin_ns)
{
    struct match match = {.spin_ns = spin_ns};

    crew_run(2, play, &match);
    expect_int(match.ball, 2 * PASSES);
}

STRESS_CASE(waiter_hands_over_at_each_of_many_passes)
{
    hold_match(0);
}

STRESS_CASE(waiter_that_spins_hands_over_at_each_of_many_passes)
{
    hold_match(100000);
}

/* ---- conservation ---- */

enum { SLEEPERS = 3, CALLED = 2, NOTIFIERS = 2, WORDS = 3 };

struct siege {
    uint32_t words[WORDS]; /* always 0 */
    uint64_t woken;        /* atomic: waits that were notified */
    uint64_t notified;     /* atomic: those that notify has counted */
    uint64_t awake;        /* atomic: who waits no more */
    struct random seed;
};

static void sleep_often(struct siege *siege, struct random *random)
{
    struct effort effort = effort_begin(2);
    weir_waiter waiter;

    weir_waiter_init(&waiter, (int64_t)random_below(random, 2) * 20000);
    while (effort_goes_on(&effort)) {
        int64_t timeout_ns = (int64_t)random_below(random, 50000);
        int err = weir_waiter_wait(&waiter,
                                   &siege->words[random_below(random, WORDS)],
                                   4, 0, timeout_ns);

        expect(err == 0 || err == -ETIMEDOUT);
        if (err == 0)
            __atomic_fetch_add(&siege->woken, 1, __ATOMIC_RELAXED);
    }
}

struct called {
    weir_waiter waiter; /* first */
    struct siege *siege;
    uint32_t was_called; /* atomic */
};

static void on_woken(weir_waiter *waiter)
{
    struct called *called = (struct called *)waiter;

    __atomic_fetch_add(&called->siege->woken, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&called->was_called, 1, __ATOMIC_RELEASE);
    weir_waiter_notify(&called->was_called, 1);
}

/* Adds and removes; if a notify was first, waits for it. */
static void add_often(struct siege *siege, struct random *random)
{
    struct effort effort = effort_begin(2);
    struct called called = {.siege = siege};
    weir_waiter own;

    weir_waiter_init(&own, 0);
    while (effort_goes_on(&effort)) {
        __atomic_store_n(&called.was_called, 0, __ATOMIC_RELAXED);
        expect_status(
            weir_waiter_add(&called.waiter,
                            &siege->words[random_below(random, WORDS)], 4, 0,
                            on_woken),
            0);
        for (uint64_t i = random_below(random, 1000); i > 0; i--)
            __asm__ volatile("");
        if (weir_waiter_remove(&called.waiter) == 0)
            continue;
        while (__atomic_load_n(&called.was_called, __ATOMIC_ACQUIRE) == 0)
            (void)!weir_waiter_wait(&own, &called.was_called, 4, 0, -1);
    }
}

static void notify_often(struct siege *siege, struct random *random)
{
    while (__atomic_load_n(&siege->awake, __ATOMIC_RELAXED) <
           SLEEPERS + CALLED) {
        uint32_t count =
            weir_waiter_notify(&siege->words[random_below(random, WORDS)],
                               1 + (uint32_t)random_below(random, 3));

        __atomic_fetch_add(&siege->notified, count, __ATOMIC_RELAXED);
    }
}

static void take_part(struct crew *crew, unsigned id)
{
    struct siege *siege = crew->context;
    struct random random = {siege->seed.state + id};

    if (id >= SLEEPERS + CALLED) {
        notify_often(siege, &random);
        return;
    }
    (id < SLEEPERS ? sleep_often : add_often)(siege, &random);
    __atomic_fetch_add(&siege->awake, 1, __ATOMIC_RELAXED);
}

STRESS_CASE(waiter_counts_each_wake_once_under_siege)
{
    struct siege siege = {.seed = {random_seed()}};

    crew_run(SLEEPERS + CALLED + NOTIFIERS, take_part, &siege);
    expect_int(siege.woken, siege.notified);
    expect(siege.woken > 0);
}
