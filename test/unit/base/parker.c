/* SPDX-License-Identifier: MIT */
/*
 * parker -- one permit, and a sleep that only a permit or its deadline ends.
 */
#include "base/parker.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "support/crew.h"
#include "support/suite.h"

enum { MILLISECOND_NS = 1000000 };

static struct weir__parker parker; /* zero is EMPTY, but see begin() */

static void begin(void)
{
    memset(&parker, 0xa5, sizeof(parker));
    weir__parker_init(&parker);
}

CASE(parker_begins_without_permit)
{
    begin();
    expect_status(weir__parker_park_for(&parker, 0), -ETIMEDOUT);
}

CASE(parker_park_after_unpark_returns)
{
    begin();
    weir__parker_unpark(&parker);
    weir__parker_park(&parker);
}

CASE(parker_unparks_collapse_into_one_permit)
{
    begin();
    for (int i = 0; i < 3; i++)
        weir__parker_unpark(&parker);
    expect_status(weir__parker_park_for(&parker, 0), 0);
    expect_status(weir__parker_park_for(&parker, 0), -ETIMEDOUT);
}

CASE(parker_timed_park_takes_a_permit_at_hand)
{
    begin();
    weir__parker_unpark(&parker);
    expect_status(weir__parker_park_for(&parker, MILLISECOND_NS), 0);
    expect_status(weir__parker_park_for(&parker, 0), -ETIMEDOUT);
}

CASE(parker_timed_park_ends_not_before_its_deadline)
{
    begin();
    for (int64_t timeout_ns = 1; timeout_ns < 20 * MILLISECOND_NS;
         timeout_ns *= 3) {
        int64_t begun_ns = weir__clock_real();

        expect_status(weir__parker_park_for(&parker, timeout_ns), -ETIMEDOUT);
        expect(weir__clock_real() - begun_ns >= timeout_ns);
    }
}

CASE(parker_timed_park_ends_while_the_clock_is_frozen)
{
    begin();
    expect_status(weir_clock_freeze(0), 0);
    expect_status(weir__parker_park_for(&parker, MILLISECOND_NS), -ETIMEDOUT);
}

CASE(parker_that_timed_out_can_be_used_again)
{
    begin();
    expect_status(weir__parker_park_for(&parker, 1), -ETIMEDOUT);
    weir__parker_unpark(&parker);
    expect_status(weir__parker_park_for(&parker, 0), 0);
    expect_status(weir__parker_park_for(&parker, 0), -ETIMEDOUT);
}

/* An owner on its own thread, which parks once. */
struct owner {
    int64_t timeout_ns; /* 0: park without limit */
    int status;
    bool is_up; /* atomic */
};

static void park_once(struct crew *crew, unsigned id)
{
    struct owner *owner = crew->context;

    if (owner->timeout_ns == 0)
        weir__parker_park(&parker);
    else
        owner->status = weir__parker_park_for(&parker, owner->timeout_ns);
    __atomic_store_n(&owner->is_up, true, __ATOMIC_RELEASE);
}

static void expect_unpark_wakes(struct owner *owner)
{
    struct crew crew;

    begin();
    crew_start(&crew, 1, park_once, owner);
    expect(await_asleep(crew.members[0].tid));
    weir__parker_unpark(&parker);
    crew_join(&crew);
    expect_status(owner->status, 0);
    expect_status(weir__parker_park_for(&parker, 0), -ETIMEDOUT);
}

CASE(parker_unpark_wakes_the_sleeping_owner)
{
    struct owner owner = {0};

    expect_unpark_wakes(&owner);
}

CASE(parker_unpark_wakes_an_owner_with_negative_timeout)
{
    struct owner owner = {.timeout_ns = -1, .status = 1};

    expect_unpark_wakes(&owner);
}

CASE(parker_unpark_wakes_an_owner_who_would_sleep_for_ages)
{
    struct owner owner = {.timeout_ns = INT64_MAX, .status = 1};

    expect_unpark_wakes(&owner);
}

static void catch_signal(int number)
{
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = catch_signal}; /* no SA_RESTART */

    expect_int(sigaction(SIGUSR1, &action, NULL), 0);
}

CASE(parker_park_is_not_ended_by_signals)
{
    struct owner owner = {0};
    struct crew crew;

    begin();
    handle_signals();
    crew_start(&crew, 1, park_once, &owner);
    for (int i = 0; i < 10; i++) {
        expect(await_asleep(crew.members[0].tid));
        expect_int(pthread_kill(crew.members[0].thread, SIGUSR1), 0);
    }
    expect(await_asleep(crew.members[0].tid));
    expect(!__atomic_load_n(&owner.is_up, __ATOMIC_ACQUIRE));
    weir__parker_unpark(&parker);
    crew_join(&crew);
}

CASE(parker_timed_park_is_not_shortened_by_signals)
{
    struct owner owner = {.timeout_ns = 50 * MILLISECOND_NS};
    int64_t begun_ns = weir__clock_real();
    struct crew crew;

    begin();
    handle_signals();
    crew_start(&crew, 1, park_once, &owner);
    while (!__atomic_load_n(&owner.is_up, __ATOMIC_ACQUIRE)) {
        expect_int(pthread_kill(crew.members[0].thread, SIGUSR1), 0);
        sched_yield();
    }
    expect(weir__clock_real() - begun_ns >= owner.timeout_ns);
    crew_join(&crew);
    expect_status(owner.status, -ETIMEDOUT);
}

/* Two wakers one after the other, and then the owner; in step by relaxed
 * operations, which hand nothing over, so that only the parker can. */
struct letters {
    int text[2];
    unsigned step;
};

static void await_step(struct letters *letters, unsigned step)
{
    while (__atomic_load_n(&letters->step, __ATOMIC_RELAXED) != step)
        sched_yield();
}

static void write_or_park(struct crew *crew, unsigned id)
{
    struct letters *letters = crew->context;

    await_step(letters, id);
    if (id < 2) {
        letters->text[id] = 42;
        weir__parker_unpark(&parker);
        __atomic_store_n(&letters->step, id + 1, __ATOMIC_RELAXED);
    } else {
        weir__parker_park(&parker);
        expect_int(letters->text[0], 42);
        expect_int(letters->text[1], 42);
    }
}

CASE(parker_park_sees_what_came_before_every_collapsed_unpark)
{
    struct letters letters = {0};

    begin();
    crew_run(3, write_or_park, &letters);
}

/* The owner frees its parker as soon as park returns, when unpark may still be
 * on its way out. */
struct passed_parker {
    struct weir__parker *parker; /* atomic; NULL until the owner has made it */
};

static void unpark_or_free(struct crew *crew, unsigned id)
{
    struct passed_parker *passed = crew->context;

    for (int i = 0; i < 2000; i++) {
        struct weir__parker *mine;

        if (id == 0) {
            mine = malloc(sizeof(*mine));
            expect(mine != NULL);
            weir__parker_init(mine);
            __atomic_store_n(&passed->parker, mine, __ATOMIC_RELEASE);
            weir__parker_park(mine);
            free(mine);
        } else {
            while ((mine = __atomic_exchange_n(&passed->parker, NULL,
                                               __ATOMIC_ACQUIRE)) == NULL)
                sched_yield();
            weir__parker_unpark(mine);
        }
    }
}

CASE(parker_may_be_freed_while_unpark_returns)
{
    struct passed_parker passed = {NULL};

    crew_run(2, unpark_or_free, &passed);
}
