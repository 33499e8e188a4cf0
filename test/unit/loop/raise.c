/* SPDX-License-Identifier: MIT */
/*
 * raise -- a callback of any kind leaves by weir_raise, and
 * the loop is consistent and goes on.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/loop_fixture.h"
#include "support/named.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/host/loop.h"
#include "weir/loop.h"
#include "weir/metrics.h"
#include "weir/timer.h"

/* What on_uncaught has seen last. */
static struct {
    unsigned times;
    int code;
    char message[1024];
    weir_kind kind;
    const char *name;
    void *arg;
    int fd;
} uncaught;

static void on_uncaught(void *arg, weir_loop *told, const weir_uncaught *what)
{
    expect(arg == &uncaught);
    expect(told == loop);
    expect(weir_loop_is_owner(told));
    uncaught.times++;
    uncaught.code = what->code;
    snprintf(uncaught.message, sizeof(uncaught.message), "%s", what->message);
    uncaught.kind = what->kind;
    uncaught.name = what->name;
    uncaught.arg = what->arg;
    uncaught.fd = what->fd;
    note("caught");
}

static void make(void)
{
    loop_make(LOOP_OPTIONS(.arg = &uncaught, .on_uncaught = on_uncaught));
}

/* What fails is called with this. */
static char failing[] = "fail";

static void expect_uncaught(weir_kind kind, const char *name, const void *arg)
{
    expect_int(uncaught.times, 1);
    expect_int(uncaught.code, -ENOENT);
    expect_string(uncaught.message, "no such word: \"fail\", 42");
    expect_int(uncaught.kind, kind);
    expect(uncaught.name == name);
    expect(uncaught.arg == arg);
    if (kind != WEIR_KIND_FD)
        expect_int(uncaught.fd, -1);
}

/* Does something, queues a microtask and leaves. */
static void fail(void *word, int status)
{
    record(word, status);
    if (status == 0)
        loop_microtask("microtask");
    weir_raise(-ENOENT, "no such word: \"%s\", %d", (char *)word, 42);
}

static void fail_fd(void *word, int status, int fd, unsigned events)
{
    if (status == 0)
        event_drain(fd);
    fail(word, status);
}

/* each kind */

static const char *const name = "a name";

CASE(raise_leaves_a_submitted_call)
{
    make();
    expect_status(weir_loop_submit(loop, fail, failing), 0);
    loop_submit("next");
    loop_run();
    expect_recorded("fail caught microtask next");
    expect_uncaught(WEIR_KIND_TASK, NULL, failing);
    loop_end();
}

static void fail_task(weir_task *task, int status)
{
    expect_string(task->name, name);
    fail(failing, status);
}

CASE(raise_leaves_a_task_which_can_be_posted_again)
{
    weir_task task = {.run = fail_task, .name = name};

    make();
    expect_status(weir_loop_post(loop, &task), 0);
    loop_run();
    expect_recorded("fail caught microtask");
    expect_uncaught(WEIR_KIND_TASK, name, &task);
    expect_status(weir_loop_post(loop, &task), 0);
    loop_run();
    expect_recorded("fail caught microtask");
    expect_int(uncaught.times, 2);
    loop_end();
}

static void queue_failing_calls(void *arg, int status)
{
    expect_status(weir_loop_next_tick(loop, fail, failing), 0);
    loop_tick("tick");
    loop_microtask("first");
}

CASE(raise_leaves_a_tick_and_the_checkpoint_goes_on)
{
    make();
    expect_status(weir_loop_submit(loop, queue_failing_calls, NULL), 0);
    loop_submit("next");
    loop_run();
    expect_recorded("fail caught tick first microtask next");
    expect_uncaught(WEIR_KIND_TICK, NULL, failing);
    loop_end();
}

static void queue_failing_microtask(void *arg, int status)
{
    expect_status(weir_loop_microtask(loop, fail, failing), 0);
    loop_microtask("second");
    loop_tick("tick");
}

CASE(raise_leaves_a_microtask_and_the_checkpoint_goes_on)
{
    make();
    expect_status(weir_loop_submit(loop, queue_failing_microtask, NULL), 0);
    loop_submit("next");
    loop_run();
    expect_recorded("tick fail caught second microtask next");
    expect_uncaught(WEIR_KIND_MICROTASK, NULL, failing);
    loop_end();
}

