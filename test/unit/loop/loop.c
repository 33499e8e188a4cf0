/* SPDX-License-Identifier: MIT */
/*
 * loop -- its life, the ways in, who runs it, and the answer to every misuse.
 * The order inside a turn is in turn.c, the end in shutdown.c, weir_loop_step
 * in step.c.
 */
#include "weir/loop.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/timer.h"

/* new and free */

CASE(loop_begins_AWAKE_and_admits_work)
{
    loop_make(NULL);
    expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    loop_submit("a");
    expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    expect_recorded("");
    loop_end();
    expect_recorded("a");
}

/* covers: weir_loop_new -EINVAL */
CASE(loop_new_with_options_that_make_no_sense_is_refused)
{
    const size_t right = sizeof(weir_loop_options);
    const weir_loop_options bad[] = {
        {.size = 0},
        {.size = 1},
        {.size = sizeof(size_t) - 1},
        {.size = right, .spin_ns = -1},
        {.size = right, .spin_ns = SECOND_NS + 1},
        {.size = right, .spin_ns = INT64_MAX},
        {.size = right, .fd_mode = (weir_fd_mode)3},
        {.size = right, .fd_mode = (weir_fd_mode)-1},
    };
    weir_loop *untouched = (weir_loop *)&bad;
    weir_loop *made = untouched;

    for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        expect_status(weir_loop_new(&made, &bad[i]), -EINVAL);
        expect(made == untouched);
    }
    expect_status(weir_loop_new(NULL, NULL), -EINVAL);
}

/* One allocation after the other fails, until all succeed. */
static void sweep_new(const weir_loop_options *options)
{
    struct failing_allocator memory;
    weir_loop *made = NULL;
    int err = -ENOMEM;

    for (uint64_t nth = 1; err != 0; nth++) {
        failing_allocator_init(&memory, nth);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        err = weir_loop_new(&made, options);
        if (err != 0) {
            expect_status(err, -ENOMEM);
            expect(made == NULL);
        } else {
            expect(nth > 1);
            expect_status(weir_loop_free(made), 0);
        }
        expect_int(memory.live, 0);
        expect_int(memory.live_bytes, 0);
    }
}

/* covers: weir_loop_new -ENOMEM */
CASE(loop_new_without_memory_leaves_nothing_behind)
{
    sweep_new(NULL);
    sweep_new(LOOP_OPTIONS(.metrics = true));
    sweep_new(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    sweep_new(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS, .metrics = true));
}

CASE(loop_free_of_no_loop_is_nothing)
{
    expect_status(weir_loop_free(NULL), 0);
}

CASE(loop_that_is_NULL_is_refused)
{
    weir_task task = {.run = NULL};

    expect_status(weir_loop_post(NULL, &task), -EINVAL);
    expect_status(weir_loop_submit(NULL, record, NULL), -EINVAL);
    expect_status(weir_loop_dispatch(NULL, record, NULL), -EINVAL);
    expect_status(weir_loop_next_tick(NULL, record, NULL), -EINVAL);
    expect_status(weir_loop_microtask(NULL, record, NULL), -EINVAL);
    expect_status(weir_loop_immediate(NULL, record, NULL), -EINVAL);
    expect_status(weir_loop_on_close_phase(NULL, record, NULL), -EINVAL);
    expect_status(weir_loop_run(NULL, WEIR_RUN_UNTIL_IDLE), -EINVAL);
    expect_status(weir_loop_step(NULL, 0), -EINVAL);
    expect_status(weir_loop_backend_fd(NULL), -EINVAL);
    expect_status(weir_loop_set_fd_mode(NULL, WEIR_FD_MODE_AUTO), -EINVAL);
    expect_status(weir_loop_shutdown(NULL, -1), -EINVAL);
    expect_status(weir_loop_close(NULL, -1), -EINVAL);
    expect_int(weir_loop_report(NULL, NULL, 0, sizeof(weir_holder)), 0);
    expect(!weir_loop_is_owner(NULL));
    weir_loop_wake(NULL);
}

/* post */

struct note_task {
    weir_task task;
    const char *word;
    unsigned runs;
    unsigned again; /* how often it posts itself once more */
};

