/* SPDX-License-Identifier: MIT */
/*
 * report -- what holds a loop, asked inside and from other threads.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loop/loop.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "support/named.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/loop.h"
#include "weir/timer.h"

enum { CAPACITY = 16 };

static weir_holder holders[CAPACITY];

static size_t report(void)
{
    size_t count =
        weir_loop_report(loop, holders, CAPACITY, sizeof(weir_holder));

    expect(count <= CAPACITY);
    return count;
}

/* The one holder of this kind that does not run, or NULL. */
static const weir_holder *find(size_t count, weir_kind kind)
{
    const weir_holder *found = NULL;

    for (size_t i = 0; i < count; i++) {
        if (holders[i].kind != kind || holders[i].is_running)
            continue;
        expect(found == NULL);
        expect_int(holders[i].thread, 0);
        found = &holders[i];
    }
    return found;
}

static void expect_held(weir_kind kind, const char *name, uint64_t count)
{
    const weir_holder *found = find(report(), kind);

    expect(found != NULL);
    expect_int(found->count, count);
    expect(found->name == name);
    expect_int(found->age_ns, -1);
}

static void expect_not_held(weir_kind kind)
{
    expect(find(report(), kind) == NULL);
}

CASE(report_of_an_idle_loop_is_empty)
{
    loop_make(NULL);
    expect_int(report(), 0);
    loop_submit("a");
    loop_run();
    expect_int(report(), 0);
    loop_end();
}

CASE(report_of_an_ended_loop_is_empty)
{
    loop_make(NULL);
    loop_timer(SECOND_NS, "timer");
    weir_loop_ref(loop);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(report(), 0);
    expect_status(weir_loop_free(loop), 0);
    weir_loop_unref(loop);
}

/* what runs */

static void expect_running(weir_kind kind, const char *name)
{
    expect(report() >= 1);
    expect(holders[0].is_running);
    expect_int(holders[0].kind, kind);
    expect(holders[0].name == name);
    expect_int(holders[0].count, 1);
    expect_int(holders[0].thread, gettid());
    for (size_t i = 1; i < report(); i++)
        expect(!holders[i].is_running);
}

static const char *const name = "a name";

/* Is `kind` what runs? */
static void ask(void *kind, int status)
{
    weir_kind running = *(weir_kind *)kind;

    expect_status(status, 0);
    expect_running(
        running,
        running == WEIR_KIND_TASK || running == WEIR_KIND_TIMER ? name : NULL);
    note("asked");
}

static void ask_fd(void *arg, int status, int fd, unsigned events)
{
    if (status != 0)
        return;
    event_drain(fd);
    expect_running(WEIR_KIND_FD, name);
    note("asked");
}

static void ask_in_checkpoint(void *kind, int status)
{
    expect(report() >= 1);
    expect_int(holders[0].kind, *(weir_kind *)kind);
    note("asked");
}

static void queue_both(void *arg, int status)
{
    static weir_kind tick = WEIR_KIND_TICK, microtask = WEIR_KIND_MICROTASK;

    expect_status(weir_loop_next_tick(loop, ask_in_checkpoint, &tick), 0);
    expect_status(weir_loop_microtask(loop, ask_in_checkpoint, &microtask), 0);
}

CASE(report_shows_the_callback_that_runs_whatever_its_kind)
{
    static weir_kind task = WEIR_KIND_TASK, timer = WEIR_KIND_TIMER,
                     immediate = WEIR_KIND_IMMEDIATE, closing = WEIR_KIND_CLOSE;
    int fd = event_open(1);
    weir_timer id;

    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(weir_timer_start(loop, &id, 1, WEIR_TIMER_ONCE, ask, &timer),
                  0);
    loop_turns(1);
    expect_status(weir_timer_set_name(loop, id, name), 0);
    expect_status(weir_clock_advance(1), 0);
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, ask_fd, NULL), 0);
    expect_status(weir_fd_set_name(loop, fd, name), 0);
    expect_status(submit_named(loop, ask, &task, name), 0);
    expect_status(weir_loop_submit(loop, queue_both, NULL), 0);
    expect_status(weir_loop_immediate(loop, ask, &immediate), 0);
    expect_status(weir_loop_on_close_phase(loop, ask, &closing), 0);
    loop_turns(1);
    expect_recorded("asked asked asked asked asked asked asked");
    loop_end();
}

