/* SPDX-License-Identifier: MIT */
/*
 * idle -- one thread in all roles: who is counted as what, who is woken, who
 * is sent home, and when all is over.
 */
#include "pool/idle.h"

#include <errno.h>
#include <stddef.h>

#include "support/suite.h"

static struct weir__idle idle;
static struct weir__idle_slot slot[3];

static void begin(uint32_t base, uint32_t live)
{
    weir__idle_init(&idle, base);
    for (int i = 0; i < 3; i++)
        weir__idle_slot_init(&slot[i]);
    for (uint32_t i = 0; i < live; i++)
        expect(weir__idle_join(&idle));
}

static void expect_counts(uint32_t sleepers, uint32_t searchers)
{
    expect_int(weir__idle_sleepers(idle.word.v_), sleepers);
    expect_int(weir__idle_searchers(idle.word.v_), searchers);
}

static void enter(unsigned i)
{
    expect_int(weir__idle_enter(&idle, &slot[i], WEIR__REST_DONE),
               WEIR__ORDER_SLEEP);
}

static bool is_woken(unsigned i)
{
    return weir__parker_park_for(&slot[i].parker, 0) == 0;
}

static bool yes(void *arg)
{
    return true;
}

static bool no(void *arg)
{
    return false;
}

CASE(idle_counts_those_that_join_as_searchers)
{
    begin(2, 2);
    expect_counts(0, 2);
    expect(!weir__idle_found(&idle));
    expect(!weir__idle_found(&idle)); /* nobody sleeps */
    expect_counts(0, 0);
}

CASE(idle_last_searcher_is_told_to_look_again)
{
    begin(2, 2);
    enter(0);
    expect_counts(1, 1);
    expect(weir__idle_found(&idle));
    weir__idle_search(&idle);
    weir__idle_search(&idle);
    expect(!weir__idle_found(&idle)); /* another one searches */
    expect(weir__idle_found(&idle));
}

CASE(idle_notify_wakes_the_last_to_go_idle_if_nobody_searches)
{
    begin(3, 3);
    enter(0);
    enter(1);
    weir__idle_notify(&idle); /* the third searches */
    expect(!is_woken(0) && !is_woken(1));
    expect(weir__idle_found(&idle));
    weir__idle_notify(&idle);
    expect(!is_woken(0) && is_woken(1));
    expect_counts(1, 1);
    weir__idle_notify(&idle); /* the one that was woken searches */
    expect(!is_woken(0));
}

CASE(idle_sleeper_that_is_called_leaves_the_list)
{
    begin(3, 3);
    for (unsigned i = 0; i < 3; i++)
        enter(i);
    weir__idle_call(&slot[1]); /* from the middle */
    expect(weir__idle_sleep(&idle, &slot[1]));
    expect_counts(2, 1);
    expect(weir__idle_found(&idle));
    weir__idle_notify(&idle);
    expect(is_woken(2));
    expect(weir__idle_found(&idle));
    weir__idle_notify(&idle);
    expect(is_woken(0));
    expect_counts(0, 1);
}

CASE(idle_sends_home_one_too_many)
{
    struct weir__idle_slot *given;

    begin(1, 1);
    expect(weir__idle_block(&idle, 2, &given));
    expect(given == NULL); /* nobody has left one */
    expect_counts(0, 2);
    enter(1); /* in the place of the blocked one */
    weir__idle_unblock(&idle);
    expect_int(weir__idle_enter(&idle, &slot[0], WEIR__REST_WAITING),
               WEIR__ORDER_SLEEP); /* it has a job */
    weir__idle_call(&slot[0]);
    expect(weir__idle_sleep(&idle, &slot[0]));
    expect_int(weir__idle_enter(&idle, &slot[0], WEIR__REST_DONE),
               WEIR__ORDER_LEAVE);
    expect_int(idle.live, 1);
    expect_counts(1, 0);
}

/* One is given away in the step that counts the next worker, and comes back in
 * the step that counts it out. */
