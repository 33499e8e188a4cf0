/* SPDX-License-Identifier: MIT */
/*
 * microtask_again -- a microtask that goes on as the next one: counted as it
 * would be if it had queued itself, and never before what others have queued.
 */
#include "support/crew.h"
#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/host/loop.h"
#include "weir/loop.h"

static unsigned breaches;

static void on_breach(void *arg, weir_loop *told)
{
    breaches++;
}

/* An engine: jobs of its own, and one microtask for the first of them. */
static unsigned jobs, runs, returns;
enum { RECORDED = 3 };

static void run_jobs(void *arg, int status)
{
    do {
        jobs--;
        if (++runs <= RECORDED)
            note("job");
    } while (jobs > 0 && weir_loop_microtask_again(loop));
    returns++;
    if (jobs > 0 && status == 0)
        expect_status(weir_loop_microtask(loop, run_jobs, arg), 0);
}

static void begin_jobs(void *arg, int status)
{
    expect_status(weir_loop_microtask(loop, run_jobs, arg), 0);
}

static void make(uint32_t budget, unsigned count, weir_fn *begin)
{
    jobs = count;
    runs = returns = breaches = 0;
    loop_make(LOOP_OPTIONS(.microtask_budget = budget, .on_breach = on_breach));
    expect_status(weir_loop_submit(loop, begin, NULL), 0);
}

CASE(microtask_goes_on_as_the_next_one)
{
    make(0, 3, begin_jobs);
    loop_submit("next");
    loop_run();
    expect_recorded("job job job next");
    expect_int(returns, 1);
    loop_end();
}

CASE(microtask_that_goes_on_counts_as_another)
{
    make(10, 25, begin_jobs);
    loop_turns(1);
    expect_int(runs, 10);
    expect_int(returns, 1);
    expect_int(breaches, 1);
    loop_turns(1);
    expect_int(runs, 20);
    loop_turns(1);
    expect_int(runs, 25);
    expect_int(breaches, 1);
    loop_end();
}

CASE(microtask_that_goes_on_as_long_as_the_budget_lasts_is_no_breach)
{
    make(10, 10, begin_jobs);
    loop_turns(1);
    expect_int(runs, 10);
    expect_int(returns, 1);
    expect_int(breaches, 0);
    loop_end();
}

CASE(microtask_without_budget_goes_on)
{
    make(WEIR_LOOP_NO_BUDGET, 12345, begin_jobs);
    loop_turns(1);
    expect_int(runs, 12345);
    expect_int(returns, 1);
    loop_end();
}

static void queue_both(void *arg, int status)
{
    begin_jobs(arg, status);
    loop_microtask("m");
    loop_tick("t");
}

CASE(microtask_that_goes_on_lets_others_go_first)
{
    make(0, 3, queue_both);
    loop_run();
    expect_recorded("t job m job job");
    expect_int(returns, 2);
    loop_end();
}

/* A tick that comes meanwhile waits for the end of the batch, as it does when
 * each job is a separate microtask. */
static void run_two_with_a_tick(void *arg, int status)
{
    record(arg, status);
    loop_tick("t");
    expect(weir_loop_microtask_again(loop));
    note("again");
}

static void begin_two(void *arg, int status)
{
    expect_status(weir_loop_microtask(loop, run_two_with_a_tick, (void *)"m"),
                  0);
}

CASE(microtask_that_goes_on_is_not_broken_by_ticks)
{
    make(0, 0, begin_two);
    loop_run();
    expect_recorded("m again t");
    loop_end();
}

/* refusals */

static void is_refused(void *arg, int status)
{
    record(arg, status);
    expect(!weir_loop_microtask_again(loop));
}

static void ask_from_elsewhere(struct crew *crew, unsigned id)
{
    expect(!weir_loop_microtask_again(loop));
}

static void is_not_for_others(void *arg, int status)
{
    record(arg, status);
    crew_run(1, ask_from_elsewhere, NULL);
    expect(weir_loop_microtask_again(loop));
}

static void refuse_in_a_callback_and_a_tick(void *arg, int status)
{
    is_refused(arg, status);
    expect_status(weir_loop_next_tick(loop, is_refused, (void *)"tick"), 0);
    expect_status(weir_loop_microtask(loop, is_not_for_others, (void *)"m"), 0);
}

CASE(microtask_again_elsewhere_is_refused)
{
    loop_make(NULL);
    expect(!weir_loop_microtask_again(NULL));
    expect(!weir_loop_microtask_again(loop)); /* nobody runs it */
    expect_status(weir_loop_submit(loop, refuse_in_a_callback_and_a_tick,
                                   (void *)"callback"),
                  0);
    loop_run();
    expect_recorded("callback tick m");
    loop_end();
}

CASE(microtask_that_is_cancelled_does_not_go_on)
{
    make(10, 25, begin_jobs);
    loop_turns(1);
    expect_int(runs, 10);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(runs, 11); /* told once */
    expect_status(weir_loop_free(loop), 0);
}