CASE(report_shows_another_thread_what_runs)
{
    struct blocker blocker;
    struct runner runner;

    blocker_open(&blocker);
    loop_make(NULL);
    expect_status(submit_named(loop, block, &blocker, name), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    blocker_await(&blocker);
    expect_int(report(), 1);
    expect(holders[0].is_running);
    expect_int(holders[0].kind, WEIR_KIND_TASK);
    expect(holders[0].name == name);
    expect_int(holders[0].thread,
               __atomic_load_n(&runner.tid, __ATOMIC_RELAXED));
    blocker_let_go(&blocker);
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect_int(report(), 0);
    loop_end();
    expect_status(runner_join(&runner), 0);
}

/* what is queued */

CASE(report_counts_tasks_that_the_loop_has_taken)
{
    struct blocker blocker;
    struct runner runner;

    blocker_open(&blocker);
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, block, &blocker), 0);
    loop_submit("a");
    loop_submit("b");
    loop_submit("c");
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    blocker_await(&blocker);
    expect_held(WEIR_KIND_TASK, NULL, 3);
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    expect_held(WEIR_KIND_TASK, NULL, 3);
    blocker_let_go(&blocker);
    loop_end();
    expect_status(runner_join(&runner), 0);
    expect_recorded("a b c");
}

static void ask_for_tasks(void *arg, int status)
{
    expect_not_held(WEIR_KIND_TASK);
    loop_submit("a");
    loop_submit("b");
    expect_held(WEIR_KIND_TASK, NULL, 2);
}

CASE(report_counts_tasks_that_a_callback_queues)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, ask_for_tasks, NULL), 0);
    loop_turns(1);
    expect_held(WEIR_KIND_TASK, NULL, 2);
    loop_turns(1);
    expect_not_held(WEIR_KIND_TASK);
    loop_end();
}

/* what is referenced */

CASE(report_counts_refs)
{
    loop_make(NULL);
    weir_loop_ref(loop);
    weir_loop_ref(loop);
    expect_held(WEIR_KIND_REF, NULL, 2);
    weir_loop_unref(loop);
    expect_held(WEIR_KIND_REF, NULL, 1);
    weir_loop_unref(loop);
    expect_not_held(WEIR_KIND_REF);
    loop_end();
}

CASE(report_shows_a_timer_by_name_while_it_is_referenced)
{
    weir_timer id;

    loop_make(NULL);
    expect_status(weir_timer_start(loop, &id, 3600 * (int64_t)SECOND_NS,
                                   WEIR_TIMER_ONCE, record, (void *)"timer"),
                  0);
    expect_held(WEIR_KIND_TIMER, NULL, 1);
    loop_turns(1);
    expect_status(weir_timer_set_name(loop, id, name), 0);
    expect_held(WEIR_KIND_TIMER, name, 1);
    expect_status(weir_timer_unref(loop, id), 0);
    loop_turns(1);
    expect_not_held(WEIR_KIND_TIMER);
    expect_status(weir_timer_ref(loop, id), 0);
    loop_turns(1);
    expect_held(WEIR_KIND_TIMER, name, 1);
    expect_status(weir_timer_cancel(loop, id), 0);
    loop_turns(1);
    expect_int(report(), 0);
    loop_end();
}