CASE(idle_slot_of_one_sent_home_is_the_next_ones)
{
    struct weir__idle_slot *given = NULL;

    begin(1, 2);
    expect_int(weir__idle_enter(&idle, &slot[1], WEIR__REST_DONE),
               WEIR__ORDER_LEAVE);
    expect(weir__idle_block(&idle, 3, &given));
    expect(given == &slot[1]);
    weir__idle_unjoin(&idle, given); /* no thread */
    expect_int(idle.live, 1);
    weir__idle_unblock(&idle);
    expect(weir__idle_block(&idle, 3, &given));
    expect(given == &slot[1]);
    expect(weir__idle_join(&idle));
    weir__idle_unblock(&idle);
    expect_int(weir__idle_enter(&idle, &slot[0], WEIR__REST_DONE),
               WEIR__ORDER_LEAVE);
    expect_int(weir__idle_enter(&idle, &slot[1], WEIR__REST_DONE),
               WEIR__ORDER_LEAVE);
    expect(idle.free_slots == &slot[1] && slot[1].next == &slot[0]);
}

CASE(idle_does_not_grow_beyond_the_limit_or_without_need)
{
    struct weir__idle_slot *given;

    begin(1, 2);
    expect(!weir__idle_block(&idle, 2, &given)); /* there is another one */
    expect(!weir__idle_block(&idle, 2, &given)); /* there may be no more */
    weir__idle_unblock(&idle);
    expect(weir__idle_block(&idle, 3, &given));
    weir__idle_unjoin(&idle, NULL); /* but no memory */
    expect_int(idle.live, 2);
    expect(idle.free_slots == NULL);
}

CASE(idle_unjoin_wakes_one_for_work_that_was_left_to_it)
{
    struct weir__idle_slot *given;

    begin(2, 2);
    enter(1);
    expect(weir__idle_found(&idle));
    expect(weir__idle_block(&idle, 3, &given));
    weir__idle_notify(&idle); /* the one that was joined searches */
    expect(!is_woken(1));
    weir__idle_unjoin(&idle, given);
    expect(is_woken(1));
    expect_counts(0, 1);
}

CASE(idle_is_over_when_all_rest_and_nothing_is_left)
{
    begin(2, 2);
    enter(0);
    expect(!weir__idle_end(&idle, true, yes, NULL)); /* one is awake */
    enter(1);
    expect(!weir__idle_end(&idle, false, no, NULL)); /* work is left */
    expect(weir__idle_hold(&idle));
    expect(!weir__idle_end(&idle, false, yes, NULL)); /* some may come */
    weir__idle_let_go(&idle);
    expect(weir__idle_end(&idle, false, yes, NULL));
    expect(!weir__idle_end(&idle, false, yes, NULL)); /* once */
    expect(!weir__idle_hold(&idle));
    expect(!weir__idle_join(&idle));
    expect(!weir__idle_sleep(&idle, &slot[0]));
    expect(!weir__idle_sleep(&idle, &slot[1]));
    expect_counts(0, 0);
}

CASE(idle_is_not_over_while_one_waits_in_the_middle_of_a_job)
{
    begin(1, 1);
    expect_int(weir__idle_enter(&idle, &slot[0], WEIR__REST_WAITING),
               WEIR__ORDER_SLEEP);
    expect(!weir__idle_end(&idle, true, yes, NULL));
    weir__idle_call(&slot[0]);
    expect(weir__idle_sleep(&idle, &slot[0]));
    enter(0);
    expect(weir__idle_end(&idle, false, yes, NULL));
}

/* Without membarrier, notify is a read-modify-write. */
CASE(idle_without_membarrier_does_the_same)
{
    begin(2, 2);
    idle.is_asymmetric = false;
    enter(0);
    weir__idle_notify(&idle);
    expect(!is_woken(0));
    expect(weir__idle_found(&idle));
    weir__idle_notify(&idle);
    expect(is_woken(0));
}