static void run_note(weir_task *task, int status)
{
    struct note_task *mine = (struct note_task *)task;

    expect_status(status, 0);
    note(mine->word);
    mine->runs++;
    if (mine->again > 0) {
        mine->again--;
        expect_status(weir_loop_post(loop, task), 0);
    }
}

CASE(loop_post_runs_the_task_once)
{
    struct note_task a = {.task = {.run = run_note}, .word = "a"};

    loop_make(NULL);
    expect_status(weir_loop_post(loop, &a.task), 0);
    loop_run();
    loop_run();
    expect_int(a.runs, 1);
    loop_end();
    expect_recorded("a");
}

CASE(loop_post_of_the_same_task_inside_its_run_runs_it_again)
{
    struct note_task a = {.task = {.run = run_note}, .word = "a", .again = 2};

    loop_make(NULL);
    expect_status(weir_loop_post(loop, &a.task), 0);
    loop_run();
    expect_recorded("a a a");
    loop_end();
}

static void free_task(weir_task *task, int status)
{
    expect_status(status, 0);
    free(task);
}

CASE(loop_task_may_be_freed_by_its_run)
{
    loop_make(NULL);
    for (int i = 0; i < 10; i++) {
        weir_task *task = malloc(sizeof(*task));

        expect(task != NULL);
        *task = (weir_task){.run = free_task};
        expect_status(weir_loop_post(loop, task), 0);
    }
    loop_end();
}

/* covers: weir_loop_post -EINVAL */
CASE(loop_post_of_no_task_is_refused)
{
    weir_task empty = {.run = NULL};

    loop_make(NULL);
    expect_status(weir_loop_post(loop, NULL), -EINVAL);
    expect_status(weir_loop_post(loop, &empty), -EINVAL);
    loop_run();
    loop_end();
}

CASE(loop_post_and_submit_keep_one_order)
{
    struct note_task a = {.task = {.run = run_note}, .word = "a"};
    struct note_task c = {.task = {.run = run_note}, .word = "c"};

    loop_make(NULL);
    expect_status(weir_loop_post(loop, &a.task), 0);
    loop_submit("b");
    expect_status(weir_loop_post(loop, &c.task), 0);
    loop_submit("d");
    loop_run();
    expect_recorded("a b c d");
    loop_end();
}

static void post_and_submit_inside(void *arg, int status)
{
    struct note_task *tasks = arg;

    expect_status(weir_loop_post(loop, &tasks[0].task), 0);
    loop_submit("b");
    expect_status(weir_loop_post(loop, &tasks[1].task), 0);
    loop_submit("d");
    expect_recorded("");
}

CASE(loop_post_and_submit_keep_one_order_inside_a_callback)
{
    struct note_task tasks[] = {
        {.task = {.run = run_note}, .word = "a"},
        {.task = {.run = run_note}, .word = "c"},
    };

    loop_make(NULL);
    expect_status(weir_loop_submit(loop, post_and_submit_inside, tasks), 0);
    loop_run();
    expect_recorded("a b c d");
    loop_end();
}

/* submit */

/* covers: weir_loop_submit -EINVAL */
CASE(loop_submit_of_no_function_is_refused)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, NULL, NULL), -EINVAL);
    loop_end();
}

static void count_call(void *count, int status)
{
    ++*(unsigned *)count;
}

/* As many as a loop keeps storage for when it sleeps. */
#ifdef WEIR_SMALL
enum { FEW = 2 };
#else
enum { FEW = 500 };
#endif

CASE(loop_submit_allocates_nothing_in_steady_state)
{
    struct failing_allocator memory;
    uint64_t calls = 0;
    unsigned runs = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < FEW; i++)
            expect_status(weir_loop_submit(loop, count_call, &runs), 0);
        loop_run();
        expect_int(runs, FEW * (round + 1));
        if (round == 100)
            calls = memory.calls;
    }
    expect_int(memory.calls, calls);
    loop_end();
    expect_int(memory.live, 0);
}