CASE(report_shows_a_descriptor_by_name_while_it_is_referenced)
{
    int fd = event_open(0);

    loop_make(NULL);
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, (void *)"fd"), 0);
    expect_held(WEIR_KIND_FD, NULL, 1);
    expect_status(weir_fd_set_name(loop, fd, name), 0);
    expect_held(WEIR_KIND_FD, name, 1);
    expect_status(weir_fd_unref(loop, fd), 0);
    expect_not_held(WEIR_KIND_FD);
    expect_status(weir_fd_ref(loop, fd), 0);
    expect_held(WEIR_KIND_FD, name, 1);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
    expect_not_held(WEIR_KIND_FD);
    loop_end();
}

/* A name does not outlive what it was the name of. */
CASE(report_shows_no_old_name)
{
    int fd = event_open(0);

    loop_make(NULL);
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, (void *)"fd"), 0);
    expect_status(weir_fd_set_name(loop, fd, name), 0);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
    loop_turns(1);
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, (void *)"fd"), 0);
    expect_held(WEIR_KIND_FD, NULL, 1);
    loop_end();
}

/* A shutdown cancels them, so they do not hold it. */
CASE(report_of_a_terminating_loop_shows_only_what_still_runs)
{
    struct blocker blocker;
    struct runner runner;

    blocker_open(&blocker);
    loop_make(NULL);
    weir_loop_ref(loop);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    expect_status(weir_fd_add(loop, event_open(0), WEIR_FD_READABLE, record_fd,
                              (void *)"fd"),
                  0);
    expect_status(submit_named(loop, block, &blocker, name), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    blocker_await(&blocker);
    expect_int(report(), 4);
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    expect_int(report(), 1);
    expect(holders[0].is_running);
    blocker_let_go(&blocker);
    loop_end();
    expect_status(runner_join(&runner), 0);
    weir_loop_unref(runner.loop);
}

/* how it is asked */

/* From one place, so that debug builds, too, see nothing but the name. */
__attribute__((noinline)) static void add_named_timer(const char *called)
{
    weir_timer id;

    expect_status(weir_timer_start(loop, &id, 3600 * (int64_t)SECOND_NS,
                                   WEIR_TIMER_ONCE, record, (void *)"timer"),
                  0);
    expect_status(weir_timer_set_name(loop, id, called), 0);
}

static uint64_t count_rows(size_t rows)
{
    uint64_t count = 0;

    for (size_t i = 0; i < rows; i++)
        count += holders[i].count;
    return count;
}

CASE(report_counts_equal_ones_in_one_row)
{
    char copy[] = "tick";

    loop_make(NULL);
    for (int i = 0; i < 47; i++)
        add_named_timer(NULL);
    for (int i = 0; i < 5; i++)
        add_named_timer(i % 2 == 0 ? "tick" : copy);
    expect_int(report(), 2);
    expect_int(holders[0].count, 47);
    expect(holders[0].name == NULL);
    expect_int(holders[1].count, 5);
    expect_string(holders[1].name, "tick");
    loop_end();
}

CASE(report_fills_no_more_than_there_is_room_for)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    weir_holder untouched;

    memset(&untouched, 0xa5, sizeof(untouched));
    memset(holders, 0xa5, sizeof(holders));
    loop_make(NULL);
    for (int i = 0; i < 5; i++)
        add_named_timer(names[i]);
    expect_int(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)), 5);
    expect_int(weir_loop_report(loop, NULL, 100, sizeof(weir_holder)), 5);
    expect_int(weir_loop_report(loop, holders, 1, sizeof(weir_holder)), 5);
    expect_string(holders[0].name, "a");
    expect_int(memcmp(&holders[1], &untouched, sizeof(untouched)), 0);
    loop_end();
}

