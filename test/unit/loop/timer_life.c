/* SPDX-License-Identifier: MIT */
/*
 * timer -- whom it holds, what it is called, and how it ends with its loop.
 */
#include <errno.h>
#include <string.h>

#include "support/timer_fixture.h"

/* ---- who holds the loop ---- */

CASE(timer_holds_the_loop_until_it_has_fired)
{
    loop_make(NULL);
    loop_timer(MILLISECOND_NS, "fired");
    loop_run();
    expect_recorded("fired");
    loop_end();
}

PLACE_CASE(timer_without_ref_lets_the_loop_become_idle)
{
    weir_timer id;

    begin();
    id = start(5, "fired");
    expect_status(call(weir_timer_unref, id), 0);
    expect_status(call(weir_timer_unref, id), 0);
    loop_run();
    expect_recorded("");
    expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    expect_status(weir_clock_advance(5), 0);
    loop_run();
    expect_recorded("fired");
    loop_end();
}

static weir_timer target; /* of the callbacks below */

static void unref_target(void *word, int status)
{
    expect_status(status, 0);
    note(word);
    expect_status(weir_timer_unref(loop, target), 0);
}

static void pass_5_ms(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_clock_advance(5 * MILLISECOND_NS), 0);
}

PLACE_CASE(timer_with_ref_again_holds_the_loop)
{
    weir_timer id;

    expect_status(weir_clock_freeze(SECOND_NS), 0);
    loop_make(NULL);
    id = start(5 * MILLISECOND_NS, "fired");
    expect_status(call(weir_timer_unref, id), 0);
    expect_status(call(weir_timer_ref, id), 0);
    expect_status(call(weir_timer_ref, id), 0);
    expect_status(weir_loop_submit(loop, pass_5_ms, NULL), 0);
    loop_run();
    expect_recorded("fired");
    loop_run(); /* nothing holds it now */
    loop_end();
}

CASE(timer_that_unrefs_itself_repeats_until_the_loop_is_idle)
{
    loop_make(NULL);
    target =
        start_fn(MILLISECOND_NS, WEIR_TIMER_FIXED_DELAY, unref_target, "beat");
    loop_run();
    expect_recorded("beat");
    expect_status(weir_timer_cancel(loop, target), 0);
    loop_end();
}

CASE(timer_unref_on_its_way_counts)
{
    weir_timer id;

    begin();
    expect_status(
        weir_timer_start(loop, &id, 5, WEIR_TIMER_ONCE, record, "fired"), 0);
    expect_status(weir_timer_unref(loop, id), 0);
    loop_run();
    expect_recorded("");
    loop_end();
    expect_recorded("fired!");
}

/* However near it was: by a stopped clock it would never come out. */
PLACE_CASE(timer_that_was_cancelled_does_not_hold_the_loop)
{
    static const int64_t delays[] = {1, MILLISECOND_NS, SECOND_NS, HOUR_NS};

    begin();
    for (unsigned i = 0; i < sizeof(delays) / sizeof(*delays); i++) {
        weir_timer id = start(delays[i], "fired");

        if (i % 2 == 0)
            expect_status(call(weir_timer_unref, id), 0);
        expect_status(cancel(id), 0);
        id = start_as(WEIR_TIMER_FIXED_RATE, delays[i], "fired");
        expect_status(cancel(id), 0);
    }
    expect_int(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)), 0);
    loop_run();
    expect_recorded("");
    loop_end();
}

/* ---- names ---- */

static weir_holder holders[8];

