/* SPDX-License-Identifier: MIT */
/*
 * shutdown_other -- a loop that is ended by a callback of another one, whose
 * thread must not block: two that wait for each other would wait forever.
 */
#include <errno.h>
#include <semaphore.h>

#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/loop.h"

static weir_loop *other;
static int answer;
static sem_t is_told;

static void make_both(const weir_loop_options *options)
{
    expect_int(sem_init(&is_told, 0, 0), 0);
    loop_make(NULL);
    expect_status(weir_loop_new(&other, options), 0);
}

static void call_inside(weir_fn *fn)
{
    expect_status(weir_loop_submit(loop, fn, NULL), 0);
    loop_run();
}

static void close_other(void *arg, int status)
{
    answer = weir_loop_close(other, -1);
}

static void shut_other_down(void *arg, int status)
{
    answer = weir_loop_shutdown(other, -1);
}

static void begin_shutdown_of_other(void *arg, int status)
{
    answer = weir_loop_shutdown(other, 0);
}

static void begin_close_of_other(void *arg, int status)
{
    answer = weir_loop_close(other, 0);
}

static void free_other(void *arg, int status)
{
    answer = weir_loop_free(other);
}

/* another thread runs it */

static void expect_refused_and_unchanged(weir_fn *fn, int error)
{
    struct runner runner;

    make_both(NULL);
    runner_start(&runner, other, WEIR_RUN_UNTIL_CLOSED);
    await_state(other, WEIR_LOOP_SLEEPING);
    call_inside(fn);
    expect_status(answer, error);
    expect_int(weir_loop_state(other), WEIR_LOOP_SLEEPING);
    expect_status(weir_loop_shutdown(other, -1), 0);
    expect_status(runner_join(&runner), 0);
    call_inside(fn);
    expect_status(answer, 0); /* it has ended: nothing to wait for */
    loop_end();
}

/* covers: weir_loop_close -EDEADLK */
CASE(shutdown_other_close_does_not_wait_for_another_thread)
{
    expect_refused_and_unchanged(close_other, -EDEADLK);
    expect_status(weir_loop_free(other), 0);
}

/* covers: weir_loop_shutdown -EDEADLK */
CASE(shutdown_other_does_not_wait_for_another_thread)
{
    expect_refused_and_unchanged(shut_other_down, -EDEADLK);
    expect_status(weir_loop_free(other), 0);
}

/* covers: weir_loop_free -EBUSY */
CASE(shutdown_other_free_does_not_wait_for_another_thread)
{
    expect_refused_and_unchanged(free_other, -EBUSY);
}

static int told; /* the status of done */

static void tell(void *arg, weir_loop *ended, int status)
{
    told = status;
    expect_int(sem_post(&is_told), 0);
}

static void expect_begun(weir_fn *fn, int status)
{
    struct runner runner;

    make_both(LOOP_OPTIONS(.done = tell));
    runner_start(&runner, other, WEIR_RUN_UNTIL_CLOSED);
    await_state(other, WEIR_LOOP_SLEEPING);
    call_inside(fn);
    expect(answer == 0 || answer == -ETIMEDOUT);
    await_post(&is_told);
    expect_status(told, status);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(other), 0);
    loop_end();
}

CASE(shutdown_other_is_begun_without_waiting)
{
    expect_begun(begin_shutdown_of_other, 0);
}

CASE(shutdown_other_close_is_begun_without_waiting)
{
    expect_begun(begin_close_of_other, WEIR_ECANCELED);
}

/* Two that close each other at the same moment. */
static sem_t both_inside[2];

static void close_each_other(void *arg, int status)
{
    weir_loop *victim = arg;
    unsigned me = victim == loop;

    expect_int(sem_post(&both_inside[!me]), 0);
    await_post(&both_inside[me]);
    expect_status(weir_loop_close(victim, -1), -EDEADLK);
    expect_int(sem_post(&both_inside[!me]), 0);
    await_post(&both_inside[me]);
}

CASE(shutdown_other_two_that_close_each_other_go_on)
{
    struct runner runner;

    make_both(NULL);
    for (int i = 0; i < 2; i++)
        expect_int(sem_init(&both_inside[i], 0, 0), 0);
    runner_start(&runner, other, WEIR_RUN_UNTIL_CLOSED);
    expect_status(weir_loop_submit(other, close_each_other, loop), 0);
    expect_status(weir_loop_submit(loop, close_each_other, other), 0);
    loop_run();
    expect_status(weir_loop_close(other, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(other), 0);
    loop_end();
}

/* nobody runs it */

static void expect_ended(weir_fn *fn)
{
    make_both(NULL);
    expect_status(weir_loop_submit(other, record, (void *)"a"), 0);
    call_inside(fn);
    expect_status(answer, 0);
}

CASE(shutdown_other_that_nobody_runs_is_run_to_its_end)
{
    expect_ended(shut_other_down);
    expect_recorded("a");
    expect_status(weir_loop_free(other), 0);
    loop_end();
}

CASE(shutdown_other_that_nobody_runs_is_closed)
{
    expect_ended(close_other);
    expect_recorded("a!");
    expect_status(weir_loop_free(other), 0);
    loop_end();
}

CASE(shutdown_other_that_nobody_runs_is_freed)
{
    expect_ended(free_other);
    expect_recorded("a!");
    loop_end();
}
