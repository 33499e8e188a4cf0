/* SPDX-License-Identifier: MIT */
/*
 * parker -- one permit, no lost wake, under every interleaving.
 */
#include "base/parker.h"

#include <errno.h>

#include "model.h"

static struct weir__parker parker;
static int given[2];        /* what each waker wrote before its unpark */
static atomic(int) permits; /* unparks that have begun */

static void init(void)
{
    weir__parker_init(&parker);
    model_show(&parker.word, "parker", NULL);
}

static void waker(void)
{
    plain_store(&given[model_self()], 1);
    weir__parker_unpark(&parker);
}

static void sleeper(void)
{
    weir__parker_park(&parker);
    model_assert(plain_load(&given[0]) == 1);
}

/* Both wakers write before they unpark; permits collapse, so one park may take
 * what both left, and a second one may then sleep forever: it is timed. */
static void sleeper_of_two(void)
{
    weir__parker_park(&parker);
    (void)!weir__parker_park_for(&parker, 1);
}

static void counting_waker(void)
{
    (void)ATOMIC_ADD(&permits, 1, __ATOMIC_RELAXED);
    weir__parker_unpark(&parker);
}

/* Each wake-up is for something: the loop of every user of a parker. */
static void sleeper_until_both(void)
{
    while (load_relaxed(&permits) < 2)
        weir__parker_park(&parker);
}

static void timed_sleeper(void)
{
    int err = weir__parker_park_for(&parker, 1);

    model_assert(err == 0 || err == -ETIMEDOUT);
    if (err == 0)
        model_assert(plain_load(&given[0]) == 1);
    else
        weir__parker_park(&parker); /* the permit still comes */
    model_assert(plain_load(&given[0]) == 1);
}

static void look_only(void)
{
    int err = weir__parker_park_for(&parker, 0);

    model_assert(err == 0 || err == -ETIMEDOUT);
    if (err != 0)
        weir__parker_park(&parker);
    model_assert(plain_load(&given[0]) == 1);
}

/* The sleeper's parker is gone as soon as park returns. */
static struct weir__parker *allocated;

static void init_allocated(void)
{
    allocated = model_alloc(sizeof(*allocated));
    weir__parker_init(allocated);
}

static void wake_allocated(void)
{
    weir__parker_unpark(allocated);
}

static void sleep_and_free(void)
{
    struct weir__parker *mine = allocated;

    weir__parker_park(mine);
    model_free(mine);
    allocated = NULL;
}

static const struct model_case cases[] = {
    {"unpark_hands_over_what_came_before", .setup = init, .spurious = 1,
     .threads = {T(waker), T(sleeper)}},
    {"two_unparks_leave_at_least_one_permit", .setup = init,
     .threads = {T(waker), T(waker), T(sleeper_of_two)}},
    {"no_wake_is_lost_between_two_wakers", .setup = init, .spurious = 1,
     .threads = {T(counting_waker), T(counting_waker), T(sleeper_until_both)}},
    {"timed_park_takes_the_permit_or_leaves_it", .setup = init, .spurious = 1,
     .threads = {T(waker), T(timed_sleeper)}},
    {"park_for_zero_only_looks", .setup = init,
     .threads = {T(waker), T(look_only)}},
    {"parker_may_be_freed_when_park_returns", .setup = init_allocated,
     .may_delay = true, .threads = {T(wake_allocated), T(sleep_and_free)}},
};

MODEL_CASES(cases)