CASE(raise_leaves_a_timer_that_fires_once)
{
    weir_timer id;

    expect_status(weir_clock_freeze(0), 0);
    make();
    expect_status(
        weir_timer_start(loop, &id, 5, WEIR_TIMER_ONCE, fail, failing), 0);
    loop_timer(5, "next");
    loop_turns(1);
    expect_status(weir_timer_set_name(loop, id, name), 0);
    expect_status(weir_clock_advance(5), 0);
    loop_turns(1);
    expect_recorded("fail caught microtask next");
    expect_uncaught(WEIR_KIND_TIMER, name, failing);
    expect_status(weir_timer_cancel(loop, id), -ENOENT);
    loop_run(); /* is idle: the timer is over */
    loop_end();
    expect_recorded("");
}

static void expect_repeats(weir_timer_repeat repeat)
{
    weir_timer id;

    uncaught.times = 0;
    expect_status(weir_clock_freeze(0), 0);
    make();
    expect_status(weir_timer_start(loop, &id, 10, repeat, fail, failing), 0);
    loop_turns(1);
    for (unsigned i = 1; i <= 3; i++) {
        expect_status(weir_clock_advance(9), 0);
        loop_turns(1);
        expect_recorded("");
        expect_status(weir_clock_advance(1), 0);
        loop_turns(1);
        expect_recorded("fail caught microtask");
        expect_int(uncaught.times, i);
        expect_int(uncaught.kind, WEIR_KIND_TIMER);
    }
    expect_status(weir_timer_cancel(loop, id), 0);
    loop_run();
    loop_end();
    expect_recorded("");
}

CASE(raise_leaves_a_timer_that_repeats_and_it_repeats)
{
    expect_repeats(WEIR_TIMER_FIXED_DELAY);
    expect_repeats(WEIR_TIMER_FIXED_RATE);
    expect_repeats(WEIR_TIMER_FIXED_RATE_CATCH_UP);
}

static weir_timer failing_timer;

static void cancel_uncaught(void *arg, weir_loop *told,
                            const weir_uncaught *what)
{
    on_uncaught(arg, told, what);
    expect_status(weir_timer_cancel(told, failing_timer), 0);
}

CASE(raise_of_a_timer_that_repeats_lets_on_uncaught_cancel_it)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(LOOP_OPTIONS(.arg = &uncaught, .on_uncaught = cancel_uncaught));
    expect_status(weir_timer_start(loop, &failing_timer, 10,
                                   WEIR_TIMER_FIXED_RATE, fail, failing),
                  0);
    loop_turns(1);
    expect_status(weir_clock_advance(100), 0);
    loop_run();
    expect_recorded("fail caught microtask");
    expect_int(uncaught.times, 1);
    loop_end();
    expect_recorded("");
}

CASE(raise_leaves_a_descriptor_and_the_next_is_served)
{
    int fds[2] = {event_open(1), event_open(1)};

    make();
    expect_status(weir_fd_add(loop, fds[0], WEIR_FD_READABLE, fail_fd, failing),
                  0);
    expect_status(weir_fd_set_name(loop, fds[0], name), 0);
    loop_turns(1);
    expect_recorded("fail caught microtask");
    expect_uncaught(WEIR_KIND_FD, name, failing);
    expect_int(uncaught.fd, fds[0]);
    expect_status(
        weir_fd_add(loop, fds[1], WEIR_FD_READABLE, fail_fd, (void *)"other"),
        0);
    event_fill(fds[0]);
    loop_turns(2); /* two, as a batch may be small */
    expect_int(uncaught.times, 3);
    take_record();
    expect_status(weir_fd_remove(loop, fds[0], NULL, NULL), 0);
    expect_status(weir_fd_remove(loop, fds[1], NULL, NULL), 0);
    loop_run();
    loop_end();
    expect_recorded("");
}

CASE(raise_leaves_an_immediate_and_the_next_runs)
{
    make();
    expect_status(weir_loop_immediate(loop, fail, failing), 0);
    loop_immediate("next");
    loop_close_phase("close");
    loop_turns(1);
    expect_recorded("fail caught microtask next close");
    expect_uncaught(WEIR_KIND_IMMEDIATE, NULL, failing);
    loop_end();
}

CASE(raise_leaves_a_close_callback_and_the_next_runs)
{
    make();
    expect_status(weir_loop_on_close_phase(loop, fail, failing), 0);
    loop_close_phase("next");
    loop_turns(1);
    expect_recorded("fail caught microtask next");
    expect_uncaught(WEIR_KIND_CLOSE, NULL, failing);
    loop_end();
}