CASE(timer_names_are_in_the_report)
{
    weir_timer tea, unnamed, idle;

    begin();
    tea = start(HOUR_NS, "tea");
    unnamed = start(HOUR_NS, "unnamed");
    idle = start(HOUR_NS, "idle");
    expect_status(weir_timer_set_name(loop, tea, "tea"), 0);
    expect_status(weir_timer_set_name(loop, idle, "idle"), 0);
    expect_status(weir_timer_unref(loop, idle), 0);
    loop_turns(1);
    expect_int(weir_loop_report(loop, holders, 8, sizeof(weir_holder)), 2);
    for (int i = 0; i < 2; i++) {
        expect_int(holders[i].kind, WEIR_KIND_TIMER);
        expect_int(holders[i].count, 1);
        expect(!holders[i].is_running);
    }
    expect((holders[0].name == NULL) != (holders[1].name == NULL));
    expect_string(holders[holders[0].name == NULL].name, "tea");
    expect_status(weir_timer_cancel(loop, tea), 0);
    expect_status(weir_timer_cancel(loop, unnamed), 0);
    loop_turns(1);
    expect_int(weir_loop_report(loop, holders, 8, sizeof(weir_holder)), 0);
    loop_end();
}

static void look_at_report(void *arg, int status)
{
    if (status != 0)
        return;
    expect(weir_loop_report(loop, holders, 8, sizeof(weir_holder)) >= 1);
    expect(holders[0].is_running);
    expect_int(holders[0].kind, WEIR_KIND_TIMER);
    expect_string(holders[0].name, "tea");
    note("seen");
}

CASE(timer_that_runs_is_the_first_in_the_report)
{
    for (weir_timer_repeat repeat = WEIR_TIMER_ONCE;
         repeat <= WEIR_TIMER_FIXED_RATE; repeat++) {
        weir_timer id;

        begin();
        id = start_fn(5, repeat, look_at_report, NULL);
        expect_status(weir_timer_set_name(loop, id, "tea"), 0);
        pass(5);
        expect_recorded("seen");
        loop_end();
    }
}

CASE(timer_name_does_not_pass_to_the_slots_next_timer)
{
    weir_timer old;

    begin();
    old = start(HOUR_NS, "old");
    expect_status(weir_timer_set_name(loop, old, "old"), 0);
    expect_status(cancel(old), 0);
    start_in_slot_of(old, HOUR_NS);
    for (size_t i = weir_loop_report(loop, holders, 8, sizeof(weir_holder));
         i-- > 0;)
        expect(i >= 8 || holders[i].name == NULL);
    expect_status(weir_loop_close(loop, -1), 0);
}

/* ---- the end of the loop ---- */

static void start_all_kinds(void)
{
    start(HOUR_NS, "far");
    start(MILLISECOND_NS, "near");
    start_as(WEIR_TIMER_FIXED_DELAY, 5, "delay");
    start_as(WEIR_TIMER_FIXED_RATE, HOUR_NS, "rate");
    start_as(WEIR_TIMER_FIXED_RATE_CATCH_UP, SECOND_NS, "catch-up");
    expect_status(weir_timer_unref(loop, start(SECOND_NS, "unref")), 0);
    expect_status(cancel(start(MILLISECOND_NS, "cancelled")), 0);
    expect_status(cancel(start(HOUR_NS, "cancelled")), 0);
    loop_turns(1);
}

static void expect_each_told_once(void)
{
    static const char *const words[] = {"far!",  "near!",     "delay!",
                                        "rate!", "catch-up!", "unref!"};
    const char *told = take_record();
    size_t length = strlen("far! near! delay! rate! catch-up! unref!");

    for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
        expect(strstr(told, words[i]) != NULL);
    expect_int(strlen(told), length);
}

PLACE_CASE(timer_is_told_once_when_the_loop_shuts_down)
{
    begin();
    start_all_kinds();
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_each_told_once();
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
}

PLACE_CASE(timer_is_told_once_when_the_loop_closes)
{
    begin();
    start_all_kinds();
    expect_status(weir_loop_close(loop, -1), 0);
    expect_each_told_once();
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
}

