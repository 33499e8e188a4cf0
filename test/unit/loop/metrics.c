/* SPDX-License-Identifier: MIT */
/*
 * metrics -- every number, after runs whose numbers are known.
 */
#include "weir/metrics.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "support/crew.h"
#include "support/loop_fixture.h"
#include "support/named.h"
#include "support/suite.h"
#include "weir/fd.h"
#include "weir/timer.h"

static weir_metrics metrics;

static void make(void)
{
    loop_make(LOOP_OPTIONS(.metrics = true));
}

static void look(void)
{
    memset(&metrics, 0xa5, sizeof(metrics));
    metrics.size = sizeof(metrics);
    expect_status(weir_loop_metrics(loop, &metrics), 0);
}

/* Keeps the loop's thread busy, by the real clock. */
static void work_for(int64_t duration_ns)
{
    int64_t end_ns = weir__clock_real() + duration_ns;

    while (weir__clock_real() < end_ns)
        ;
}

/* Metrics have their own clock, whose pace is found out each time
 * they are read: times are good to a percent. */
static bool is_at_least(uint64_t measured_ns, int64_t real_ns)
{
    return (int64_t)measured_ns >= real_ns - real_ns / 100;
}

static bool is_about(uint64_t a_ns, uint64_t b_ns)
{
    return is_at_least(a_ns, (int64_t)b_ns) && is_at_least(b_ns, (int64_t)a_ns);
}

/* how they are asked for */

/* covers: weir_loop_metrics -ENOTSUP */
/* covers: weir_loop_percentile -ENOTSUP */
CASE(metrics_of_a_loop_that_keeps_none_are_refused)
{
    uint64_t value_ns = 42;

    loop_make(NULL);
    memset(&metrics, 0, sizeof(metrics));
    expect_status(weir_loop_metrics(loop, &metrics), -ENOTSUP);
    expect_int(metrics.turns, 0);
    expect_status(
        weir_loop_percentile(loop, WEIR_METRIC_IN_QUEUE, 50, &value_ns),
        -ENOTSUP);
    expect_int(value_ns, 42);
    loop_end();
}

/* covers: weir_loop_metrics -EINVAL */
CASE(metrics_of_nothing_or_to_nowhere_are_refused)
{
    make();
    expect_status(weir_loop_metrics(NULL, &metrics), -EINVAL);
    expect_status(weir_loop_metrics(loop, NULL), -EINVAL);
    expect_status(weir_loop_metrics(loop, &(weir_metrics){.size = 0}), -EINVAL);
    loop_end();
}

/* covers: weir_loop_percentile -EINVAL */
CASE(metrics_percentile_that_is_none_is_refused)
{
    const double none[] = {-0.1, 100.1, -INFINITY, INFINITY, NAN};
    uint64_t value_ns = 42;

    make();
    for (unsigned i = 0; i < sizeof(none) / sizeof(*none); i++)
        expect_status(weir_loop_percentile(loop, WEIR_METRIC_IN_CALLBACK,
                                           none[i], &value_ns),
                      -EINVAL);
    expect_status(weir_loop_percentile(loop, (weir_metric)2, 50, &value_ns),
                  -EINVAL);
    expect_status(weir_loop_percentile(loop, (weir_metric)-1, 50, &value_ns),
                  -EINVAL);
    expect_status(
        weir_loop_percentile(NULL, WEIR_METRIC_IN_QUEUE, 50, &value_ns),
        -EINVAL);
    expect_status(weir_loop_percentile(loop, WEIR_METRIC_IN_QUEUE, 50, NULL),
                  -EINVAL);
    expect_int(value_ns, 42);
    loop_end();
}

CASE(metrics_begin_with_nothing)
{
    uint64_t value_ns = 42;

    make();
    look();
    expect_int(metrics.turns, 0);
    expect_int(metrics.tasks, 0);
    expect_int(metrics.callbacks, 0);
    expect_int(metrics.wakes_sent, 0);
    expect_int(metrics.wakes_saved, 0);
    expect_int(metrics.queue_depth, 0);
    expect_int(metrics.queue_depth_max, 0);
    expect_int(metrics.asleep_ns, 0);
    expect_int(metrics.in_queue.count, 0);
    expect_int(metrics.in_callback.count, 0);
    expect_int(metrics.in_callback.max_ns, 0);
    expect_int(metrics.longest_ns, 0);
    expect(metrics.longest_name == NULL);
    expect_status(
        weir_loop_percentile(loop, WEIR_METRIC_IN_CALLBACK, 99, &value_ns), 0);
    expect_int(value_ns, 0);
    loop_end();
}