CASE(report_without_room_for_all_counts_the_rest_in_its_last_row)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};

    loop_make(NULL);
    weir_loop_ref(loop);
    for (int i = 0; i < 25; i++)
        add_named_timer(names[i % 5]);
    for (size_t room = 2; room < 6; room++) {
        expect_int(weir_loop_report(loop, holders, room, sizeof(weir_holder)),
                   6);
        expect_int(holders[0].kind, WEIR_KIND_REF);
        expect_int(holders[room - 1].kind, WEIR_KIND_OTHER);
        expect_string(weir_kind_name(holders[room - 1].kind), "other");
        expect(holders[room - 1].name == NULL);
        expect_int(count_rows(room), 26);
    }
    expect_int(weir_loop_report(loop, holders, 6, sizeof(weir_holder)), 6);
    expect_int(holders[5].kind, WEIR_KIND_TIMER);
    expect_int(count_rows(6), 26);
    weir_loop_unref(loop);
    loop_end();
}

/* More names than a page tells apart: none is lost. */
CASE(report_of_very_many_names_counts_the_last_ones_together)
{
    enum { NAMES = 200, ROOM = 100 };
    static char names[NAMES][8];
    static weir_holder rows[ROOM];
    uint64_t total = 0;
    size_t count;

    loop_make(NULL);
    for (int i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof(names[i]), "t%d", i);
        add_named_timer(names[i]);
    }
    weir_loop_ref(loop);
    count = weir_loop_report(loop, rows, ROOM, sizeof(weir_holder));
    expect_int(count, 49);
    for (size_t i = 0; i < count; i++)
        total += rows[i].count;
    expect_int(total, NAMES + 1);
    expect_int(rows[0].kind, WEIR_KIND_REF);
    expect_string(rows[1].name, "t0");
    expect(rows[48].name == NULL);
    expect_int(rows[48].count, NAMES - 47);
    weir_loop_unref(loop);
    loop_end();
}

/* The loop's lock is held, and stays so. */
CASE(report_takes_no_lock_and_no_memory)
{
    struct failing_allocator memory;
    uint64_t calls;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    calls = memory.calls;
    weir__lock_lock(&loop->lock);
    expect_int(report(), 1);
    weir__lock_unlock(&loop->lock);
    expect_int(memory.calls, calls);
    loop_end();
}

/* A loop that changes all the time, and others that look at it. */

static bool is_over; /* atomic */

static void churn(void *left, int status)
{
    static int fd = -1;
    static weir_timer id;
    unsigned *rounds = left;

    expect_status(status, 0);
    if (fd < 0)
        fd = event_open(0);
    if (*rounds % 2 == 0) {
        expect_status(weir_timer_start(loop, &id, 3600 * (int64_t)SECOND_NS,
                                       WEIR_TIMER_ONCE, record,
                                       (void *)"timer"),
                      0);
        (void)weir_timer_set_name(loop, id, "timer");
        expect_status(
            weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, (void *)"fd"),
            0);
        (void)weir_fd_set_name(loop, fd, "fd");
    } else {
        expect_status(weir_timer_cancel(loop, id), 0);
        expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
    }
    if (--*rounds > 0)
        expect_status(submit_named(loop, churn, left, "churn"), 0);
    else
        __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
}

static void look(struct crew *crew, unsigned id)
{
    weir_holder seen[CAPACITY];

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        size_t count =
            weir_loop_report(loop, seen, CAPACITY, sizeof(weir_holder));

        expect(count <= 8);
        for (size_t i = 0; i < count; i++) {
            const char *shown = seen[i].name;

            if (seen[i].kind == WEIR_KIND_FD && !seen[i].is_running)
                expect(shown == NULL || strcmp(shown, "fd") == 0);
            if (seen[i].kind == WEIR_KIND_TIMER && !seen[i].is_running)
                expect(shown == NULL || strcmp(shown, "timer") == 0);
        }
    }
}

CASE(report_may_be_asked_while_everything_changes)
{
    unsigned rounds = 4000;
    struct runner runner;
    struct crew crew;

    loop_make(NULL);
    expect_status(submit_named(loop, churn, &rounds, "churn"), 0);
    crew_start(&crew, 2, look, NULL);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    crew_join(&crew);
    loop_end();
    expect_status(runner_join(&runner), 0);
}
