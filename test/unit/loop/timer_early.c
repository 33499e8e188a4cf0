/* SPDX-License-Identifier: MIT */
/*
 * timer_early -- timers that are started before the loop is run.
 *
 * The thread that made the loop puts them where they belong at once; others
 * send them, as they do to a loop that runs.
 */
#include <errno.h>

#include "loop/loop.h"
#include "support/failing_allocator.h"
#include "support/timer_fixture.h"

/* ---- what it takes ---- */

enum { MANY = 5000 };

static struct failing_allocator memory;
static weir_timer ids[MANY];

static void start_many(void *arg, int status)
{
    uint64_t *bytes = arg, before = memory.live_bytes;

    for (int i = 0; i < MANY; i++)
        expect_status(weir_timer_start(loop, &ids[i], HOUR_NS + i,
                                       WEIR_TIMER_ONCE, ignore, NULL),
                      0);
    *bytes = memory.live_bytes - before;
}

static void cancel_many(void *arg, int status)
{
    uint64_t *bytes = arg, before = memory.live_bytes;

    for (int i = 0; i < MANY; i++)
        expect_status(weir_timer_cancel(loop, ids[i]), 0);
    *bytes = memory.live_bytes - before;
}

CASE(timer_started_before_the_run_takes_no_more_memory_than_inside)
{
    uint64_t inside = 0, early = 1, cancelled = 1;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    begin();
    place = INSIDE;
    perform(start_many, &inside);
    loop_end();
    loop_make(NULL);
    start_many(&early, 0);
    expect_int(early, inside);
    cancel_many(&cancelled, 0);
    expect_int(cancelled, 0);
    loop_end();
    expect_int(memory.live, 0);
}

/* And its slots are free again, so the next ones need no others. */
CASE(timer_cancelled_before_the_run_leaves_room_for_another)
{
    uint64_t first, next = 1;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    begin();
    start_many(&first, 0);
    cancel_many(&next, 0);
    start_many(&next, 0);
    expect_int(next, 0);
    loop_end();
}

/* ---- what it does ---- */

CASE(timer_started_before_the_run_fires_in_its_first_turn)
{
    begin();
    loop_submit("task");
    loop_timer(0, "due");
    loop_timer(5, "later");
    loop_turns(1);
    expect_recorded("due task");
    pass(5);
    expect_recorded("later");
    loop_end();
}

CASE(timer_started_before_the_run_holds_it)
{
    weir_timer id;

    loop_make(NULL);
    loop_timer(MILLISECOND_NS, "fired");
    expect_status(
        weir_timer_start(loop, &id, HOUR_NS, WEIR_TIMER_ONCE, record, "never"),
        0);
    expect_status(weir_timer_unref(loop, id), 0);
    loop_run();
    expect_recorded("fired");
    loop_end();
    expect_recorded("never!");
}

CASE(timer_cancelled_before_the_run_does_not_fire)
{
    weir_timer id;

    begin();
    expect_status(weir_timer_start(loop, &id, 0, WEIR_TIMER_ONCE, record, "a"),
                  0);
    loop_timer(0, "b");
    expect_status(weir_timer_cancel(loop, id), 0);
    expect_status(weir_timer_cancel(loop, id), -ENOENT);
    loop_run();
    expect_recorded("b");
    loop_end();
}

CASE(timer_between_two_runs_is_one_that_was_started_before)
{
    begin();
    loop_timer(0, "first");
    loop_run();
    loop_timer(0, "second");
    loop_run();
    expect_recorded("first second");
    loop_end();
}

static void start_as_told(void *word, int status)
{
    expect_status(
        weir_timer_start_at(loop, NULL, beginning_ns + 5, record, word), 0);
}

/* Also when others come between. */
CASE(timer_same_deadline_before_the_run_fires_in_start_order)
{
    begin();
    start_as_told("a", 0);
    start_as_told("b", 0);
    call_elsewhere(start_as_told, "c");
    start_as_told("d", 0);
    call_elsewhere(start_as_told, "e");
    start_as_told("f", 0);
    loop_turns(1);
    pass(5);
    expect_recorded("a b c d e f");
    loop_end();
}

static void run_elsewhere(void *arg, int status)
{
    loop_run();
}

