/* SPDX-License-Identifier: MIT */
/*
 * promisify_refs -- a request's reference to its promise is counted where the
 * calling thread may count: in `refs` on the loop's thread, in `away` on others.
 */
#include "promise/promise.h"
#include "support/pool_fixture.h"
#include "support/suite.h"
#include "weir/loop.h"
#include "weir/promise.h"

static weir_loop *loop;
static int32_t refs, away;

static int give_nothing(void *arg, weir_value *value)
{
    return 0;
}

/* What a request adds to the counts of a promise.  The outcome waits for the
 * loop, so the request still has its reference. */
static void request(void)
{
    weir_promise *alone, *asked;

    expect_status(weir_promise_new(&alone, loop), 0);
    expect_status(
        weir_promisify(&asked, loop, pool, give_nothing, NULL, NULL, NULL), 0);
    refs = asked->refs - alone->refs;
    away = load_relaxed(&asked->away) - load_relaxed(&alone->away);
    weir_promise_unref(alone);
    weir_promise_unref(asked);
}

static void request_inside(void *arg, int status)
{
    expect_status(status, 0);
    request();
}

static void begin(void)
{
    pool_make(.workers = 1);
    expect_status(weir_loop_new(&loop, NULL), 0);
}

static void end(void)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    pool_end();
    expect_status(weir_loop_free(loop), 0);
}

CASE(promisify_inside_counts_its_reference_without_atomics)
{
    begin();
    expect_status(weir_loop_submit(loop, request_inside, NULL), 0);
    end();
    expect_int(refs, 1);
    expect_int(away, 0);
}

CASE(promisify_outside_leaves_the_counts_of_the_loop_alone)
{
    begin();
    request();
    end();
    expect_int(refs, 0);
    expect(away > 0);
}