/* counts */

CASE(metrics_count_turns)
{
    make();
    loop_turns(5);
    look();
    expect_int(metrics.turns, 5);
    loop_turns(2);
    look();
    expect_int(metrics.turns, 7);
    loop_end();
}

/* Queued inside, so that nothing but these comes through the queue. */
static void queue_each_kind(void *fd, int status)
{
    loop_submit("task");
    loop_timer(0, "timer");
    loop_immediate("immediate");
    loop_close_phase("close");
    expect_status(weir_fd_add(loop, *(int *)fd,
                              WEIR_FD_READABLE | WEIR_FD_ONESHOT, record_fd,
                              (void *)"fd"),
                  0);
}

CASE(metrics_count_callbacks_of_each_kind)
{
    int fd = event_open(1);

    make();
    expect_status(weir_loop_submit(loop, queue_each_kind, &fd), 0);
    loop_turns(1);
    expect_recorded("fd immediate close");
    look();
    expect_int(metrics.tasks, 1);
    expect_int(metrics.callbacks, 4);
    loop_turns(1);
    expect_recorded("timer task");
    look();
    expect_int(metrics.tasks, 2);
    expect_int(metrics.callbacks, 6);
    expect_int(metrics.in_callback.count, 6);
    expect_int(metrics.wakes_saved, 1);
    expect_int(metrics.turns, 2);
    loop_end();
}

static void count_call(void *count, int status)
{
    ++*(unsigned *)count;
}

/* One in 16 to 1024 carries the time; that is no task of the user's. */
CASE(metrics_count_tasks_and_not_what_measures_them)
{
    enum { TASKS = 6400 };
    unsigned count = 0;

    make();
    for (int i = 0; i < TASKS; i++)
        expect_status(weir_loop_submit(loop, count_call, &count), 0);
    loop_turns(1);
    expect_int(count, TASKS);
    look();
    expect_int(metrics.tasks, TASKS);
    expect_int(metrics.callbacks, TASKS);
    expect(metrics.in_callback.count >= TASKS / 512);
    expect(metrics.in_callback.count <= TASKS);
    expect(metrics.in_queue.count >= TASKS / 1024);
    expect(metrics.in_queue.count <= TASKS / 16);
    expect_int(metrics.wakes_saved, TASKS);
    expect_int(metrics.wakes_sent, 0);
    expect(metrics.queue_depth_max >= TASKS);
    expect(metrics.queue_depth_max <= TASKS + TASKS / 16);
    loop_end();
}

CASE(metrics_count_as_tasks_only_what_was_posted_or_submitted)
{
    weir_timer id;

    make();
    expect_status(weir_timer_start(loop, &id, 3600 * (int64_t)SECOND_NS,
                                   WEIR_TIMER_ONCE, record, (void *)"timer"),
                  0);
    weir_loop_wake(loop);
    loop_turns(1);
    expect_status(weir_timer_cancel(loop, id), 0);
    loop_turns(1);
    look();
    expect_int(metrics.tasks, 0);
    expect_int(metrics.callbacks, 0);
    loop_end();
}

/* the queue */

static void look_at_depth(void *expected, int status)
{
    look();
    expect_int(metrics.queue_depth, (uintptr_t)expected);
}

CASE(metrics_show_the_depth_of_the_queue)
{
    make();
    for (uintptr_t i = 4; i-- > 0;)
        expect_status(weir_loop_submit(loop, look_at_depth, (void *)i), 0);
    look();
    expect_int(metrics.queue_depth, 0); /* the loop has not taken them yet */
    loop_turns(1);
    look();
    expect_int(metrics.queue_depth, 0);
    expect_int(metrics.queue_depth_max, 4);
    loop_end();
}

static void submit_ten(void *arg, int status)
{
    for (int i = 0; i < 10; i++)
        loop_submit("a");
    look();
    expect_int(metrics.queue_depth, 10);
}