CASE(loop_submit_of_a_burst_gives_the_memory_back)
{
    enum { BURST = 500000 };
    struct failing_allocator memory;
    unsigned runs = 0;
    uint64_t peak;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    for (int i = 0; i < BURST; i++)
        expect_status(weir_loop_submit(loop, count_call, &runs), 0);
    peak = memory.live_bytes;
    expect(peak > BURST * sizeof(weir_task));
    loop_run();
    expect_int(runs, BURST);
    expect(memory.live_bytes < peak / 8); /* some is kept for the next time */
    loop_end();
    expect_int(memory.live, 0);
}

typedef int queue_fn(weir_loop *loop, weir_fn *fn, void *arg);

/* Every allocation fails in turn.  What was refused never runs, what was not
 * runs once, and the loop goes on. */
static void sweep_queue(queue_fn *queue)
{
    struct failing_allocator memory;
    bool has_failed = true;

    for (uint64_t nth = 2; has_failed; nth++) { /* the first is the loop's */
        unsigned runs = 0, accepted = 0;

        failing_allocator_init(&memory, nth);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        loop_make(NULL);
        for (int i = 0; i < 300; i++) {
            int err = queue(loop, count_call, &runs);

            if (err == 0)
                accepted++;
            else
                expect_status(err, -ENOMEM);
        }
        has_failed = accepted < 300;
        if (has_failed)
            expect_int(accepted, 299);
        loop_end();
        expect_int(runs, accepted);
        expect_int(memory.live, 0);
        expect_int(memory.live_bytes, 0);
    }
}

/* covers: weir_loop_submit -ENOMEM */
/* covers: weir_loop_dispatch -ENOMEM */
/* covers: weir_loop_next_tick -ENOMEM */
/* covers: weir_loop_microtask -ENOMEM */
/* covers: weir_loop_immediate -ENOMEM */
/* covers: weir_loop_on_close_phase -ENOMEM */
CASE(loop_queue_from_outside_without_memory_is_refused)
{
    sweep_queue(weir_loop_submit);
    sweep_queue(weir_loop_dispatch);
    sweep_queue(weir_loop_next_tick);
    sweep_queue(weir_loop_microtask);
    sweep_queue(weir_loop_immediate);
    sweep_queue(weir_loop_on_close_phase);
}

struct inside {
    queue_fn *queue;
    unsigned runs, accepted;
};

static void queue_inside(void *arg, int status)
{
    struct inside *inside = arg;

    for (int i = 0; i < 300; i++) {
        int err = inside->queue(loop, count_call, &inside->runs);

        if (err == 0)
            inside->accepted++;
        else
            expect_status(err, -ENOMEM);
    }
}

static void sweep_queue_inside(queue_fn *queue)
{
    struct failing_allocator memory;
    bool has_failed = true;

    for (uint64_t nth = 4; has_failed; nth++) { /* after those of the submit */
        struct inside inside = {.queue = queue};

        failing_allocator_init(&memory, nth);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        loop_make(NULL);
        expect_status(weir_loop_submit(loop, queue_inside, &inside), 0);
        loop_run();
        expect_int(inside.runs, inside.accepted);
        has_failed = inside.accepted < 300;
        if (has_failed)
            expect_int(inside.accepted, 299);
        loop_end();
        expect_int(memory.live, 0);
        expect_int(memory.live_bytes, 0);
    }
}

CASE(loop_queue_inside_without_memory_is_refused)
{
    sweep_queue_inside(weir_loop_submit);
    sweep_queue_inside(weir_loop_next_tick);
    sweep_queue_inside(weir_loop_microtask);
    sweep_queue_inside(weir_loop_immediate);
    sweep_queue_inside(weir_loop_on_close_phase);
}

/* dispatch */

static void dispatch_inside(void *arg, int status)
{
    note("before");
    expect_status(weir_loop_dispatch(loop, record, (void *)"a"), 0);
    note("after");
}

CASE(loop_dispatch_on_its_thread_calls_at_once)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, dispatch_inside, NULL), 0);
    loop_run();
    expect_recorded("before a after");
    loop_end();
}

CASE(loop_dispatch_elsewhere_submits)
{
    loop_make(NULL);
    expect_status(weir_loop_dispatch(loop, record, (void *)"a"), 0);
    expect_recorded("");
    loop_run();
    expect_recorded("a");
    loop_end();
}

