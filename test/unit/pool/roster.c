/* SPDX-License-Identifier: MIT */
/*
 * roster -- one thread in all roles: who is counted as what, who is woken, who
 * is sent home, and when all is over.
 */
#include "pool/roster.h"

#include <errno.h>
#include <stddef.h>

#include "support/suite.h"

static struct weir__roster roster;
static struct weir__bunk bunk[3];

static void begin(uint32_t base, uint32_t live)
{
    weir__roster_init(&roster, base);
    for (int i = 0; i < 3; i++)
        weir__bunk_init(&bunk[i]);
    for (uint32_t i = 0; i < live; i++)
        expect(weir__roster_join(&roster));
}

static void expect_counts(uint32_t sleepers, uint32_t searchers)
{
    expect_int(weir__roster_sleepers(roster.word.v_), sleepers);
    expect_int(weir__roster_searchers(roster.word.v_), searchers);
}

static void lie_down(unsigned i)
{
    expect_int(weir__roster_lie_down(&roster, &bunk[i], WEIR__REST_DONE),
               WEIR__ORDER_SLEEP);
}

static bool is_woken(unsigned i)
{
    return weir__parker_park_for(&bunk[i].parker, 0) == 0;
}

static bool yes(void *arg)
{
    (void)arg;
    return true;
}

static bool no(void *arg)
{
    (void)arg;
    return false;
}

CASE(roster_counts_those_that_join_as_searchers)
{
    begin(2, 2);
    expect_counts(0, 2);
    expect(!weir__roster_found(&roster));
    expect(!weir__roster_found(&roster)); /* nobody sleeps */
    expect_counts(0, 0);
}

CASE(roster_last_searcher_is_told_to_look_again)
{
    begin(2, 2);
    lie_down(0);
    expect_counts(1, 1);
    expect(weir__roster_found(&roster));
    weir__roster_search(&roster);
    weir__roster_search(&roster);
    expect(!weir__roster_found(&roster)); /* another one searches */
    expect(weir__roster_found(&roster));
}

CASE(roster_notify_wakes_the_last_to_lie_down_if_nobody_searches)
{
    begin(3, 3);
    lie_down(0);
    lie_down(1);
    weir__roster_notify(&roster); /* the third searches */
    expect(!is_woken(0) && !is_woken(1));
    expect(weir__roster_found(&roster));
    weir__roster_notify(&roster);
    expect(!is_woken(0) && is_woken(1));
    expect_counts(1, 1);
    weir__roster_notify(&roster); /* the one that was woken searches */
    expect(!is_woken(0));
}

CASE(roster_sleeper_that_is_called_leaves_the_list)
{
    begin(3, 3);
    for (unsigned i = 0; i < 3; i++)
        lie_down(i);
    weir__roster_call(&bunk[1]); /* from the middle */
    expect(weir__roster_sleep(&roster, &bunk[1]));
    expect_counts(2, 1);
    expect(weir__roster_found(&roster));
    weir__roster_notify(&roster);
    expect(is_woken(2));
    expect(weir__roster_found(&roster));
    weir__roster_notify(&roster);
    expect(is_woken(0));
    expect_counts(0, 1);
}

CASE(roster_sends_home_one_too_many)
{
    struct weir__bunk *given;

    begin(1, 1);
    expect(weir__roster_block(&roster, 2, &given));
    expect(given == NULL); /* nobody has left one */
    expect_counts(0, 2);
    lie_down(1); /* in the place of the blocked one */
    weir__roster_unblock(&roster);
    expect_int(weir__roster_lie_down(&roster, &bunk[0], WEIR__REST_WAITING),
               WEIR__ORDER_SLEEP); /* it has a job */
    weir__roster_call(&bunk[0]);
    expect(weir__roster_sleep(&roster, &bunk[0]));
    expect_int(weir__roster_lie_down(&roster, &bunk[0], WEIR__REST_DONE),
               WEIR__ORDER_LEAVE);
    expect_int(roster.live, 1);
    expect_counts(1, 0);
}

