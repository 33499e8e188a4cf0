/* SPDX-License-Identifier: MIT */
/*
 * post_expected -- tasks that a library posts although the loop is being closed.
 */
#include <errno.h>

#include "support/loop_fixture.h"
#include "weir/host/loop.h"

static weir_task owed;

static void run_owed(weir_task *task, int status)
{
    record("owed", status);
}

static void make(const weir_loop_options *options)
{
    owed = (weir_task){.run = run_owed};
    loop_make(options);
}

static void post_in_callback(void *arg, int status)
{
    record("callback", status);
    expect_status(weir_loop_post_expected(loop, &owed), 0);
    note("posted");
}

static void close_and_post(void *arg, int status)
{
    expect_status(weir_loop_close(loop, 0), 0);
    expect_status(weir_loop_submit(loop, record, "late"), 0);
}

CASE(post_expected_runs_in_the_next_turn)
{
    make(NULL);
    expect_status(weir_loop_submit(loop, post_in_callback, NULL), 0);
    loop_turns(1);
    expect_recorded("callback posted");
    loop_turns(1);
    expect_recorded("owed");
    loop_end();
}

CASE(post_expected_on_a_loop_that_is_closed_is_cancelled_not_refused)
{
    make(NULL);
    expect_status(weir_loop_submit(loop, close_and_post, NULL), 0);
    expect_status(weir_loop_submit(loop, post_in_callback, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_recorded("callback! posted late! owed!");
    expect_status(weir_loop_free(loop), 0);
}

static void post_in_done(void *arg, weir_loop *of, int status)
{
    expect_status(weir_loop_post_expected(of, &owed), WEIR_ECLOSED);
    note("done");
}

/* covers: weir_loop_post_expected -EINVAL
 * covers: weir_loop_post_expected WEIR_ECLOSED */
CASE(post_expected_of_nothing_or_after_the_end_is_refused)
{
    weir_task empty = {.run = NULL};

    make(LOOP_OPTIONS(.done = post_in_done));
    expect_status(weir_loop_post_expected(NULL, &owed), -EINVAL);
    expect_status(weir_loop_post_expected(loop, NULL), -EINVAL);
    expect_status(weir_loop_post_expected(loop, &empty), -EINVAL);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("done");
    expect_status(weir_loop_post_expected(loop, &owed), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
}

CASE(post_expected_outside_callbacks_posts)
{
    make(NULL);
    expect_status(weir_loop_post_expected(loop, &owed), 0);
    loop_run();
    expect_recorded("owed");
    loop_end();
}