/* covers: weir_loop_dispatch -EINVAL */
/* covers: weir_loop_next_tick -EINVAL */
/* covers: weir_loop_microtask -EINVAL */
/* covers: weir_loop_immediate -EINVAL */
/* covers: weir_loop_on_close_phase -EINVAL */
CASE(loop_queue_of_no_function_is_refused)
{
    loop_make(NULL);
    expect_status(weir_loop_dispatch(loop, NULL, NULL), -EINVAL);
    expect_status(weir_loop_next_tick(loop, NULL, NULL), -EINVAL);
    expect_status(weir_loop_microtask(loop, NULL, NULL), -EINVAL);
    expect_status(weir_loop_immediate(loop, NULL, NULL), -EINVAL);
    expect_status(weir_loop_on_close_phase(loop, NULL, NULL), -EINVAL);
    loop_end();
}

/* run until idle */

CASE(loop_run_of_an_idle_loop_returns)
{
    loop_make(NULL);
    loop_run();
    expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    loop_end();
}

static void submit_inside(void *word, int status)
{
    loop_submit(word);
}

CASE(loop_run_until_idle_runs_what_callbacks_queue)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, submit_inside, (void *)"a"), 0);
    loop_run();
    expect_recorded("a");
    loop_end();
}

CASE(loop_may_be_run_again_after_idle)
{
    loop_make(NULL);
    for (int i = 0; i < 3; i++) {
        loop_submit("a");
        loop_run();
        expect_recorded("a");
        expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    }
    loop_end();
}

static void run_on_a_thread(struct crew *crew, unsigned id)
{
    loop_submit("b");
    loop_run();
}

/* The record is plain memory: the next run sees what the last one did. */
CASE(loop_may_be_run_by_another_thread_after_idle)
{
    loop_make(NULL);
    loop_submit("a");
    loop_run();
    crew_run(1, run_on_a_thread, NULL);
    loop_submit("c");
    loop_run();
    expect_recorded("a b c");
    loop_end();
}

/* covers: weir_loop_run -EINVAL */
CASE(loop_run_in_an_unknown_mode_is_refused)
{
    loop_make(NULL);
    loop_submit("a");
    expect_status(weir_loop_run(loop, (weir_run_mode)2), -EINVAL);
    expect_status(weir_loop_run(loop, (weir_run_mode)-1), -EINVAL);
    expect_recorded("");
    expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    loop_end();
}

/* covers: weir_loop_run -EBUSY */
/* covers: weir_loop_step -EBUSY */
CASE(loop_run_while_another_thread_does_is_refused)
{
    struct blocker blocker;
    struct runner runner;

    blocker_open(&blocker);
    loop_make(NULL);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), -EBUSY);
    expect_status(weir_loop_step(loop, 0), -EBUSY);
    expect_status(weir_loop_submit(loop, block, &blocker), 0);
    blocker_await(&blocker);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), -EBUSY);
    expect_status(weir_loop_step(loop, 0), -EBUSY);
    blocker_let_go(&blocker);
    loop_end();
    expect_status(runner_join(&runner), 0);
}

static void run_inside(void *arg, int status)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), WEIR_EREENTRANT);
    expect_status(weir_loop_step(loop, 0), WEIR_EREENTRANT);
    note("refused");
}

/* covers: weir_loop_run WEIR_EREENTRANT */
/* covers: weir_loop_step WEIR_EREENTRANT */
CASE(loop_run_inside_its_callback_is_refused)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, run_inside, NULL), 0);
    loop_submit("a");
    loop_run();
    expect_recorded("refused a");
    loop_end();
}

/* covers: weir_loop_run WEIR_ECLOSED */
CASE(loop_run_after_TERMINATED_is_refused)
{
    loop_make(NULL);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), WEIR_ECLOSED);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
}

/* One loop inside a callback of another. */

static weir_loop *outer;

static void expect_current(void *expected, int status)
{
    expect(weir_loop_current() == expected);
    expect(weir_loop_is_owner(expected));
    note(expected == loop ? "inner" : "outer");
}

static void run_inner(void *arg, int status)
{
    expect_status(weir_loop_submit(loop, expect_current, loop), 0);
    loop_run();
    expect_current(outer, 0);
}

