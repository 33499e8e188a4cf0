/* SPDX-License-Identifier: MIT */
/*
 * shutdown_turns -- the end comes after a few turns, and not a moment too soon.
 *
 * A timeout of 0 allows one turn, so that a loop that would never end fails a
 * case at once.
 */
#include <errno.h>

#include "loop/loop.h"
#include "support/loop_fixture.h"
#include "support/promise_fixture.h"
#include "support/suite.h"
#include "weir/fd.h"
#include "weir/loop.h"
#include "weir/timer.h"

enum { TURNS = 50 };

static void end_in_turns(int (*end)(weir_loop *, int64_t))
{
    int status = -ETIMEDOUT;

    for (int i = 0; i < TURNS && status == -ETIMEDOUT; i++)
        status = end(loop, 0);
    expect_status(status, 0);
    expect_status(weir_loop_free(loop), 0);
}

static void fill_loop(void)
{
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    loop_submit("task");
    loop_timer(3600 * INT64_C(1000000000), "timer");
    expect_status(weir_fd_add(loop, event_open(0), WEIR_FD_READABLE, record_fd,
                              (void *)(uintptr_t) "fd"),
                  0);
}

CASE(shutdown_of_an_empty_loop_takes_a_few_turns)
{
    loop_make(NULL);
    end_in_turns(weir_loop_shutdown);
}

CASE(shutdown_of_a_loop_that_nobody_ran_takes_a_few_turns)
{
    fill_loop();
    end_in_turns(weir_loop_shutdown);
    expect_recorded("task timer! fd!");
}

CASE(shutdown_between_two_steps_takes_a_few_turns)
{
    fill_loop();
    expect_status(weir_loop_step(loop, 0), 0);
    end_in_turns(weir_loop_shutdown);
    expect_recorded("task timer! fd!");
}

CASE(shutdown_by_close_takes_a_few_turns)
{
    fill_loop();
    end_in_turns(weir_loop_close);
    expect_recorded("timer! task! fd!");
}

static weir_promise *unsettled, *handled;

static weir_result pass(void *arg, const weir_value *value)
{
    return weir_pass();
}

static void add_handler(void)
{
    unsettled = pending();
    handled = catch_call(keep(unsettled), pass, NULL);
}

/* The handler is called because its loop ends, and settles what then made. */
CASE(shutdown_by_close_of_a_loop_with_promises_takes_a_few_turns)
{
    loop_make(NULL);
    inside(add_handler);
    end_in_turns(weir_loop_close);
    expect_int(weir_promise_state(handled), WEIR_PROMISE_REJECTED);
    expect_int(weir_promise_value(handled)->code, WEIR_ECANCELED);
    drop(handled);
    drop(unsettled);
}

/* Each step is a turn. */
CASE(shutdown_of_a_stepped_loop_takes_a_few_steps)
{
    int status = 0;

    fill_loop();
    expect_status(weir_loop_step(loop, 0), 0);
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    for (int i = 0; i < TURNS && status == 0; i++)
        status = weir_loop_step(loop, 0);
    expect_status(status, WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("task timer! fd!");
}

/* ---- refused at the last moment ---- */

static const struct weir__promise_hooks *hooks;
static int ends, returns;
static weir_task late;

static void run_late(weir_task *task, int status)
{
    record("late", status);
}

/* As a thread does that was admitted before the end began. */
static void push_at_the_end(weir_loop *ended, bool is_over)
{
    hooks->end(ended, is_over);
    returns += is_over ? 0 : 1;
    if (is_over && ends++ == 0)
        expect_status(weir__loop_push(ended, &late, WEIR__EXPECTED), 0);
}

static weir_promise *promise;

static void make_promise(void)
{
    promise = resolved();
}

CASE(shutdown_that_a_task_refuses_at_the_last_moment_is_taken_back)
{
    struct weir__promise_hooks watched;

    late = (weir_task){.run = run_late};
    loop_make(NULL);
    inside(make_promise);
    hooks = loop->promises.hooks;
    expect(hooks != NULL);
    watched = *hooks;
    watched.end = push_at_the_end;
    loop->promises.hooks = &watched;
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("late");
    expect_int(ends, 2);
    expect_int(returns, 1);
    loop->promises.hooks = hooks;
    expect_status(weir_loop_free(loop), 0);
    drop(promise); /* the last that uses the loop's memory */
}
