/* SPDX-License-Identifier: MIT */
/*
 * injector -- one thread in all roles: order, shares, and the closed door.
 */
#include "pool/injector.h"

#include <stddef.h>

#include "support/suite.h"

static struct weir__injector in;
static weir_job jobs[100];

static void push(unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        expect_status(
            weir__injector_push(&in, &jobs[first + i], WEIR__FROM_OUTSIDE), 0);
}

static void expect_list(weir_job *job, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        expect(job == &jobs[first + i]);
        job = job->next_;
    }
    expect(job == NULL);
}

CASE(injector_begins_empty)
{
    weir__injector_init(&in);
    expect(weir__injector_is_empty(&in));
    expect(weir__injector_take(&in, 1, 10, true) == NULL);
}

CASE(injector_gives_jobs_in_the_order_of_push)
{
    weir__injector_init(&in);
    push(0, 5);
    expect(!weir__injector_is_empty(&in));
    expect_list(weir__injector_take(&in, 1, 10, false), 0, 5);
    expect(weir__injector_is_empty(&in));
}

CASE(injector_take_is_limited_and_keeps_the_rest_in_order)
{
    weir__injector_init(&in);
    push(0, 5);
    expect_list(weir__injector_take(&in, 1, 2, false), 0, 2);
    expect(!weir__injector_is_empty(&in));
    expect_int(weir__injector_count(&in), 3);
    push(5, 5);
    expect_list(weir__injector_take(&in, 1, 1, false), 2, 1);
    expect_int(weir__injector_count(&in), 7);
    expect_list(weir__injector_take(&in, 1, 10, false), 3, 7);
    expect(weir__injector_is_empty(&in));
}

CASE(injector_counts_what_nobody_has_looked_at)
{
    weir__injector_init(&in);
    expect_int(weir__injector_count_all(&in), 0);
    push(0, 5);
    expect_int(weir__injector_count(&in), 0);
    expect_int(weir__injector_count_all(&in), 5);
    expect_list(weir__injector_take(&in, 1, 2, false), 0, 2);
    push(5, 5);
    expect_int(weir__injector_count_all(&in), 8);
    expect_list(weir__injector_take(&in, 1, 10, false), 2, 8);
    expect_int(weir__injector_count_all(&in), 0);
}

CASE(injector_gives_each_worker_a_fair_share)
{
    weir__injector_init(&in);
    push(0, 10);
    expect_list(weir__injector_take(&in, 4, 8, false), 0, 3);
    expect_list(weir__injector_take(&in, 4, 8, false), 3, 2);
    expect_list(weir__injector_take(&in, 4, 8, false), 5, 2);
    expect_list(weir__injector_take(&in, 4, 8, false), 7, 1);
    expect_list(weir__injector_take(&in, 4, 8, false), 8, 1);
    expect_list(weir__injector_take(&in, 4, 8, false), 9, 1);
    expect(weir__injector_take(&in, 4, 8, false) == NULL);
}

CASE(injector_that_is_closed_refuses_outsiders_and_keeps_what_it_has)
{
    weir__injector_init(&in);
    push(0, 2);
    weir__injector_close(&in);
    weir__injector_close(&in);
    expect_status(weir__injector_push(&in, &jobs[2], WEIR__FROM_OUTSIDE),
                  WEIR_ECLOSED);
    expect_status(weir__injector_push(&in, &jobs[2], WEIR__FROM_INSIDE), 0);
    expect_list(weir__injector_take(&in, 1, 10, true), 0, 3);
    expect_status(weir__injector_push(&in, &jobs[2], WEIR__FROM_OUTSIDE),
                  WEIR_ECLOSED);
    expect(weir__injector_is_empty(&in));
}

CASE(injector_that_another_worker_sorts_is_left_alone)
{
    weir__injector_init(&in);
    push(0, 2);
    weir__lock_lock(&in.lock);
    expect(weir__injector_take(&in, 1, 10, false) == NULL);
    push(2, 1); /* a producer does not wait for it */
    weir__lock_unlock(&in.lock);
    expect_list(weir__injector_take(&in, 1, 10, false), 0, 3);
}