CASE(loop_may_be_run_inside_a_callback_of_another)
{
    expect_status(weir_loop_new(&outer, NULL), 0);
    loop_make(NULL);
    expect(weir_loop_current() == NULL);
    expect_status(weir_loop_submit(outer, run_inner, NULL), 0);
    expect_status(weir_loop_submit(outer, expect_current, outer), 0);
    expect_status(weir_loop_run(outer, WEIR_RUN_UNTIL_IDLE), 0);
    expect(weir_loop_current() == NULL);
    expect_recorded("inner outer outer");
    loop_end();
    expect_status(weir_loop_free(outer), 0);
}

static void submit_to_outer(void *word, int status)
{
    expect_status(weir_loop_submit(outer, record, word), 0);
}

static void submit_around_inner(void *arg, int status)
{
    submit_to_outer((void *)"a", status);
    expect_status(weir_loop_submit(loop, submit_to_outer, (void *)"b"), 0);
    loop_run();
    submit_to_outer((void *)"c", status);
}

/* "After every task that this thread posted to this loop before." */
CASE(loop_submit_keeps_its_order_through_an_inner_loop)
{
    expect_status(weir_loop_new(&outer, NULL), 0);
    loop_make(NULL);
    expect_status(weir_loop_submit(outer, submit_around_inner, NULL), 0);
    expect_status(weir_loop_run(outer, WEIR_RUN_UNTIL_IDLE), 0);
    expect_recorded("a b c");
    loop_end();
    expect_status(weir_loop_free(outer), 0);
}

/* ref and unref */

CASE(loop_ref_keeps_run_from_becoming_idle)
{
    struct runner runner;

    loop_make(NULL);
    weir_loop_ref(loop);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    await_state(loop, WEIR_LOOP_SLEEPING);
    loop_submit("a");
    await_state(loop, WEIR_LOOP_SLEEPING);
    weir_loop_unref(loop);
    expect_status(runner_join(&runner), 0);
    expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    expect_recorded("a");
    loop_end();
}

CASE(loop_refs_are_counted)
{
    struct runner runner;

    loop_make(NULL);
    weir_loop_ref(loop);
    weir_loop_ref(loop);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    await_state(loop, WEIR_LOOP_SLEEPING);
    weir_loop_unref(loop);
    weir_loop_wake(loop);
    await_state(loop, WEIR_LOOP_SLEEPING);
    weir_loop_unref(loop);
    expect_status(runner_join(&runner), 0);
    loop_end();
}

static void unref_inside(void *arg, int status)
{
    weir_loop_unref(loop);
    note("unref");
}

CASE(loop_unref_inside_a_callback_lets_run_become_idle)
{
    loop_make(NULL);
    weir_loop_ref(loop);
    expect_status(weir_loop_submit(loop, unref_inside, NULL), 0);
    loop_run();
    expect_recorded("unref");
    loop_end();
}

/* What the holder did before happens before run returns. */
static void write_and_unref(struct crew *crew, unsigned id)
{
    *(int *)crew->context = 42;
    weir_loop_unref(loop);
}

CASE(loop_run_sees_what_came_before_the_last_unref)
{
    int letter = 0;
    struct crew crew;

    loop_make(NULL);
    weir_loop_ref(loop);
    crew_start(&crew, 1, write_and_unref, &letter);
    loop_run();
    expect_int(letter, 42);
    crew_join(&crew);
    loop_end();
}

/* covers: weir_loop_post WEIR_ECLOSED */
/* covers: weir_loop_submit WEIR_ECLOSED */
CASE(loop_that_is_held_may_be_asked_after_free)
{
    struct note_task a = {.task = {.run = run_note}, .word = "a"};

    loop_make(NULL);
    weir_loop_ref(loop);
    expect_status(weir_loop_free(loop), 0);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_status(weir_loop_post(loop, &a.task), WEIR_ECLOSED);
    expect_status(weir_loop_submit(loop, record, (void *)"b"), WEIR_ECLOSED);
    weir_loop_wake(loop);
    weir_loop_unref(loop);
    expect_recorded("");
}

/* wake */

static void on_alarm(void *arg, int status)
{
    expect_status(status, 0);
    expect_int(sem_post(arg), 0);
}