CASE(metrics_show_the_depth_that_callbacks_cause)
{
    make();
    expect_status(weir_loop_submit(loop, submit_ten, NULL), 0);
    loop_turns(1);
    look();
    expect_int(metrics.queue_depth, 10);
    expect_int(metrics.queue_depth_max, 10);
    loop_turns(1);
    look();
    expect_int(metrics.queue_depth, 0);
    expect_int(metrics.queue_depth_max, 10);
    loop_end();
}

/* wakes */

static void expect_wakes_counted(weir_fd_mode mode)
{
    struct blocker blocker;
    struct runner runner;
    unsigned count = 0;

    blocker_open(&blocker);
    loop_make(LOOP_OPTIONS(.metrics = true, .fd_mode = mode));
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    for (unsigned i = 1; i <= 3; i++) {
        await_state(loop, WEIR_LOOP_SLEEPING);
        expect_status(weir_loop_submit(loop, block, &blocker), 0);
        blocker_await(&blocker);
        for (int more = 0; more < 5; more++)
            expect_status(weir_loop_submit(loop, count_call, &count), 0);
        blocker_let_go(&blocker);
        await_state(loop, WEIR_LOOP_SLEEPING);
        look();
        expect_int(metrics.wakes_sent, i);
        expect_int(metrics.wakes_saved, 5 * i);
        expect_int(metrics.tasks, 6 * i);
    }
    loop_end();
    expect_status(runner_join(&runner), 0);
}

CASE(metrics_count_wakes_sent_and_saved)
{
    expect_wakes_counted(WEIR_FD_MODE_AUTO);
    expect_wakes_counted(WEIR_FD_MODE_ALWAYS);
}

static void expect_step_wakes_counted(weir_fd_mode mode)
{
    loop_make(LOOP_OPTIONS(.metrics = true, .fd_mode = mode));
    loop_turns(1);
    for (unsigned i = 1; i <= 3; i++) {
        loop_submit("a");
        loop_submit("b");
        loop_turns(1);
        look();
        expect_int(metrics.wakes_sent, i);
        expect_int(metrics.wakes_saved, i);
    }
    loop_end();
}

CASE(metrics_count_wakes_between_two_steps)
{
    expect_step_wakes_counted(WEIR_FD_MODE_ALWAYS);
    expect_step_wakes_counted(WEIR_FD_MODE_AUTO);
}

/* times */

static void expect_asleep_counted(weir_fd_mode mode)
{
    int64_t begun_ns = weir__clock_real();

    loop_make(LOOP_OPTIONS(.metrics = true, .fd_mode = mode));
    loop_turns(1);
    look();
    expect_int(metrics.asleep_ns, 0);
    expect_status(weir_loop_step(loop, 5 * MILLISECOND_NS), 0);
    look();
    expect(is_at_least(metrics.asleep_ns, 5 * MILLISECOND_NS));
    expect((int64_t)metrics.asleep_ns <=
           (weir__clock_real() - begun_ns) * 101 / 100);
    loop_end();
}

CASE(metrics_count_the_time_asleep)
{
    expect_asleep_counted(WEIR_FD_MODE_AUTO);
    expect_asleep_counted(WEIR_FD_MODE_ALWAYS);
}

/* A callback that takes a while, and says how long it took: the machine may
 * have had something else to do. */
struct job {
    int64_t duration_ns, took_ns;
    const char *name;
};

static void work(void *arg, int status)
{
    struct job *job = arg;
    int64_t begun_ns = weir__clock_real();

    work_for(job->duration_ns);
    job->took_ns = weir__clock_real() - begun_ns;
}

CASE(metrics_name_the_longest_callback)
{
    struct job jobs[] = {{MILLISECOND_NS / 10, 0, "short"},
                         {20 * MILLISECOND_NS, 0, "longest"},
                         {MILLISECOND_NS, 0, "middling"}};
    const struct job *longest = jobs;

    make();
    for (int i = 0; i < 3; i++)
        expect_status(submit_named(loop, work, &jobs[i], jobs[i].name), 0);
    loop_turns(1);
    for (int i = 1; i < 3; i++)
        if (jobs[i].took_ns > longest->took_ns)
            longest = &jobs[i];
    look();
    expect(is_at_least(metrics.longest_ns, longest->took_ns));
    expect(metrics.longest_name == longest->name);
    expect_int(metrics.longest_kind, WEIR_KIND_TASK);
    expect(is_at_least(metrics.in_callback.max_ns, longest->took_ns));
    expect_int(metrics.in_callback.count, 3);
    loop_end();
}