static void dispatch_failing(void *arg, int status)
{
    note("before");
    expect_status(weir_loop_dispatch(loop, fail, failing), 0);
    note("never");
}

CASE(raise_leaves_a_dispatch_with_the_callback_around_it)
{
    make();
    expect_status(weir_loop_submit(loop, dispatch_failing, &uncaught), 0);
    loop_submit("next");
    loop_run();
    expect_recorded("before fail caught microtask next");
    expect_uncaught(WEIR_KIND_TASK, NULL, &uncaught); /* not of fn */
    loop_end();
}

static void checkpoint_and_fail(void *arg, int status)
{
    expect_status(weir_loop_microtask(loop, record, (void *)"microtask"), 0);
    expect_status(weir_loop_checkpoint(loop), 0);
    fail(arg, status);
}

CASE(raise_after_a_checkpoint_tells_the_argument_of_the_callback)
{
    make();
    expect_status(weir_loop_submit(loop, checkpoint_and_fail, failing), 0);
    loop_run();
    expect_recorded("microtask fail caught microtask");
    expect_uncaught(WEIR_KIND_TASK, NULL, failing);
    loop_end();
}

CASE(raise_leaves_the_notice_that_a_descriptor_is_removed)
{
    int fd = event_open(0);

    make();
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, NULL), 0);
    expect_status(weir_fd_remove(loop, fd, fail, failing), 0);
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, (void *)"fd"), 0);
    loop_turns(1);
    expect_recorded("fail caught microtask");
    expect_uncaught(WEIR_KIND_CLOSE, NULL, failing);
    loop_end();
    expect_recorded("fd!");
}

/* All in one turn: each leaves its part, and the part goes on. */
CASE(raise_in_every_part_of_a_turn_loses_nothing)
{
    int fd = event_open(1);

    expect_status(weir_clock_freeze(0), 0);
    make();
    expect_status(
        weir_timer_start(loop, NULL, 5, WEIR_TIMER_ONCE, fail, (void *)"timer"),
        0);
    loop_timer(5, "timer2");
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, fail_fd, (void *)"fd"), 0);
    loop_turns(1);
    expect_recorded("fd caught microtask");
    event_fill(fd);
    expect_status(weir_clock_advance(5), 0);
    expect_status(weir_loop_submit(loop, fail, (void *)"task"), 0);
    loop_submit("task2");
    expect_status(weir_loop_immediate(loop, fail, (void *)"immediate"), 0);
    loop_immediate("immediate2");
    expect_status(weir_loop_on_close_phase(loop, fail, (void *)"close"), 0);
    loop_close_phase("close2");
    loop_turns(1);
    expect_recorded("timer caught microtask timer2 task caught microtask task2 "
                    "fd caught microtask immediate caught microtask immediate2 "
                    "close caught microtask close2");
    loop_end();
    expect_recorded("fd! caught");
}

/* the message */

static void fail_at_length(void *length, int status)
{
    weir_raise(
        7, "%.*s", *(int *)length,
        "0123456789012345678901234567890123456789012345678901234567890123"
        "0123456789012345678901234567890123456789012345678901234567890123"
        "0123456789012345678901234567890123456789012345678901234567890123"
        "0123456789012345678901234567890123456789012345678901234567890123"
        "0123456789");
}

CASE(raise_with_a_message_that_is_too_long_keeps_its_beginning)
{
    int length = 260;

    make();
    expect_status(weir_loop_submit(loop, fail_at_length, &length), 0);
    loop_run();
    expect_int(strlen(uncaught.message), 255);
    expect_int(strncmp(uncaught.message, "0123456789", 10), 0);
    expect_int(uncaught.code, 7);
    loop_end();
}

CASE(raise_with_a_message_that_just_fits_keeps_it)
{
    int length = 255;

    make();
    expect_status(weir_loop_submit(loop, fail_at_length, &length), 0);
    loop_run();
    expect_int(strlen(uncaught.message), 255);
    length = 0;
    expect_status(weir_loop_submit(loop, fail_at_length, &length), 0);
    loop_run();
    expect_string(uncaught.message, "");
    loop_end();
}

/* stderr, when there is nobody to tell */

static int stderr_before, stderr_pipe[2];

static void capture_stderr(void)
{
    expect_int(pipe(stderr_pipe), 0);
    stderr_before = dup(STDERR_FILENO);
    expect(stderr_before >= 0);
    expect(dup2(stderr_pipe[1], STDERR_FILENO) >= 0);
    close(stderr_pipe[1]);
}

