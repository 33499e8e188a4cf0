/* SPDX-License-Identifier: MIT */
/*
 * parker -- no wake is lost, and none is made up.  A lost one shows as a case
 * that does not end by its deadline.
 */
#include "base/parker.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "support/crew.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/suite.h"

/* A ball that two threads pass to each other; plain, so that the sanitizer
 * sees whether each pass hands it over. */
enum { PASSES = 100000 };

struct match {
    struct weir__parker parker[2];
    uint64_t ball;
};

static void play(struct crew *crew, unsigned id)
{
    struct match *match = crew->context;
    const unsigned passes = effort_steps(PASSES);

    for (unsigned i = 0; i < passes; i++) {
        weir__parker_park(&match->parker[id]);
        expect_int(match->ball++, 2 * i + id);
        weir__parker_unpark(&match->parker[1 - id]);
    }
}

STRESS_CASE(parker_hands_over_at_each_of_many_passes)
{
    struct match match = {0};

    weir__parker_init(&match.parker[0]);
    weir__parker_init(&match.parker[1]);
    weir__parker_unpark(&match.parker[0]);
    crew_run(2, play, &match);
    expect_int(match.ball, 2 * effort_steps(PASSES));
}

/* Wakers put something down and unpark; the owner parks and takes all there
 * is, until it has had everything.  The count is relaxed: that the owner gets
 * up for the last of it is the parker's work. */
enum { WAKERS = 8, GIFTS = 50000 };

struct table {
    struct weir__parker parker;
    uint64_t gifts; /* atomic */
};

static void give_or_take(struct crew *crew, unsigned id)
{
    struct table *table = crew->context;
    const unsigned gifts = effort_steps(GIFTS);
    uint64_t taken = 0;

    if (id < WAKERS) {
        for (unsigned i = 0; i < gifts; i++) {
            __atomic_fetch_add(&table->gifts, 1, __ATOMIC_RELAXED);
            weir__parker_unpark(&table->parker);
        }
        return;
    }
    while (taken < (uint64_t)WAKERS * gifts) {
        weir__parker_park(&table->parker);
        taken += __atomic_exchange_n(&table->gifts, 0, __ATOMIC_RELAXED);
    }
    expect_int(taken, (uint64_t)WAKERS * gifts);
}

STRESS_CASE(parker_loses_no_wake_of_many_wakers)
{
    struct table table = {.gifts = 0};

    weir__parker_init(&table.parker);
    crew_run(WAKERS + 1, give_or_take, &table);
    expect_int(table.gifts, 0);
}

/* Timeouts about as long as an unpark takes to come.  Each permit is answered
 * before the next is sent: one too few would hang, one too many shows. */
enum { PERMITS = 50000, DELAY_NS = 20000 };

struct errand {
    struct weir__parker parker;
    uint64_t seed;
    uint64_t sent, taken; /* atomic */
};

/* Busy, as a sleep would take longer than all that is to be hit. */
static void let_pass(uint64_t delay_ns)
{
    int64_t end_ns = weir__clock_real() + (int64_t)delay_ns;

    while (weir__clock_real() < end_ns)
        ;
}

static void send_permits(struct errand *errand)
{
    struct random random = {~errand->seed};

    for (uint64_t i = 1; i <= PERMITS; i++) {
        let_pass(random_below(&random, DELAY_NS));
        __atomic_store_n(&errand->sent, i, __ATOMIC_RELAXED);
        weir__parker_unpark(&errand->parker);
        while (__atomic_load_n(&errand->taken, __ATOMIC_RELAXED) != i)
            sched_yield();
    }
}

static void take_permits(struct errand *errand)
{
    struct random random = {errand->seed};
    uint64_t taken = 0;

    /* A sleeper may be late by 50 us otherwise, and unparks come before. */
    expect_int(prctl(PR_SET_TIMERSLACK, 1), 0);
    while (taken < PERMITS) {
        int64_t timeout_ns = (int64_t)random_below(&random, DELAY_NS);
        int err = weir__parker_park_for(&errand->parker, timeout_ns);

        if (err != 0) {
            expect_status(err, -ETIMEDOUT);
            continue;
        }
        taken++;
        expect_int(__atomic_load_n(&errand->sent, __ATOMIC_RELAXED), taken);
        __atomic_store_n(&errand->taken, taken, __ATOMIC_RELAXED);
    }
}

static void send_or_take(struct crew *crew, unsigned id)
{
    if (id == 0)
        send_permits(crew->context);
    else
        take_permits(crew->context);
}

STRESS_CASE(parker_timeouts_neither_lose_nor_make_permits)
{
    struct errand errand = {.seed = random_seed()};

    weir__parker_init(&errand.parker);
    crew_run(2, send_or_take, &errand);
    expect_status(weir__parker_park_for(&errand.parker, 0), -ETIMEDOUT);
}