CASE(loop_wake_makes_it_look_at_a_clock_that_was_moved)
{
    struct runner runner;
    sem_t rang;

    expect_int(sem_init(&rang, 0, 0), 0);
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(weir_timer_start(loop, NULL, SECOND_NS, WEIR_TIMER_ONCE,
                                   on_alarm, &rang),
                  0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect_status(weir_clock_advance(SECOND_NS), 0);
    weir_loop_wake(loop);
    await_post(&rang);
    loop_end();
    expect_status(runner_join(&runner), 0);
}

CASE(loop_wake_of_one_that_nobody_runs_changes_nothing)
{
    loop_make(NULL);
    weir_loop_wake(loop);
    weir_loop_wake(loop);
    expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    loop_submit("a");
    loop_run();
    expect_recorded("a");
    loop_end();
}

static void wake_inside(void *left, int status)
{
    unsigned *times = left;

    weir_loop_wake(loop);
    weir_loop_wake(loop);
    if (--*times > 0)
        expect_status(weir_loop_submit(loop, wake_inside, times), 0);
}

CASE(loop_wake_inside_a_callback_does_not_keep_it_from_idle)
{
    unsigned times = 10;

    loop_make(NULL);
    expect_status(weir_loop_submit(loop, wake_inside, &times), 0);
    loop_run();
    expect_int(times, 0);
    loop_end();
}

static void wake_often(struct crew *crew, unsigned id)
{
    for (int i = 0; i < 1000; i++)
        weir_loop_wake(loop);
}

CASE(loop_wake_by_many_threads_is_no_work)
{
    struct runner runner;
    struct crew crew;

    loop_make(NULL);
    weir_loop_ref(loop);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    crew_start(&crew, 4, wake_often, NULL);
    crew_join(&crew);
    weir_loop_unref(loop);
    expect_status(runner_join(&runner), 0);
    loop_end();
}

/* looking */

struct sight {
    weir_loop *current;
    bool is_owner;
    enum weir_loop_state state;
};

static void look(void *arg, int status)
{
    struct sight *sight = arg;

    sight->current = weir_loop_current();
    sight->is_owner = weir_loop_is_owner(loop);
    sight->state = weir_loop_state(loop);
}

CASE(loop_callback_sees_its_loop)
{
    struct sight sight = {.current = NULL};

    loop_make(NULL);
    expect(weir_loop_current() == NULL);
    expect(!weir_loop_is_owner(loop));
    expect_status(weir_loop_submit(loop, look, &sight), 0);
    loop_run();
    expect(sight.current == loop);
    expect(sight.is_owner);
    expect_int(sight.state, WEIR_LOOP_RUNNING);
    expect(weir_loop_current() == NULL);
    expect(!weir_loop_is_owner(loop));
    loop_end();
}

CASE(loop_that_another_thread_runs_is_not_ours)
{
    struct runner runner;

    loop_make(NULL);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    expect(weir_loop_current() == NULL);
    expect(!weir_loop_is_owner(loop));
    loop_end();
    expect_status(runner_join(&runner), 0);
}

CASE(loop_in_shutdown_is_TERMINATING)
{
    struct sight sight = {.current = NULL};

    loop_make(NULL);
    expect_status(weir_loop_submit(loop, look, &sight), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect(sight.current == loop);
    expect_int(sight.state, WEIR_LOOP_TERMINATING);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_status(weir_loop_free(loop), 0);
}

/* Cancellation of the thread that runs a loop. */

static void cancel_myself(void *is_alive, int status)
{
    expect_int(pthread_cancel(pthread_self()), 0);
    pthread_testcancel();
    *(bool *)is_alive = true;
}

static void expect_cancellable(void)
{
    int state, type;

    expect_int(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type), 0);
    expect_int(type, PTHREAD_CANCEL_DEFERRED);
    expect_int(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state), 0);
    expect_int(state, PTHREAD_CANCEL_ENABLE);
}

/* Without variables: AddressSanitizer does not see that the frame is left. */
static void *run_and_be_cancelled(void *is_alive)
{
    expect_status(weir_loop_submit(loop, cancel_myself, is_alive), 0);
    loop_run();
    expect_cancellable();
    pthread_testcancel();
    return NULL;
}