/* One is given away in the step that counts the next worker, and comes back in
 * the step that counts it out. */
CASE(roster_bunk_of_one_sent_home_is_the_next_ones)
{
    struct weir__bunk *given = NULL;

    begin(1, 2);
    expect_int(weir__roster_lie_down(&roster, &bunk[1], WEIR__REST_DONE),
               WEIR__ORDER_LEAVE);
    expect(weir__roster_block(&roster, 3, &given));
    expect(given == &bunk[1]);
    weir__roster_unjoin(&roster, given); /* no thread */
    expect_int(roster.live, 1);
    weir__roster_unblock(&roster);
    expect(weir__roster_block(&roster, 3, &given));
    expect(given == &bunk[1]);
    expect(weir__roster_join(&roster));
    weir__roster_unblock(&roster);
    expect_int(weir__roster_lie_down(&roster, &bunk[0], WEIR__REST_DONE),
               WEIR__ORDER_LEAVE);
    expect_int(weir__roster_lie_down(&roster, &bunk[1], WEIR__REST_DONE),
               WEIR__ORDER_LEAVE);
    expect(roster.home == &bunk[1] && bunk[1].next == &bunk[0]);
}

CASE(roster_does_not_grow_beyond_the_limit_or_without_need)
{
    struct weir__bunk *given;

    begin(1, 2);
    expect(!weir__roster_block(&roster, 2, &given)); /* there is another one */
    expect(!weir__roster_block(&roster, 2, &given)); /* there may be no more */
    weir__roster_unblock(&roster);
    expect(weir__roster_block(&roster, 3, &given));
    weir__roster_unjoin(&roster, NULL); /* but no memory */
    expect_int(roster.live, 2);
    expect(roster.home == NULL);
}

CASE(roster_unjoin_wakes_one_for_work_that_was_left_to_it)
{
    struct weir__bunk *given;

    begin(2, 2);
    lie_down(1);
    expect(weir__roster_found(&roster));
    expect(weir__roster_block(&roster, 3, &given));
    weir__roster_notify(&roster); /* the one that was joined searches */
    expect(!is_woken(1));
    weir__roster_unjoin(&roster, given);
    expect(is_woken(1));
    expect_counts(0, 1);
}

CASE(roster_is_over_when_all_rest_and_nothing_is_left)
{
    begin(2, 2);
    lie_down(0);
    expect(!weir__roster_end(&roster, true, yes, NULL)); /* one is awake */
    lie_down(1);
    expect(!weir__roster_end(&roster, false, no, NULL)); /* work is left */
    expect(weir__roster_hold(&roster));
    expect(!weir__roster_end(&roster, false, yes, NULL)); /* some may come */
    weir__roster_let_go(&roster);
    expect(weir__roster_end(&roster, false, yes, NULL));
    expect(!weir__roster_end(&roster, false, yes, NULL)); /* once */
    expect(!weir__roster_hold(&roster));
    expect(!weir__roster_join(&roster));
    expect(!weir__roster_sleep(&roster, &bunk[0]));
    expect(!weir__roster_sleep(&roster, &bunk[1]));
    expect_counts(0, 0);
}

CASE(roster_is_not_over_while_one_waits_in_the_middle_of_a_job)
{
    begin(1, 1);
    expect_int(weir__roster_lie_down(&roster, &bunk[0], WEIR__REST_WAITING),
               WEIR__ORDER_SLEEP);
    expect(!weir__roster_end(&roster, true, yes, NULL));
    weir__roster_call(&bunk[0]);
    expect(weir__roster_sleep(&roster, &bunk[0]));
    lie_down(0);
    expect(weir__roster_end(&roster, false, yes, NULL));
}

/* Without membarrier, notify is a read-modify-write. */
CASE(roster_without_membarrier_does_the_same)
{
    begin(2, 2);
    roster.is_asymmetric = false;
    lie_down(0);
    weir__roster_notify(&roster);
    expect(!is_woken(0));
    expect(weir__roster_found(&roster));
    weir__roster_notify(&roster);
    expect(is_woken(0));
}
