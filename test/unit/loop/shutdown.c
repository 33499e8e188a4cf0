/* SPDX-License-Identifier: MIT */
/*
 * shutdown -- how a loop ends: gracefully, at once, by being freed; and who is
 * told what, how often.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "loop/loop.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "support/named.h"
#include "support/place.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/loop.h"
#include "weir/timer.h"

/* What `done` has seen. */
static struct {
    unsigned times;
    int status;
    enum weir_loop_state state;
    bool frees; /* what it is to do */
} done;

static void on_done(void *arg, weir_loop *ended, int status)
{
    expect(arg == &done);
    expect(weir_loop_current() == ended);
    done.times++;
    done.status = status;
    done.state = weir_loop_state(ended);
    note("done");
    if (done.frees)
        expect_status(weir_loop_free(ended), 0);
}

#define OPTIONS LOOP_OPTIONS(.arg = &done, .done = on_done)

#define expect_done_once(with_status)                                          \
    do {                                                                       \
        expect_int(done.times, 1);                                             \
        expect_status(done.status, with_status);                               \
        expect_int(done.state, WEIR_LOOP_TERMINATED);                          \
    } while (0)

static void add_event(const char *word, unsigned count)
{
    expect_status(weir_fd_add(loop, event_open(count), WEIR_FD_READABLE,
                              record_fd, (void *)(uintptr_t)word),
                  0);
}

/* graceful */

CASE(shutdown_of_an_idle_loop_terminates_it)
{
    loop_make(OPTIONS);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_done_once(0);
    expect_status(weir_loop_free(loop), 0);
    expect_done_once(0);
}

CASE(shutdown_runs_what_was_accepted)
{
    loop_make(OPTIONS);
    loop_submit("a");
    loop_immediate("c");
    loop_tick("b");
    loop_close_phase("d");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("a b c d done");
    expect_done_once(0);
    expect_status(weir_loop_free(loop), 0);
}

static void queue_each_kind(void *arg, int status)
{
    expect_status(status, 0);
    loop_submit("task");
    loop_tick("tick");
    loop_microtask("microtask");
    loop_immediate("immediate");
    loop_close_phase("close");
}

static void follow_up(void *left, int status)
{
    unsigned *generations = left;

    note("a");
    if (--*generations > 0)
        expect_status(weir_loop_submit(loop, follow_up, left), 0);
    else
        queue_each_kind(NULL, status);
}

CASE(shutdown_runs_what_callbacks_queue_and_what_that_queues)
{
    unsigned generations = 3;

    loop_make(OPTIONS);
    expect_status(weir_loop_submit(loop, follow_up, &generations), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("a a a tick microtask immediate close task done");
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_cancels_timers_then_descriptors_then_tells_done)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(OPTIONS);
    add_event("fd", 0);
    loop_timer(SECOND_NS, "once");
    expect_status(weir_timer_start(loop, NULL, 2 * (int64_t)SECOND_NS,
                                   WEIR_TIMER_FIXED_RATE, record,
                                   (void *)"again"),
                  0);
    loop_submit("task");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("task once! again! fd! done");
    expect_done_once(0);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
}

CASE(shutdown_cancels_what_is_not_referenced_as_well)
{
    weir_timer id;
    int fd = event_open(0);

    loop_make(OPTIONS);
    expect_status(weir_timer_start(loop, &id, SECOND_NS, WEIR_TIMER_ONCE,
                                   record, (void *)"timer"),
                  0);
    expect_status(weir_timer_unref(loop, id), 0);
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, (void *)"fd"), 0);
    expect_status(weir_fd_unref(loop, fd), 0);
    loop_run();
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("timer! fd! done");
    expect_status(weir_loop_free(loop), 0);
}

static void queue_when_cancelled(void *arg, int status)
{
    expect_status(status, WEIR_ECANCELED);
    note("timer!");
    queue_each_kind(NULL, 0);
    expect_status(weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, record,
                                   (void *)"late"),
                  WEIR_ECLOSED);
    expect_status(
        weir_fd_add(loop, 0, WEIR_FD_READABLE, record_fd, (void *)"late"),
        WEIR_ECLOSED);
}