CASE(loop_run_ends_before_its_thread_is_cancelled)
{
    bool is_alive = false;
    void *result = NULL;
    pthread_t thread;

    loop_make(NULL);
    expect_int(pthread_create(&thread, NULL, run_and_be_cancelled, &is_alive),
               0);
    expect_int(pthread_join(thread, &result), 0);
    expect(result == PTHREAD_CANCELED);
    expect(is_alive);
    loop_end();
}

static void advance_and_look(void *arg, int status)
{
    int64_t *now_ns = arg;

    now_ns[0] = weir_loop_now(loop);
    expect_status(weir_clock_advance(5), 0);
    now_ns[1] = weir_loop_now(loop);
}

CASE(loop_now_stands_still_during_a_turn)
{
    int64_t first[2], second[2];

    expect_status(weir_clock_freeze(100), 0);
    loop_make(NULL);
    expect_int(weir_loop_now(loop), 100);
    expect_status(weir_loop_submit(loop, advance_and_look, first), 0);
    loop_turns(1);
    expect_int(first[0], 100);
    expect_int(first[1], 100);
    expect_status(weir_loop_submit(loop, advance_and_look, second), 0);
    loop_turns(1);
    expect_int(second[0], 105);
    expect_int(second[1], 105);
    loop_end();
}

/* threads */

enum { PRODUCERS = 4, EACH = 2000 };

struct parcel {
    weir_task task;
    unsigned producer, number;
};

struct counter {
    struct parcel parcels[PRODUCERS][EACH]; /* plain */
    unsigned next[PRODUCERS];               /* the loop's thread's */
};

static struct counter counter;

static void arrive(weir_task *task, int status)
{
    const struct parcel *parcel = (const struct parcel *)task;

    expect_status(status, 0);
    expect_int(parcel->number, counter.next[parcel->producer]);
    counter.next[parcel->producer]++;
}

static void arrive_call(void *parcel, int status)
{
    arrive(parcel, status);
}

static void produce(struct crew *crew, unsigned id)
{
    for (unsigned i = 0; i < EACH; i++) {
        struct parcel *parcel = &counter.parcels[id][i];

        *parcel = (struct parcel){{.run = arrive}, id, i};
        expect_status(i % 2 == 0 ? weir_loop_post(loop, &parcel->task)
                                 : weir_loop_submit(loop, arrive_call, parcel),
                      0);
        if (i % 64 == 0)
            sched_yield(); /* the loop goes to sleep now and then */
    }
}

static void expect_all_in_order(const weir_loop_options *options)
{
    struct runner runner;

    loop_make(options);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    crew_run(PRODUCERS, produce, NULL);
    loop_end();
    expect_status(runner_join(&runner), 0);
    for (unsigned i = 0; i < PRODUCERS; i++)
        expect_int(counter.next[i], EACH);
}

CASE(loop_runs_each_producers_tasks_once_in_order)
{
    expect_all_in_order(NULL);
}

CASE(loop_runs_each_producers_tasks_once_in_order_in_the_poller)
{
    expect_all_in_order(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
}

CASE(loop_runs_each_producers_tasks_once_in_order_when_it_spins)
{
    expect_all_in_order(LOOP_OPTIONS(.spin_ns = 50000));
}

CASE(loop_that_spins_sleeps_in_the_end)
{
    struct runner runner;

    loop_make(LOOP_OPTIONS(.spin_ns = 100000));
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    for (int i = 0; i < 20; i++) {
        await_state(loop, WEIR_LOOP_SLEEPING);
        loop_submit("a");
    }
    loop_end();
    expect_status(runner_join(&runner), 0);
    expect_recorded("a a a a a a a a a a a a a a a a a a a a");
}

CASE(loop_that_spins_does_not_miss_a_timer)
{
    int64_t begun_ns = weir_clock_now();

    loop_make(LOOP_OPTIONS(.spin_ns = SECOND_NS));
    loop_timer(MILLISECOND_NS, "timer");
    loop_run();
    expect_recorded("timer");
    expect(weir_clock_now() - begun_ns >= MILLISECOND_NS);
    loop_end();
}