CASE(metrics_name_the_longest_callback_of_another_kind)
{
    struct job job = {50 * MILLISECOND_NS, 0, "slow timer"};
    weir_timer id;

    make();
    expect_status(weir_timer_start(loop, &id, 1, WEIR_TIMER_ONCE, work, &job),
                  0);
    loop_submit("a");
    expect_status(weir_timer_set_name(loop, id, job.name), 0);
    loop_run();
    look();
    expect(metrics.longest_name == job.name);
    expect_int(metrics.longest_kind, WEIR_KIND_TIMER);
    loop_end();
}

/* Its microtasks belong to a callback. */
static void queue_work(void *job, int status)
{
    expect_status(weir_loop_microtask(loop, work, job), 0);
}

CASE(metrics_count_microtasks_as_part_of_their_callback)
{
    struct job job = {20 * MILLISECOND_NS, 0, "parent"};

    make();
    expect_status(submit_named(loop, queue_work, &job, job.name), 0);
    loop_turns(1);
    look();
    expect_int(metrics.in_callback.count, 1);
    expect(is_at_least(metrics.longest_ns, 20 * MILLISECOND_NS));
    expect(metrics.longest_name == job.name);
    loop_end();
}

CASE(metrics_percentiles_are_in_order_and_enclose_the_values)
{
    struct job brief = {1000, 0, NULL},
               lengthy = {10 * MILLISECOND_NS, 0, NULL};
    uint64_t value_ns, before_ns = 0;

    make();
    for (int round = 0; round < 10; round++) { /* ten are not a crowd */
        for (int i = 0; i < 10; i++)
            expect_status(
                weir_loop_submit(loop, work, i == 5 ? &lengthy : &brief), 0);
        loop_turns(1);
    }
    look();
    expect(metrics.in_callback.count >= 100);
    expect(metrics.in_callback.count <=
           100 + 100 / 16); /* with what measures them */
    expect(is_at_least(metrics.in_callback.p50_ns, 1000));
    expect(metrics.in_callback.p50_ns <= metrics.in_callback.p90_ns);
    expect(metrics.in_callback.p90_ns <= metrics.in_callback.p99_ns);
    expect(is_at_least(metrics.in_callback.p99_ns, 10 * MILLISECOND_NS));
    expect(metrics.in_callback.p99_ns <= metrics.in_callback.p999_ns);
    expect(metrics.in_callback.p999_ns <= metrics.in_callback.max_ns);
    for (int percent = 0; percent <= 100; percent++) {
        expect_status(weir_loop_percentile(loop, WEIR_METRIC_IN_CALLBACK,
                                           percent, &value_ns),
                      0);
        expect(is_at_least(value_ns, (int64_t)before_ns));
        before_ns = value_ns;
    }
    expect(is_about(before_ns, metrics.in_callback.max_ns));
    expect_status(
        weir_loop_percentile(loop, WEIR_METRIC_IN_CALLBACK, 50, &value_ns), 0);
    expect(is_about(value_ns, metrics.in_callback.p50_ns));
    loop_end();
}

CASE(metrics_time_one_callback_in_128_of_a_crowd)
{
    struct job brief = {0, 0, "brief"};

    make();
    for (int i = 0; i < 100000; i++)
        expect_status(weir_loop_submit(loop, work, &brief), 0);
    loop_turns(1);
    look();
    expect_int(metrics.tasks, 100000);
    expect(metrics.in_callback.count >= 100000 / 128);
    loop_end();
}

/* The first long one in a crowd may escape; then those that follow are all
 * timed. */
CASE(metrics_name_the_longest_callback_in_a_crowd)
{
    struct job brief = {0, 0, "brief"};
    struct job first = {20 * MILLISECOND_NS, 0, "first"};
    struct job second = {150 * MILLISECOND_NS, 0, "second"};

    make();
    for (int i = 0; i < 1000; i++) {
        struct job *job = i == 103 ? &first : i == 203 ? &second : &brief;

        expect_status(submit_named(loop, work, job, job->name), 0);
    }
    loop_turns(1);
    look();
    expect_int(metrics.tasks, 1000);
    expect(metrics.in_callback.count >= 1000 / 16);
    expect(is_at_least(metrics.longest_ns, second.took_ns));
    expect(metrics.longest_name == second.name);
    loop_end();
}