/* What was written to stderr since. */
static const char *captured(void)
{
    static char said[4096];
    ssize_t length;

    fflush(stderr);
    expect(dup2(stderr_before, STDERR_FILENO) >= 0);
    length = read(stderr_pipe[0], said, sizeof(said) - 1);
    expect(length >= 0);
    said[length] = '\0';
    return said;
}

CASE(raise_with_nobody_to_tell_is_one_line_on_stderr)
{
    loop_make(NULL);
    expect_status(submit_named(loop, fail, failing, name), 0);
    loop_submit("next");
    capture_stderr();
    loop_run();
    expect_string(captured(), "weir: uncaught in a name: no such word: "
                              "\"fail\", 42 (ENOENT)\n");
    expect_recorded("fail microtask next");
    loop_end();
}

CASE(raise_of_what_has_no_name_is_shown_with_that_of_the_loop)
{
    loop_make(LOOP_OPTIONS(.name = "the loop"));
    expect_status(weir_loop_submit(loop, fail, failing), 0);
    capture_stderr();
    loop_run();
    expect_string(captured(), "weir: uncaught in the loop: no such word: "
                              "\"fail\", 42 (ENOENT)\n");
    loop_end();
}

/* in handlers */

static void fail_in_uncaught(void *arg, weir_loop *told,
                             const weir_uncaught *what)
{
    on_uncaught(arg, told, what);
    loop_tick("tick");
    weir_raise(WEIR_ECLOSED, "again");
}

CASE(raise_inside_on_uncaught_is_printed_and_the_loop_goes_on)
{
    const char *said;

    loop_make(LOOP_OPTIONS(.arg = &uncaught, .on_uncaught = fail_in_uncaught));
    expect_status(submit_named(loop, fail, failing, name), 0);
    expect_status(weir_loop_submit(loop, fail, (void *)"second"), 0);
    loop_submit("next");
    capture_stderr();
    loop_run();
    said = captured();
    expect(strstr(said, "again (ECLOSED)\n") != NULL);
    expect_recorded("fail caught tick microtask second caught tick microtask "
                    "next");
    expect_int(uncaught.times, 2);
    loop_end();
}

static void fail_in_breach(void *arg, weir_loop *told)
{
    note("breach");
    weir_raise(-ENOENT, "too much");
}

static void queue_three(void *arg, int status)
{
    loop_microtask("m1");
    loop_microtask("m2");
    loop_microtask("m3");
}

CASE(raise_inside_on_breach_loses_no_microtask)
{
    loop_make(LOOP_OPTIONS(.arg = &uncaught, .on_uncaught = on_uncaught,
                           .microtask_budget = 2, .on_breach = fail_in_breach));
    expect_status(weir_loop_submit(loop, queue_three, NULL), 0);
    loop_run();
    expect_recorded("m1 m2 breach caught m3");
    expect_string(uncaught.message, "too much");
    loop_end();
}

/* Scene j again: now every link of the chain raises. */

static bool is_over;

static void fail_for_ever(void *arg, int status)
{
    if (is_over || status != 0)
        return;
    expect_status(weir_loop_microtask(loop, fail_for_ever, NULL), 0);
    weir_raise(-ENOENT, "again");
}

static void end_it(void *arg, int status)
{
    expect_status(status, 0);
    is_over = true;
    record(arg, status);
}

static void count_uncaught(void *arg, weir_loop *told,
                           const weir_uncaught *what)
{
    ++*(uint64_t *)arg;
}

CASE(raise_of_every_microtask_of_an_endless_chain_keeps_no_timer_waiting)
{
    uint64_t times = 0;

    expect_status(weir_clock_freeze(0), 0);
    loop_make(LOOP_OPTIONS(.arg = &times, .on_uncaught = count_uncaught));
    expect_status(weir_timer_start(loop, NULL, 10 * MILLISECOND_NS,
                                   WEIR_TIMER_ONCE, end_it, (void *)"timer"),
                  0);
    expect_status(weir_loop_submit(loop, fail_for_ever, NULL), 0);
    loop_turns(2);
    expect(times >= 1024);
    expect(times <= 4 * 1024);
    expect_status(weir_clock_advance(10 * MILLISECOND_NS), 0);
    loop_turns(1);
    expect_recorded("timer");
    loop_end();
}

/* at the end */