/* What it has left behind is there, and so is what comes through the queue. */
CASE(timer_started_before_another_thread_runs_the_loop_fires_there)
{
    begin();
    loop_timer(0, "first");
    call_elsewhere(run_elsewhere, NULL);
    expect_recorded("first");
    loop_timer(0, "second");
    call_elsewhere(run_elsewhere, NULL);
    loop_timer(0, "third");
    loop_run();
    expect_recorded("second third");
    loop_end();
}

static void cancel_as_told(void *id, int status)
{
    expect_status(weir_timer_cancel(loop, *(weir_timer *)id), 0);
}

CASE(timer_started_before_the_run_can_be_cancelled_by_another_thread)
{
    weir_timer id;

    begin();
    expect_status(weir_timer_start(loop, &id, 0, WEIR_TIMER_ONCE, record, "a"),
                  0);
    loop_timer(0, "b");
    call_elsewhere(cancel_as_told, &id);
    expect_status(weir_timer_cancel(loop, id), -ENOENT);
    loop_run();
    expect_recorded("b");
    loop_end();
}

/* A shutdown has begun, and goes on with the next call. */
CASE(timer_start_by_the_maker_of_a_loop_that_ends_is_refused)
{
    loop_make(NULL);
    weir_loop_ref(loop);
    loop_submit("task");
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    expect_status(
        weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, record, "timer"),
        WEIR_ECLOSED);
    expect_status(weir_timer_start_at(loop, NULL, 0, record, "timer"),
                  WEIR_ECLOSED);
    weir_loop_unref(loop);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(
        weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, record, "timer"),
        WEIR_ECLOSED);
    expect_recorded("task");
    expect_status(weir_loop_free(loop), 0);
}

CASE(timer_started_before_the_run_without_memory_is_refused)
{
    weir_timer id = 42;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    begin();
    memory.fail_at = memory.calls + 1;
    expect_status(weir_timer_start(loop, &id, 5, WEIR_TIMER_ONCE, record, "a"),
                  -ENOMEM);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_timer_start_at(loop, &id, 5, record, "a"), -ENOMEM);
    expect_int(id, 42);
    loop_timer(0, "b");
    loop_run();
    expect_recorded("b");
    loop_end();
    expect_int(memory.live, 0);
}

/* covers: weir_timer_start -EOVERFLOW */
CASE(timer_started_before_the_run_past_the_last_nanosecond_is_refused)
{
    begin();
    loop_timer(0, "b");
    expect_status(
        weir_timer_start(loop, NULL, INT64_MAX, WEIR_TIMER_ONCE, record, "a"),
        -EOVERFLOW);
    loop_run();
    expect_recorded("b");
    loop_end();
}

/* ---- the inside is returned ---- */

/* A thread that kept it would be waited for by the one that runs the loop. */
static void expect_outside(void)
{
    uint32_t holder = loop->bias.holder;

    if (holder < WEIR__THREAD_SLOTS)
        expect_int(load_relaxed(&weir__bias_slots[holder].inside), 0);
}

CASE(timer_start_before_the_run_returns_what_it_has_borrowed)
{
    static const int64_t delays_ns[] = {
        HOUR_NS,                        /* needs memory */
        HOUR_NS,                        /* needs nothing */
        1,       1000, 0, 24 * HOUR_NS, /* each needs another list */
    };
    weir_timer id;

    begin();
    expect_outside();
    for (int i = 0; i < 6; i++) {
        expect_status(weir_timer_start(loop, &id, delays_ns[i], WEIR_TIMER_ONCE,
                                       ignore, NULL),
                      0);
        expect_outside();
        expect_status(weir_timer_start(loop, NULL, delays_ns[i] + 1,
                                       WEIR_TIMER_FIXED_RATE, ignore, NULL),
                      0);
        expect_outside();
        expect_status(
            weir_timer_start_at(loop, NULL, delays_ns[i], ignore, NULL), 0);
        expect_outside();
        expect_status(weir_timer_cancel(loop, id), 0);
        expect_outside();
        expect_status(weir_timer_cancel(loop, id), -ENOENT);
        expect_outside();
    }
    expect_status(
        weir_timer_start(loop, NULL, INT64_MAX, WEIR_TIMER_ONCE, ignore, NULL),
        -EOVERFLOW);
    expect_outside();
    loop_end();
}

CASE(timer_start_at_before_the_run_returns_what_it_has_borrowed)
{
    begin();
    for (int i = 0; i < 3; i++) {
        expect_status(
            weir_timer_start_at(loop, NULL, HOUR_NS * i, ignore, NULL), 0);
        expect_outside();
    }
    loop_end();
}