CASE(metrics_measure_the_time_in_the_queue)
{
    uint64_t value_ns;
    unsigned count = 0;

    make();
    for (int i = 0; i < 128; i++)
        expect_status(weir_loop_submit(loop, count_call, &count), 0);
    work_for(5 * MILLISECOND_NS);
    loop_turns(1);
    look();
    expect(metrics.in_queue.count >= 1 && metrics.in_queue.count <= 128 / 16);
    expect(is_at_least(metrics.in_queue.p50_ns, 5 * MILLISECOND_NS));
    expect_status(
        weir_loop_percentile(loop, WEIR_METRIC_IN_QUEUE, 100, &value_ns), 0);
    expect(is_about(value_ns, metrics.in_queue.max_ns));
    loop_end();
}

static void run_nothing(weir_task *task, int status)
{
    expect_status(status, 0);
}

CASE(metrics_measure_posted_tasks_as_well)
{
    static weir_task tasks[128];

    make();
    for (int i = 0; i < 128; i++) {
        tasks[i] = (weir_task){.run = run_nothing};
        expect_status(weir_loop_post(loop, &tasks[i]), 0);
    }
    loop_turns(1);
    look();
    expect_int(metrics.tasks, 128);
    expect_int(metrics.callbacks, 128);
    expect(metrics.in_queue.count >= 1 && metrics.in_queue.count <= 128 / 16);
    loop_end();
}

/* Returns how long it took, on whatever machine. */
static int64_t take_turn(const char *letter)
{
    int64_t begun_ns = weir__clock_real();

    loop_submit(letter);
    loop_turns(1);
    return weir__clock_real() - begun_ns;
}

/* Time asleep is nobody's time. */
CASE(metrics_do_not_count_sleep_as_a_callback)
{
    int64_t awake_ns;

    make();
    awake_ns = take_turn("a");
    expect_status(weir_loop_step(loop, 200 * MILLISECOND_NS), 0);
    awake_ns += take_turn("b");
    look();
    expect_int(metrics.in_callback.count, 2);
    expect(is_at_least(metrics.asleep_ns, 200 * MILLISECOND_NS));
    expect(is_at_least((uint64_t)awake_ns, (int64_t)metrics.longest_ns));
    loop_end();
}

/* threads */

enum { THREADS = 3, EACH = 5000 };

static bool is_over; /* atomic */

static void submit_many(struct crew *crew, unsigned id)
{
    for (int i = 0; i < EACH; i++)
        expect_status(weir_loop_submit(loop, count_call, crew->context), 0);
}

static void watch(struct crew *crew, unsigned id)
{
    int64_t begun_ns = *(int64_t *)crew->context;
    weir_metrics seen = {.size = sizeof(seen)};
    uint64_t value_ns;

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        expect_status(weir_loop_metrics(loop, &seen), 0);
        expect(seen.tasks <= THREADS * EACH + 1);
        expect(seen.callbacks <= THREADS * EACH + 1);
        expect_status(
            weir_loop_percentile(loop, WEIR_METRIC_IN_QUEUE, 99, &value_ns), 0);
        /* Twice: the histogram rounds up. */
        expect((int64_t)value_ns <= 2 * (weir__clock_real() - begun_ns));
    }
}

static void end_it(void *arg, int status)
{
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
}

CASE(metrics_may_be_read_by_others_while_the_loop_runs)
{
    struct runner runner;
    struct crew watcher;
    unsigned count = 0;
    int64_t begun_ns = weir__clock_real();

    make();
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    crew_start(&watcher, 1, watch, &begun_ns);
    crew_run(THREADS, submit_many, &count);
    expect_status(weir_loop_submit(loop, end_it, NULL), 0);
    crew_join(&watcher);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(count, THREADS * EACH);
    look();
    expect_int(metrics.tasks, THREADS * EACH + 1);
    expect_int(metrics.callbacks, THREADS * EACH + 1);
    expect_int(metrics.wakes_sent + metrics.wakes_saved, THREADS * EACH + 1);
    expect_int(metrics.queue_depth, 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}