PLACE_CASE(timer_that_is_due_is_told_that_the_loop_closes)
{
    begin();
    start(5, "once");
    start_as(WEIR_TIMER_FIXED_RATE, 6, "rate");
    expect_status(weir_clock_advance(HOUR_NS), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("once! rate!");
    expect_status(weir_loop_free(loop), 0);
}

/* The callback that runs when the end begins is not the last. */
static void shut_down(void *word, int status)
{
    record(word, status);
    if (status == 0)
        expect_status(weir_loop_shutdown(loop, -1), 0);
}

CASE(timer_that_repeats_is_told_of_the_end_that_it_began)
{
    begin();
    start_fn(5, WEIR_TIMER_FIXED_RATE, shut_down, "rate");
    expect_status(weir_clock_advance(5), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_recorded("rate rate!");
    expect_status(weir_loop_free(loop), 0);
}

CASE(timer_that_fires_once_is_not_told_of_the_end_that_it_began)
{
    begin();
    start_fn(5, WEIR_TIMER_ONCE, shut_down, "once");
    expect_status(weir_clock_advance(5), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_recorded("once");
    expect_status(weir_loop_free(loop), 0);
}

/* It was accepted, so it is notified, although it has not come to the loop. */
CASE(timer_on_its_way_is_told_when_the_loop_ends)
{
    begin();
    loop_timer(5, "shutdown");
    loop_end();
    expect_recorded("shutdown!");
    begin();
    loop_timer(5, "close");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("close!");
    expect_status(weir_loop_free(loop), 0);
    begin();
    loop_timer(5, "free");
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("free!");
}

/* covers: weir_timer_start WEIR_ECLOSED */
static void start_at_the_end(void *word, int status)
{
    weir_timer id = 42;

    record(word, status);
    expect_status(
        weir_timer_start(loop, &id, 0, WEIR_TIMER_ONCE, record, "late"),
        WEIR_ECLOSED);
    expect_int(id, 42);
}

CASE(timer_start_by_one_that_is_told_of_the_end_is_refused)
{
    begin();
    start_fn(5, WEIR_TIMER_ONCE, start_at_the_end, "told");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("told!");
    expect_status(weir_loop_free(loop), 0);
    begin();
    start_fn(5, WEIR_TIMER_FIXED_RATE, start_at_the_end, "told");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("told!");
    expect_status(weir_loop_free(loop), 0);
}

/* covers: weir_timer_start WEIR_ECLOSED */
CASE(timer_calls_after_the_end_are_refused)
{
    weir_timer id, late = 42;

    begin();
    id = start(5, "told");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("told!");
    expect_status(
        weir_timer_start(loop, &late, 0, WEIR_TIMER_ONCE, record, "late"),
        WEIR_ECLOSED);
    expect_int(late, 42);
    expect_status(weir_timer_cancel(loop, id), -ENOENT);
    expect_status(weir_timer_ref(loop, id), -ENOENT);
    expect_status(weir_timer_unref(loop, id), -ENOENT);
    expect_status(weir_timer_set_name(loop, id, "late"), -ENOENT);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
}

/* Work that was accepted may start timers, until those are notified of the end. */
static void start_late(void *word, int status)
{
    expect_status(status, 0);
    loop_timer(5, word);
}

CASE(timer_started_by_accepted_work_of_an_ending_loop_is_told)
{
    begin();
    expect_status(weir_loop_submit(loop, start_late, "late"), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("late!");
    expect_status(weir_loop_free(loop), 0);
}

/* Two that cancel each other: the first to be notified wins. */
static weir_timer duel[2];

static void cancel_the_other(void *arg, int status)
{
    unsigned own = (unsigned)(uintptr_t)arg;

    record("told", status);
    expect_status(weir_timer_cancel(loop, duel[!own]), 0);
}

CASE(timer_that_is_cancelled_at_the_end_is_not_told)
{
    begin();
    duel[0] = start_fn(5, WEIR_TIMER_ONCE, cancel_the_other, (void *)0);
    duel[1] = start_fn(HOUR_NS, WEIR_TIMER_ONCE, cancel_the_other, (void *)1);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("told!");
    expect_status(weir_loop_free(loop), 0);
}

static void cancel_itself(void *word, int status)
{
    record(word, status);
    expect_status(weir_timer_cancel(loop, target), -ENOENT);
}

CASE(timer_that_repeats_cannot_cancel_itself_at_the_end)
{
    begin();
    target = start_fn(5, WEIR_TIMER_FIXED_RATE, cancel_itself, "told");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("told!");
    expect_status(weir_loop_free(loop), 0);
}
