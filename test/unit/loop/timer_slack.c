/* SPDX-License-Identifier: MIT */
/*
 * timer_slack -- timers that are due within the slack are served together.
 */
#include <errno.h>
#include <semaphore.h>
#include <sys/prctl.h>

#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/metrics.h"
#include "weir/timer.h"

#define MINUTE_NS (60 * INT64_C(1000000000))

enum { KERNEL_NS = 1 };

/* The kernel's own slack out of the way. */
static void make(weir_loop_options options)
{
    expect_int(prctl(PR_SET_TIMERSLACK, KERNEL_NS), 0);
    options.size = sizeof(options);
    options.metrics = true;
    loop_make(&options);
}

static const weir_fd_mode fd_modes[] = {WEIR_FD_MODE_AUTO, WEIR_FD_MODE_ALWAYS};

/* ---- together ---- */

enum { TIMERS = 3, APART_NS = 20 * MILLISECOND_NS };

static struct bell {
    int64_t deadline_ns;
    int64_t turn_ns; /* when the turn began that has served it */
} bells[TIMERS];
static bool has_slept; /* before the first of them */

static void ring(void *arg, int status)
{
    struct bell *bell = arg;
    weir_metrics metrics = {.size = sizeof(metrics)};

    expect_status(status, 0);
    expect(weir_clock_now() >= bell->deadline_ns);
    note(bell == bells ? "a" : bell == bells + 1 ? "b" : "c");
    bell->turn_ns = weir_loop_now(loop);
    expect_status(weir_loop_metrics(loop, &metrics), 0);
    if (bell == bells)
        has_slept = metrics.asleep_ns > 0;
}

/* The loop has nothing else to do.  The kernel's part of the slack is a
 * thousandth of the wait, in the poller.  A machine so slow that the first one
 * is due before the loop sleeps shows nothing. */
static void ring_three(weir_loop_options options)
{
    int64_t first_ns;

    make(options);
    first_ns = weir_clock_now() + APART_NS;
    for (int i = 0; i < TIMERS; i++) {
        bells[i].deadline_ns = first_ns + i * (int64_t)APART_NS;
        expect_status(weir_timer_start_at(loop, NULL, bells[i].deadline_ns,
                                          ring, &bells[i]),
                      0);
    }
    loop_run();
    expect_recorded("a b c");
    loop_end();
    if (has_slept)
        expect(bells[0].turn_ns >=
               first_ns + options.timer_slack_ns - APART_NS / 1000);
}

CASE(timer_slack_serves_all_that_are_due_within_it_in_one_turn)
{
    for (int i = 0; i < 2; i++) {
        ring_three((weir_loop_options){.timer_slack_ns = 10 * APART_NS,
                                       .fd_mode = fd_modes[i]});
        if (has_slept)
            expect_int(bells[2].turn_ns, bells[0].turn_ns);
    }
}

/* The third one is not within it. */
CASE(timer_slack_changes_no_order)
{
    for (int i = 0; i < 2; i++) {
        ring_three((weir_loop_options){.timer_slack_ns = APART_NS * 3 / 2,
                                       .fd_mode = fd_modes[i]});
        if (has_slept)
            expect_int(bells[1].turn_ns, bells[0].turn_ns);
    }
}

/* ---- what is not put off ---- */

static sem_t posted;

static void post(void *arg, int status)
{
    expect_int(sem_post(&posted), 0);
}

/* With a minute of slack nothing but the task gets the loop up. */
CASE(timer_slack_does_not_keep_others_waiting)
{
    struct runner runner;

    expect_int(sem_init(&posted, 0, 0), 0);
    for (int i = 0; i < 2; i++) {
        make((weir_loop_options){.timer_slack_ns = MINUTE_NS,
                                 .fd_mode = fd_modes[i]});
        loop_timer(MILLISECOND_NS, "timer");
        runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
        await_state(loop, WEIR_LOOP_SLEEPING);
        expect_status(weir_loop_submit(loop, post, NULL), 0);
        await_post(&posted);
        expect_status(weir_loop_shutdown(loop, -1), 0);
        expect_status(runner_join(&runner), 0);
        expect_status(weir_loop_free(loop), 0);
        (void)take_record();
    }
}

CASE(timer_slack_does_not_make_a_step_longer)
{
    for (int i = 0; i < 2; i++) {
        make((weir_loop_options){.timer_slack_ns = MINUTE_NS,
                                 .fd_mode = fd_modes[i]});
        loop_timer(MILLISECOND_NS, "timer");
        expect_status(weir_loop_step(loop, 2 * MILLISECOND_NS), 0);
        expect_status(weir_loop_step(loop, 0), 0);
        expect_recorded("timer"); /* it was due, and the loop was up */
        loop_end();
    }
}

CASE(timer_slack_does_not_put_off_what_is_due_already)
{
    make((weir_loop_options){.timer_slack_ns = MINUTE_NS});
    loop_timer(0, "timer");
    loop_run();
    expect_recorded("timer");
    loop_end();
}

/* ---- how much it is ---- */

static int64_t timeout_for(int64_t delay_ns, int64_t slack_ns,
                           int64_t kernel_ns)
{
    int64_t timeout_ns;

    expect_status(weir_clock_freeze(0), 0);
    make((weir_loop_options){.timer_slack_ns = slack_ns});
    expect_int(prctl(PR_SET_TIMERSLACK, kernel_ns), 0);
    loop_timer(delay_ns, "timer");
    loop_turns(1);
    timeout_ns = weir_loop_timeout(loop);
    loop_end();
    return timeout_ns;
}

CASE(timer_slack_is_part_of_the_timeout_for_another_loop)
{
    expect_int(timeout_for(10000, 0, 50000), 10000);
    expect_int(timeout_for(10000, 400000, KERNEL_NS), 409990);
}

/* Of a wait for ten microseconds the kernel's part is what the thread asked
 * for; of one for a second in the poller, a millisecond. */
CASE(timer_slack_contains_that_of_the_kernel)
{
    expect_int(timeout_for(10000, 400000, 50000), 360000);
    expect_int(timeout_for(10000, 50000, 50000), 10000);
    expect_int(timeout_for(10000, 40000, 50000), 10000);
    expect_int(timeout_for(SECOND_NS, 400000, 50000), SECOND_NS);
    expect_int(timeout_for(SECOND_NS, 3 * MILLISECOND_NS, 50000),
               SECOND_NS + 2 * MILLISECOND_NS);
}

/* covers: weir_loop_new -EINVAL */
CASE(timer_slack_that_makes_no_sense_is_refused)
{
    weir_loop *made;

    expect_status(weir_loop_new(&made, LOOP_OPTIONS(.timer_slack_ns = -1)),
                  -EINVAL);
    expect_status(
        weir_loop_new(&made, LOOP_OPTIONS(.timer_slack_ns = MINUTE_NS + 1)),
        -EINVAL);
}