CASE(shutdown_runs_what_a_cancelled_timer_queues_but_starts_no_timer)
{
    loop_make(OPTIONS);
    expect_status(weir_timer_start(loop, NULL, SECOND_NS, WEIR_TIMER_ONCE,
                                   queue_when_cancelled, NULL),
                  0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("timer! tick microtask immediate close task done");
    expect_status(weir_loop_free(loop), 0);
}

static void start_timer_when_due(void *arg, int status)
{
    record((void *)"first", status);
    loop_timer(0, "second");
}

/* Until the loop is quiet, timers go on. */
CASE(shutdown_lets_a_task_start_a_timer_and_cancels_that)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(OPTIONS);
    expect_status(weir_loop_submit(loop, start_timer_when_due, NULL), 0);
    loop_timer(SECOND_NS, "third");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(strncmp(take_record(), "first second", 12), 0);
    expect_done_once(0);
    expect_status(weir_loop_free(loop), 0);
}

static void shut_down_inside(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATING);
    expect_int(done.times, 0);
    note("begun");
    loop_submit("after");
    expect_status(weir_loop_shutdown(loop, 0), 0);
}

CASE(shutdown_inside_a_callback_returns_at_once_and_ends_the_run)
{
    loop_make(OPTIONS);
    expect_status(weir_loop_submit(loop, shut_down_inside, NULL), 0);
    loop_submit("pending");
    loop_timer(SECOND_NS, "timer");
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_recorded("begun pending after timer! done");
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_done_once(0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_inside_a_callback_ends_a_run_until_closed)
{
    loop_make(OPTIONS);
    expect_status(weir_loop_submit(loop, shut_down_inside, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_recorded("begun after done");
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_again_after_the_end_is_done_already)
{
    loop_make(OPTIONS);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_shutdown(loop, 0), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_done_once(0);
    expect_status(weir_loop_free(loop), 0);
}

/* A stop before the run is what the run does. */
CASE(shutdown_before_run_is_remembered)
{
    loop_make(OPTIONS);
    loop_submit("a");
    loop_timer(SECOND_NS, "timer");
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATING);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_recorded("a timer! done");
    expect_done_once(0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
}

/* another thread runs it */

CASE(shutdown_wakes_a_loop_that_sleeps)
{
    struct runner runner;

    loop_make(OPTIONS);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_done_once(0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_wakes_a_loop_that_sleeps_in_the_poller)
{
    struct runner runner;

    loop_make(OPTIONS);
    add_event("fd", 0);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("timer! fd! done");
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_does_not_wait_for_refs)
{
    struct runner runner;

    loop_make(OPTIONS);
    weir_loop_ref(loop);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
    weir_loop_unref(loop);
}

/* A loop that another thread runs, inside a callback called "stuck". */
static struct blocker stuck;
static struct runner runner_of_stuck;

static void make_stuck(const weir_loop_options *options)
{
    blocker_open(&stuck);
    loop_make(options);
    expect_status(submit_named(loop, block, &stuck, "stuck"), 0);
    runner_start(&runner_of_stuck, loop, WEIR_RUN_UNTIL_CLOSED);
    blocker_await(&stuck);
}

static void fail_task(weir_task *task, int status)
{
    expect(!"a refused task has run");
}

static void expect_refused(void)
{
    static weir_task task = {.run = fail_task};
    void *arg = (void *)"refused";

    expect_status(weir_loop_post(loop, &task), WEIR_ECLOSED);
    expect_status(weir_loop_submit(loop, record, arg), WEIR_ECLOSED);
    expect_status(weir_loop_dispatch(loop, record, arg), WEIR_ECLOSED);
    expect_status(weir_loop_next_tick(loop, record, arg), WEIR_ECLOSED);
    expect_status(weir_loop_microtask(loop, record, arg), WEIR_ECLOSED);
    expect_status(weir_loop_immediate(loop, record, arg), WEIR_ECLOSED);
    expect_status(weir_loop_on_close_phase(loop, record, arg), WEIR_ECLOSED);
    expect_status(weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, record, arg),
                  WEIR_ECLOSED);
    expect_status(weir_fd_add(loop, 0, WEIR_FD_READABLE, record_fd, arg),
                  WEIR_ECLOSED);
}

/* covers: weir_loop_shutdown -ETIMEDOUT */
CASE(shutdown_that_times_out_goes_on)
{
    int64_t begun_ns;

    make_stuck(OPTIONS);
    loop_submit("pending");
    begun_ns = weir__clock_real();
    expect_status(weir_loop_shutdown(loop, 5 * MILLISECOND_NS), -ETIMEDOUT);
    expect(weir__clock_real() - begun_ns >= 5 * MILLISECOND_NS);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATING);
    expect_int(done.times, 0);
    blocker_let_go(&stuck);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("pending done");
    expect_done_once(0);
    expect_status(stuck.status, 0);
    expect_status(runner_join(&runner_of_stuck), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_times_out_by_the_real_clock)
{
    expect_status(weir_clock_freeze(0), 0);
    make_stuck(OPTIONS);
    expect_status(weir_loop_shutdown(loop, MILLISECOND_NS), -ETIMEDOUT);
    blocker_let_go(&stuck);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner_of_stuck), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_that_times_out_can_be_asked_what_holds_it)
{
    weir_holder holders[4];

    make_stuck(OPTIONS);
    loop_submit("pending");
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    expect(weir_loop_report(loop, holders, 4, sizeof(weir_holder)) >= 1);
    expect(holders[0].is_running);
    expect_int(holders[0].kind, WEIR_KIND_TASK);
    expect_string(holders[0].name, "stuck");
    expect_int(holders[0].count, 1);
    expect_int(holders[0].thread,
               __atomic_load_n(&runner_of_stuck.tid, __ATOMIC_RELAXED));
    blocker_let_go(&stuck);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner_of_stuck), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* A callback that begins during the shutdown has a known age. */
CASE(shutdown_that_times_out_can_be_asked_for_how_long)
{
    struct blocker second;
    weir_holder first[1], later[1];

    blocker_open(&second);
    make_stuck(OPTIONS);
    expect_status(submit_named(loop, block, &second, "second"), 0);
    loop_immediate("pending");
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    blocker_let_go(&stuck);
    blocker_await(&second);
    expect(weir_loop_report(loop, first, 1, sizeof(weir_holder)) >= 1);
    expect_status(weir_loop_shutdown(loop, 2 * MILLISECOND_NS), -ETIMEDOUT);
    expect(weir_loop_report(loop, later, 1, sizeof(weir_holder)) >= 1);
    expect_string(first[0].name, "second");
    expect_string(later[0].name, "second");
    expect(first[0].age_ns >= 0);
    expect(later[0].age_ns >= first[0].age_ns + 2 * MILLISECOND_NS);
    blocker_let_go(&second);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner_of_stuck), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* Of one that began before, the age may be unknown; but it is never wrong. */
CASE(shutdown_that_times_out_knows_no_wrong_age)
{
    weir_holder holder[1];

    make_stuck(OPTIONS);
    expect_status(weir_loop_shutdown(loop, 2 * MILLISECOND_NS), -ETIMEDOUT);
    expect(weir_loop_report(loop, holder, 1, sizeof(weir_holder)) >= 1);
    expect_string(holder[0].name, "stuck");
    expect(holder[0].age_ns == -1 || holder[0].age_ns >= 2 * MILLISECOND_NS);
    blocker_let_go(&stuck);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner_of_stuck), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_refuses_outsiders_at_once)
{
    make_stuck(OPTIONS);
    loop_submit("accepted");
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    expect_refused();
    blocker_let_go(&stuck);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("accepted done");
    expect_status(runner_join(&runner_of_stuck), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* What a call was about to be kept in is used by the next one. */
static void expect_refused_without_memory(const weir_loop_options *options)
{
    struct failing_allocator memory;
    uint64_t calls;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make_stuck(options);
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    expect_refused();
    calls = memory.calls;
    for (int i = 0; i < 1000; i++)
        expect_refused();
    expect_int(memory.calls, calls);
    blocker_let_go(&stuck);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner_of_stuck), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_int(memory.live, 0);
}

CASE(shutdown_refuses_any_number_of_calls_without_memory)
{
    expect_refused_without_memory(NULL);
}

/* Some of them send a probe first, which is refused, too. */
CASE(shutdown_refuses_any_number_of_measured_calls_without_memory)
{
    expect_refused_without_memory(LOOP_OPTIONS(.metrics = true));
}

static void shut_down(struct crew *crew, unsigned id)
{
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_done_once(0); /* plain: it happened before */
}

CASE(shutdown_from_many_threads_ends_it_once)
{
    struct runner runner;

    loop_make(OPTIONS);
    loop_submit("a");
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    crew_run(8, shut_down, NULL);
    expect_recorded("a timer! done");
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_from_many_threads_of_a_loop_that_nobody_runs_ends_it_once)
{
    loop_make(OPTIONS);
    loop_submit("a");
    crew_run(8, shut_down, NULL);
    expect_recorded("a done");
    expect_status(weir_loop_free(loop), 0);
}

/* Work that makes more work, forever. */

static void repost(weir_task *task, int status)
{
    int err = weir_loop_post(loop, task);

    expect_status(err, status == 0 ? 0 : WEIR_ECLOSED);
}

static weir_task endless = {.run = repost, .name = "endless"};

CASE(shutdown_of_endless_work_times_out_and_close_ends_it)
{
    struct runner runner;
    weir_holder holders[2];
    size_t count;

    loop_make(OPTIONS);
    expect_status(weir_loop_post(loop, &endless), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    expect_status(weir_loop_shutdown(loop, 5 * MILLISECOND_NS), -ETIMEDOUT);
    do
        count = weir_loop_report(loop, holders, 2, sizeof(weir_holder));
    while (count == 0 || !holders[0].is_running);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_done_once(WEIR_ECANCELED);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_of_endless_work_times_out_on_its_own_thread)
{
    int64_t begun_ns = weir__clock_real();

    loop_make(OPTIONS);
    expect_status(weir_loop_post(loop, &endless), 0);
    expect_status(weir_loop_shutdown(loop, 5 * MILLISECOND_NS), -ETIMEDOUT);
    expect(weir__clock_real() - begun_ns >= 5 * MILLISECOND_NS);
    expect_status(weir_loop_shutdown(loop, MILLISECOND_NS), -ETIMEDOUT);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_done_once(WEIR_ECANCELED);
    expect_status(weir_loop_free(loop), 0);
}

typedef int queue_fn(weir_loop *loop, weir_fn *fn, void *arg);

static void requeue(void *queue, int status)
{
    int err = (*(queue_fn **)queue)(loop, requeue, queue);

    expect_status(err, status == 0 ? 0 : WEIR_ECLOSED);
}

static void expect_endless_ends(queue_fn *queue)
{
    done.times = 0;
    loop_make(OPTIONS);
    expect_status(weir_loop_submit(loop, requeue, &queue), 0);
    expect_status(weir_loop_shutdown(loop, MILLISECOND_NS), -ETIMEDOUT);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_done_once(WEIR_ECANCELED);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_of_endless_work_of_any_kind_times_out_and_close_ends_it)
{
    expect_endless_ends(weir_loop_submit);
    expect_endless_ends(weir_loop_next_tick);
    expect_endless_ends(weir_loop_microtask);
    expect_endless_ends(weir_loop_immediate);
    expect_endless_ends(weir_loop_on_close_phase);
}

/* close */

CASE(shutdown_close_tells_every_kind_once_that_it_is_cancelled)
{
    loop_make(OPTIONS);
    loop_submit("task");
    loop_tick("tick");
    loop_microtask("microtask");
    loop_immediate("immediate");
    loop_close_phase("close");
    loop_timer(0, "due");
    loop_timer(SECOND_NS, "timer");
    add_event("fd", 0);
    add_event("ready", 1);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("due! timer! task! tick! microtask! fd! ready! immediate! "
                    "close! done");
    expect_done_once(WEIR_ECANCELED);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
    expect_done_once(WEIR_ECANCELED);
}

/* The same when the loop had them already, in its own queues. */
CASE(shutdown_close_between_steps_cancels_what_the_loop_has_taken)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(OPTIONS);
    loop_timer(SECOND_NS, "timer");
    add_event("fd", 0);
    expect_status(weir_loop_submit(loop, queue_each_kind, NULL), 0);
    loop_turns(1);
    expect_recorded("tick microtask immediate close");
    loop_submit("outside");
    expect_status(weir_clock_advance(SECOND_NS), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("timer! task! outside! fd! done");
    expect_done_once(WEIR_ECANCELED);
    expect_status(weir_loop_free(loop), 0);
}

static void close_it(struct crew *crew, unsigned id)
{
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_done_once(WEIR_ECANCELED); /* plain: it happened before */
}

/* Closes the stuck loop on another thread; once that has begun, lets it go. */
static void close_stuck(void)
{
    struct crew crew;

    crew_start(&crew, 1, close_it, NULL);
    /* The close counts when both are set; a shutdown may have set one. */
    while (weir_loop_state(loop) != WEIR_LOOP_TERMINATING ||
           !(load_relaxed(&loop->hints) & WEIR__HINT_CANCELLED))
        sched_yield();
    blocker_let_go(&stuck);
    crew_join(&crew);
    expect_status(stuck.status, 0);
    expect_status(runner_join(&runner_of_stuck), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_close_lets_the_running_callback_finish)
{
    make_stuck(OPTIONS);
    loop_submit("a");
    loop_submit("b");
    loop_timer(0, "timer");
    close_stuck();
    expect_recorded("a! b! timer! done");
    expect_done_once(WEIR_ECANCELED);
}

CASE(shutdown_close_during_a_task_cancels_timers_before_descriptors)
{
    make_stuck(OPTIONS);
    loop_submit("a");
    loop_timer(SECOND_NS, "timer");
    add_event("fd", 0);
    close_stuck();
    expect_recorded("a! timer! fd! done");
    expect_done_once(WEIR_ECANCELED);
}

static void expect_queues_refuse(void *arg, int status)
{
    expect_status(status, WEIR_ECANCELED);
    expect_refused();
    record(arg, status);
}

/* covers: weir_loop_dispatch WEIR_ECLOSED */
/* covers: weir_loop_next_tick WEIR_ECLOSED */
/* covers: weir_loop_microtask WEIR_ECLOSED */
/* covers: weir_loop_immediate WEIR_ECLOSED */
/* covers: weir_loop_on_close_phase WEIR_ECLOSED */
CASE(shutdown_close_refuses_what_cancelled_callbacks_queue)
{
    loop_make(OPTIONS);
    expect_status(weir_loop_submit(loop, expect_queues_refuse, (void *)"task"),
                  0);
    expect_status(
        weir_loop_immediate(loop, expect_queues_refuse, (void *)"immediate"),
        0);
    expect_status(weir_timer_start(loop, NULL, SECOND_NS, WEIR_TIMER_ONCE,
                                   expect_queues_refuse, (void *)"timer"),
                  0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("timer! task! immediate! done");
    expect_status(weir_loop_free(loop), 0);
}

static void close_inside(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_close(loop, *(int64_t *)arg), 0);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATING);
    note("begun");
}

CASE(shutdown_close_inside_a_callback_begins_it)
{
    for (int64_t timeout_ns = -1; timeout_ns <= 1; timeout_ns++) {
        loop_make(OPTIONS);
        loop_timer(SECOND_NS, "timer");
        expect_status(weir_loop_submit(loop, close_inside, &timeout_ns), 0);
        loop_submit("a");
        loop_immediate("immediate");
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
        expect_recorded("begun a! immediate! timer! done");
        expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
        expect_status(weir_loop_close(loop, -1), 0);
        expect_status(weir_loop_free(loop), 0);
    }
}

/* covers: weir_loop_close -ETIMEDOUT */
CASE(shutdown_close_of_a_busy_loop_is_begun_without_waiting)
{
    struct blocker blocker;
    struct runner runner;

    blocker_open(&blocker);
    loop_make(OPTIONS);
    expect_status(weir_loop_submit(loop, block, &blocker), 0);
    loop_submit("a");
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    blocker_await(&blocker);
    expect_status(weir_loop_close(loop, 0), -ETIMEDOUT);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATING);
    expect_status(weir_loop_close(loop, MILLISECOND_NS), -ETIMEDOUT);
    blocker_let_go(&blocker);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_recorded("a! done");
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_close_from_many_threads_ends_it_once)
{
    struct runner runner;

    loop_make(OPTIONS);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_state(loop, WEIR_LOOP_SLEEPING);
    crew_run(8, close_it, NULL);
    expect_recorded("timer! done");
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_close_from_many_threads_of_a_loop_that_nobody_runs_ends_it_once)
{
    loop_make(OPTIONS);
    loop_submit("a");
    loop_submit("b");
    crew_run(8, close_it, NULL);
    expect_recorded("a! b! done");
    expect_status(weir_loop_free(loop), 0);
}

/* The hint that a close is on its way must be enough, wherever its task is. */
CASE(shutdown_close_by_two_at_once_cancels_the_first_task_as_well)
{
    for (int i = 0; i < 500; i++) {
        done.times = 0;
        loop_make(OPTIONS);
        loop_submit("a");
        crew_run(2, close_it, NULL);
        expect_recorded("a! done");
        expect_status(weir_loop_free(loop), 0);
    }
}

CASE(shutdown_close_during_a_shutdown_ends_it_at_once)
{
    make_stuck(OPTIONS);
    loop_submit("a");
    loop_submit("b");
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    close_stuck();
    expect_recorded("a! b! done");
    expect_done_once(WEIR_ECANCELED);
}

static void end_somehow(struct crew *crew, unsigned id)
{
    expect_status(id % 2 == 0 ? weir_loop_close(loop, -1)
                              : weir_loop_shutdown(loop, -1),
                  0);
    expect_int(done.times, 1);
}

CASE(shutdown_and_close_from_many_threads_end_it_once)
{
    struct runner runner;
    const char *words;

    loop_make(OPTIONS);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    add_event("fd", 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    crew_run(8, end_somehow, NULL);
    words = take_record(); /* a close keeps no order between kinds */
    expect(strcmp(words, "timer! fd! done") == 0 ||
           strcmp(words, "fd! timer! done") == 0);
    expect_int(done.times, 1);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

static void start_due(void *word, int status)
{
    loop_timer(0, word);
}

/* A timer that another thread has started is on its way when the loop ends. */
CASE(shutdown_tells_a_timer_that_has_not_arrived)
{
    loop_make(OPTIONS);
    call_elsewhere(start_due, (void *)"timer");
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("timer! done");
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_close_tells_a_timer_that_has_not_arrived)
{
    loop_make(OPTIONS);
    call_elsewhere(start_due, (void *)"timer");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("timer! done");
    expect_status(weir_loop_free(loop), 0);
}

/* done */

static void end_in_done(void *arg, weir_loop *ended, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_close(ended, -1), 0);
    expect_status(weir_loop_shutdown(ended, -1), 0);
    expect_status(weir_loop_run(ended, WEIR_RUN_UNTIL_IDLE), WEIR_EREENTRANT);
    expect_refused();
    note("done");
}

CASE(shutdown_done_can_queue_nothing_any_more)
{
    loop_make(LOOP_OPTIONS(.done = end_in_done));
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("done");
    expect_status(weir_loop_free(loop), 0);
}

static struct failing_allocator memory;

static void make_freed_by_done(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    done.frees = true;
    loop_make(OPTIONS);
    loop_submit("a");
    loop_timer(SECOND_NS, "timer");
}

CASE(shutdown_done_may_free_the_loop_in_shutdown)
{
    make_freed_by_done();
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_done_once(0);
    expect_int(memory.live, 0);
}

CASE(shutdown_done_may_free_the_loop_in_close)
{
    make_freed_by_done();
    expect_status(weir_loop_close(loop, -1), 0);
    expect_done_once(WEIR_ECANCELED);
    expect_recorded("timer! a! done");
    expect_int(memory.live, 0);
}

CASE(shutdown_done_may_free_the_loop_in_run)
{
    make_freed_by_done();
    expect_status(weir_loop_submit(loop, shut_down_inside, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_done_once(0);
    expect_int(memory.live, 0);
}

CASE(shutdown_done_may_free_the_loop_in_step)
{
    int err;

    make_freed_by_done();
    expect_status(weir_loop_submit(loop, shut_down_inside, NULL), 0);
    do
        err = weir_loop_step(loop, 0);
    while (err == 0);
    expect_status(err, WEIR_ECLOSED);
    expect_done_once(0);
    expect_int(memory.live, 0);
}

CASE(shutdown_done_may_free_the_loop_while_others_wait_for_the_end)
{
    struct runner runner;

    make_freed_by_done();
    weir_loop_ref(loop); /* for threads that have not begun to wait */
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    crew_run(4, shut_down, NULL);
    expect_status(runner_join(&runner), 0);
    expect_done_once(0);
    weir_loop_unref(loop);
    expect_int(memory.live, 0);
}

/* free */

CASE(shutdown_free_of_a_loop_that_nobody_ran_closes_it)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(OPTIONS);
    loop_submit("a");
    loop_submit("b");
    loop_timer(0, "timer");
    add_event("fd", 1);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("timer! a! b! fd! done");
    expect_done_once(WEIR_ECANCELED);
    expect_int(memory.live, 0);
}

CASE(shutdown_free_of_a_loop_that_is_idle_closes_it)
{
    loop_make(OPTIONS);
    loop_submit("a");
    loop_run();
    loop_submit("b");
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("a b! done");
}

CASE(shutdown_free_by_the_thread_that_steps_it_closes_it)
{
    loop_make(OPTIONS);
    loop_turns(1);
    loop_submit("a");
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("a! done");
    expect_done_once(WEIR_ECANCELED);
}

/* covers: weir_loop_free -EBUSY */
CASE(shutdown_free_while_another_thread_runs_it_is_refused)
{
    struct runner runner;

    loop_make(OPTIONS);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect_status(weir_loop_free(loop), -EBUSY);
    loop_submit("a");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("a done");
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

static void free_elsewhere(struct crew *crew, unsigned id)
{
    expect_status(weir_loop_free(loop), -EBUSY);
}

/* covers: weir_loop_free -EBUSY */
CASE(shutdown_free_while_another_thread_steps_it_is_refused)
{
    loop_make(OPTIONS);
    loop_turns(1);
    crew_run(1, free_elsewhere, NULL);
    loop_submit("a");
    loop_turns(1);
    expect_recorded("a");
    loop_end();
}

static void free_inside(void *arg, int status)
{
    expect_status(weir_loop_free(loop), WEIR_EREENTRANT);
    note("refused");
}

/* covers: weir_loop_free WEIR_EREENTRANT */
CASE(shutdown_free_inside_a_callback_is_refused)
{
    loop_make(OPTIONS);
    expect_status(weir_loop_submit(loop, free_inside, NULL), 0);
    loop_run();
    expect_recorded("refused");
    loop_end();
}

/* after the end */

/* covers: weir_loop_set_fd_mode WEIR_ECLOSED */
CASE(shutdown_leaves_a_loop_that_refuses_everything)
{
    loop_make(OPTIONS);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_refused();
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_AUTO), WEIR_ECLOSED);
    expect_status(weir_loop_step(loop, 0), WEIR_ECLOSED);
    weir_loop_wake(loop);
    expect_recorded("done");
    expect_int(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(shutdown_close_leaves_a_loop_that_refuses_everything)
{
    loop_make(OPTIONS);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_refused();
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), WEIR_ECLOSED);
    expect_recorded("done");
    expect_status(weir_loop_free(loop), 0);
}

/* Producers that do not stop. */

struct tally {
    unsigned accepted; /* atomic */
    unsigned ran, cancelled;
};

static void tally_call(void *arg, int status)
{
    struct tally *tally = arg;

    if (status == 0)
        tally->ran++;
    else
        tally->cancelled++;
}

static void submit_until_closed(struct crew *crew, unsigned id)
{
    unsigned accepted = 0;

    while (weir_loop_submit(loop, tally_call, crew->context) == 0)
        accepted++;
    __atomic_fetch_add(&((struct tally *)crew->context)->accepted, accepted,
                       __ATOMIC_RELAXED);
}

static struct tally race_end(int (*end)(weir_loop *loop))
{
    struct tally tally = {0};
    struct runner runner;
    struct crew crew;

    loop_make(NULL);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    crew_start(&crew, 3, submit_until_closed, &tally);
    expect_status(end(loop), 0);
    crew_join(&crew);
    expect_status(runner_join(&runner), 0);
    expect_int(tally.ran + tally.cancelled, tally.accepted);
    expect_status(weir_loop_free(loop), 0);
    return tally;
}

static int shut_down_gracefully(weir_loop *ended)
{
    return weir_loop_shutdown(ended, -1);
}

static int close_at_once(weir_loop *ended)
{
    return weir_loop_close(ended, -1);
}

CASE(shutdown_runs_all_that_racing_producers_got_in)
{
    for (int i = 0; i < 50; i++)
        expect_int(race_end(shut_down_gracefully).cancelled, 0);
}

CASE(shutdown_close_runs_or_cancels_all_that_racing_producers_got_in)
{
    for (int i = 0; i < 50; i++)
        race_end(close_at_once);
}
