/* SPDX-License-Identifier: MIT */
/*
 * turn -- the parts of one turn, in their order, and what waits for the next.
 * The checkpoints between callbacks are in microtask.c.
 */
#include <errno.h>

#include "support/crew.h"
#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/loop.h"
#include "weir/timer.h"

static void add_event(int fd, weir_fd_fn *fn, const char *word)
{
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, fn,
                              (void *)(uintptr_t)word),
                  0);
}

CASE(turn_runs_its_parts_in_order)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    loop_timer(5, "timer");
    loop_turns(1);
    loop_close_phase("close");
    loop_immediate("immediate");
    add_event(event_open(1), record_fd, "fd");
    loop_submit("task");
    expect_status(weir_clock_advance(5), 0);
    loop_turns(1);
    expect_recorded("timer task fd immediate close");
    loop_end();
    expect_recorded("fd!");
}

/* Queues one of each kind, from where it runs. */

static void queue_all(void *word, int status)
{
    record(word, status);
    loop_submit("task");
    loop_timer(0, "timer");
    loop_immediate("immediate");
    loop_close_phase("close");
}

static void queue_all_by_fd(void *word, int status, int fd, unsigned events)
{
    (status == 0 ? queue_all : record)(word, status);
}

CASE(turn_part_of_timers_leaves_tasks_and_timers_to_the_next)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(weir_timer_start(loop, NULL, 5, WEIR_TIMER_ONCE, queue_all,
                                   (void *)"first"),
                  0);
    loop_turns(1);
    expect_status(weir_clock_advance(5), 0);
    loop_turns(1);
    expect_recorded("first immediate close");
    loop_turns(1);
    expect_recorded("timer task");
    loop_end();
}

CASE(turn_part_of_tasks_leaves_tasks_and_timers_to_the_next)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, queue_all, (void *)"first"), 0);
    loop_submit("second");
    loop_turns(1);
    expect_recorded("first second immediate close");
    loop_turns(1);
    expect_recorded("timer task");
    loop_end();
}

CASE(turn_part_of_descriptors_leaves_tasks_and_timers_to_the_next)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    add_event(event_open(1), queue_all_by_fd, "first");
    loop_turns(1);
    expect_recorded("first immediate close");
    loop_turns(1);
    expect_recorded("timer task");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("first!");
    expect_status(weir_loop_free(loop), 0);
}

CASE(turn_part_of_immediates_leaves_all_but_the_close_phase_to_the_next)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(weir_loop_immediate(loop, queue_all, (void *)"first"), 0);
    loop_immediate("second");
    loop_turns(1);
    expect_recorded("first second close");
    loop_turns(1);
    expect_recorded("timer task immediate");
    loop_end();
}

CASE(turn_close_phase_is_its_last_part)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(weir_loop_on_close_phase(loop, queue_all, (void *)"first"),
                  0);
    loop_close_phase("second");
    loop_turns(1);
    expect_recorded("first second");
    loop_turns(1);
    expect_recorded("timer task immediate close");
    loop_end();
}

/* Each queues itself again: one of them in each turn. */

typedef int queue_fn(weir_loop *loop, weir_fn *fn, void *arg);

struct again {
    queue_fn *queue;
    unsigned left;
};

static void run_again(void *arg, int status)
{
    struct again *again = arg;

    record((void *)"a", status);
    if (--again->left > 0)
        expect_status(again->queue(loop, run_again, again), 0);
}

static void expect_one_in_each_turn(queue_fn *queue)
{
    struct again again = {queue, 4};

    loop_make(NULL);
    expect_status(queue(loop, run_again, &again), 0);
    for (int i = 0; i < 4; i++) {
        loop_turns(1);
        expect_recorded("a");
    }
    loop_turns(1);
    expect_recorded("");
    loop_end();
}

CASE(turn_runs_what_queues_itself_once)
{
    expect_one_in_each_turn(weir_loop_submit);
    expect_one_in_each_turn(weir_loop_immediate);
    expect_one_in_each_turn(weir_loop_on_close_phase);
}

static void restart_timer(void *left, int status)
{
    unsigned *times = left;

    record((void *)"timer", status);
    if (--*times > 0)
        expect_status(weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE,
                                       restart_timer, times),
                      0);
}

CASE(turn_never_fires_a_timer_that_was_started_in_it)
{
    unsigned times = 3;

    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(
        weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, restart_timer, &times),
        0);
    for (int i = 0; i < 3; i++) {
        loop_turns(1);
        expect_recorded("timer");
    }
    loop_turns(1);
    expect_recorded("");
    loop_end();
}

static void advance(void *word, int status)
{
    record(word, status);
    expect_status(weir_clock_advance(10), 0);
}

/* The clock stands still while timers fire, however long they take. */
CASE(turn_does_not_fire_what_becomes_due_during_it)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(weir_timer_start(loop, NULL, 1, WEIR_TIMER_ONCE, advance,
                                   (void *)"first"),
                  0);
    loop_timer(5, "second");
    loop_turns(1);
    expect_status(weir_clock_advance(1), 0);
    loop_turns(1);
    expect_recorded("first");
    loop_turns(1);
    expect_recorded("second");
    loop_end();
}

/* The clock is frozen: a loop that sleeps now would sleep forever. */
CASE(turn_does_not_sleep_when_a_timer_has_become_due_in_it)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    loop_timer(5, "timer");
    expect_status(weir_loop_submit(loop, advance, (void *)"task"), 0);
    loop_run();
    expect_recorded("task timer");
    loop_end();
}