CASE(raise_during_shutdown_does_not_stop_it)
{
    int fd = event_open(0);

    make();
    expect_status(weir_loop_submit(loop, fail, (void *)"task"), 0);
    expect_status(weir_timer_start(loop, NULL, SECOND_NS, WEIR_TIMER_FIXED_RATE,
                                   fail, (void *)"timer"),
                  0);
    loop_timer(2 * (int64_t)SECOND_NS, "timer2");
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, fail_fd, (void *)"fd"), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("task caught microtask timer! caught timer2! fd! caught");
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_status(weir_loop_free(loop), 0);
}

CASE(raise_of_all_that_is_cancelled_does_not_stop_close)
{
    make();
    expect_status(weir_loop_submit(loop, fail, (void *)"task"), 0);
    loop_submit("task2");
    expect_status(weir_loop_immediate(loop, fail, (void *)"immediate"), 0);
    loop_immediate("immediate2");
    expect_status(
        weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, fail, (void *)"timer"),
        0);
    loop_timer(0, "timer2");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("timer! caught timer2! task! caught task2! "
                    "immediate! caught immediate2!");
    expect_status(weir_loop_free(loop), 0);
}

/* two loops on one thread */

static weir_loop *outer;
static unsigned outer_uncaught;

static void on_outer_uncaught(void *arg, weir_loop *told,
                              const weir_uncaught *what)
{
    expect(told == outer);
    outer_uncaught++;
}

static void run_inner_and_fail(void *arg, int status)
{
    expect_status(weir_loop_submit(loop, fail, failing), 0);
    loop_run();
    note("after");
    weir_raise(-ENOENT, "outside");
}

CASE(raise_in_an_inner_loop_is_not_the_outer_loops)
{
    expect_status(
        weir_loop_new(&outer, LOOP_OPTIONS(.on_uncaught = on_outer_uncaught)),
        0);
    make();
    expect_status(weir_loop_submit(outer, run_inner_and_fail, NULL), 0);
    expect_status(weir_loop_run(outer, WEIR_RUN_UNTIL_IDLE), 0);
    expect_recorded("fail caught microtask after");
    expect_int(uncaught.times, 1);
    expect_int(outer_uncaught, 1);
    expect(weir_loop_current() == NULL);
    loop_end();
    expect_status(weir_loop_free(outer), 0);
}

/* A thousand callbacks, any of which may raise: each runs once. */

struct storm {
    struct random random;
    unsigned queued, ran, raised;
    uint64_t ways[5], ends[2];
};

static void weather(void *arg, int status)
{
    static int (*const queues[])(weir_loop *, weir_fn *, void *) = {
        weir_loop_submit, weir_loop_next_tick, weir_loop_microtask,
        weir_loop_immediate, weir_loop_on_close_phase};
    struct storm *storm = arg;

    expect_status(status, 0);
    storm->ran++;
    while (storm->queued < 1000 && random_below(&storm->random, 2) == 0) {
        storm->queued++;
        expect_status(queues[random_choose(&storm->random, storm->ways)](
                          loop, weather, storm),
                      0);
    }
    if (random_choose(&storm->random, storm->ends) == 0) {
        storm->raised++;
        weir_raise(1, "thunder");
    }
}

CASE(raise_at_random_loses_no_callback_and_repeats_none)
{
    struct storm storm = {.random = {random_seed()}};
    int64_t begun_ns = weir_clock_now();
    weir_metrics metrics = {.size = sizeof(metrics)};
    uint64_t times = 0;

    loop_make(LOOP_OPTIONS(.arg = &times, .on_uncaught = count_uncaught,
                           .metrics = true, .microtask_budget = 3));
    while (storm.queued < 1000) {
        storm.queued++;
        expect_status(weir_loop_submit(loop, weather, &storm), 0);
        loop_run();
    }
    expect_int(storm.ran, storm.queued);
    expect_int(times, storm.raised);
    expect_all_taken(storm.ways);
    expect_all_taken(storm.ends);
    expect_status(weir_loop_metrics(loop, &metrics), 0);
    expect((int64_t)metrics.longest_ns <= 2 * (weir_clock_now() - begun_ns));
    expect_int(metrics.queue_depth, 0);
    loop_end();
}

/* outside */

CASE_ABORTS(raise_outside_a_loop_aborts, "raise.c",
            "weir_raise outside a callback")
{
    weir_raise(1, "nobody is there");
}

CASE_ABORTS(raise_between_two_steps_aborts, "raise.c",
            "weir_raise outside a callback")
{
    make();
    loop_turns(1);
    weir_raise(1, "nobody is there");
}