static void fill(void *fd, int status)
{
    record((void *)"task", status);
    event_fill(*(int *)fd);
}

CASE(turn_serves_a_descriptor_that_a_task_makes_ready)
{
    int fd = event_open(0);

    loop_make(NULL);
    add_event(fd, record_fd, "fd");
    loop_turns(1);
    expect_status(weir_loop_submit(loop, fill, &fd), 0);
    loop_turns(1);
    expect_recorded("task fd");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

static void submit_as_another(struct crew *crew, unsigned id)
{
    loop_submit("outside");
}

static void let_another_submit(void *word, int status)
{
    record(word, status);
    crew_run(1, submit_as_another, NULL);
}

CASE(turn_leaves_what_others_post_during_it_to_the_next)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, let_another_submit, (void *)"task"),
                  0);
    loop_immediate("immediate");
    loop_turns(1);
    expect_recorded("task immediate");
    loop_turns(1);
    expect_recorded("outside");
    loop_end();
}

/* A loop that only serves descriptors reads the clock once in each turn, but
 * every callback sees the time at which its turn has begun. */

static int64_t seen_ns;

static void look_and_leave(void *fd, int status)
{
    seen_ns = weir_loop_now(loop);
    expect_status(weir_fd_remove(loop, *(int *)fd, NULL, NULL), 0);
}

static void submit_look(struct crew *crew, unsigned id)
{
    expect_status(weir_loop_submit(loop, look_and_leave, crew->context), 0);
}

static void advance_and_post(void *arg, int status, int fd, unsigned events)
{
    expect_status(weir_clock_advance(5), 0);
    *(int *)arg = fd;
    crew_run(1, submit_look, arg);
}

static void advance_and_submit(void *arg, int status, int fd, unsigned events)
{
    expect_status(weir_clock_advance(5), 0);
    *(int *)arg = fd;
    expect_status(weir_loop_submit(loop, look_and_leave, arg), 0);
}

static void advance_and_start(void *arg, int status, int fd, unsigned events)
{
    expect_status(weir_clock_advance(5), 0);
    *(int *)arg = fd;
    expect_status(
        weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, look_and_leave, arg),
        0);
}

static void expect_clock_after(weir_fd_fn *fn)
{
    int fd;

    expect_status(weir_clock_freeze(100), 0);
    loop_make(NULL);
    expect_status(weir_fd_add(loop, event_open(1),
                              WEIR_FD_READABLE | WEIR_FD_ONESHOT, fn, &fd),
                  0);
    loop_run();
    expect_int(seen_ns, 105);
    loop_end();
}

CASE(turn_has_the_time_for_a_task_that_another_thread_has_posted)
{
    expect_clock_after(advance_and_post);
}

CASE(turn_has_the_time_for_a_task_of_a_descriptor)
{
    expect_clock_after(advance_and_submit);
}

CASE(turn_has_the_time_for_a_timer_of_a_descriptor)
{
    expect_clock_after(advance_and_start);
}

/* A turn with something left to call does not sleep. */
static void expect_no_sleep(queue_fn *queue)
{
    struct again again = {queue, 3};

    loop_make(NULL);
    weir_loop_ref(loop);
    expect_status(queue(loop, run_again, &again), 0);
    for (int i = 0; i < 3; i++)
        expect_status(weir_loop_step(loop, -1), 0);
    expect_recorded("a a a");
    weir_loop_unref(loop);
    loop_end();
}

CASE(turn_does_not_sleep_while_something_is_queued)
{
    expect_no_sleep(weir_loop_submit);
    expect_no_sleep(weir_loop_immediate);
    expect_no_sleep(weir_loop_on_close_phase);
}

static unsigned count;

static void expect_number(void *number, int status)
{
    expect_status(status, 0);
    expect_int((uintptr_t)number, count);
    count++;
}

CASE(turn_runs_a_long_queue_in_its_order)
{
    loop_make(NULL);
    for (uintptr_t i = 0; i < 10000; i++)
        expect_status(weir_loop_submit(loop, expect_number, (void *)i), 0);
    loop_turns(1);
    expect_int(count, 10000);
    count = 0;
    for (uintptr_t i = 0; i < 10000; i++)
        expect_status(weir_loop_immediate(loop, expect_number, (void *)i), 0);
    loop_turns(1);
    expect_int(count, 10000);
    loop_end();
}

/* More descriptors are ready than the poller tells at once. */
CASE(turn_by_turn_every_ready_descriptor_is_served)
{
    enum { FDS = 600 };
    static unsigned words;

    loop_make(NULL);
    for (int i = 0; i < FDS; i++)
        add_event(event_open(1), record_fd, "x");
    for (int turn = 0; turn < FDS && words < FDS; turn++) {
        loop_turns(1);
        for (const char *at = take_record(); *at != '\0'; at++)
            words += *at == 'x';
    }
    expect_int(words, FDS);
    loop_turns(1);
    expect_recorded("");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(turn_tells_of_a_removal_in_its_close_phase)
{
    int fd = event_open(0);

    loop_make(NULL);
    add_event(fd, record_fd, "fd");
    expect_status(weir_fd_remove(loop, fd, record, (void *)"removed"), 0);
    loop_close_phase("close");
    loop_immediate("immediate");
    loop_submit("task");
    loop_turns(1);
    expect_recorded("task immediate removed close");
    loop_end();
}
