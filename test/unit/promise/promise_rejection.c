/* SPDX-License-Identifier: MIT */
/*
 * promise_rejection -- which rejections are reported, when, and how often.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/promise_fixture.h"

static weir_promise *told_of; /* the last one; not held */

static void on_rejection(void *arg, weir_loop *told, const weir_rejection *what)
{
    char text[64];

    expect(arg == &told_of && told == loop);
    expect(weir_loop_is_owner(told));
    expect_int(weir_promise_state(what->promise), WEIR_PROMISE_REJECTED);
    snprintf(text, sizeof(text), "%s:%s", what->is_handled ? "later" : "told",
             weir_error_name(what->code));
    note(text);
    told_of = what->promise;
}

static void play(void (*scene)(void), const char *words)
{
    loop_make(LOOP_OPTIONS(.arg = &told_of, .on_rejection = on_rejection));
    inside(scene);
    expect_recorded(words);
    loop_end();
    expect_recorded("");
    expect_int(values_out, 0);
}

#define SCENE(name, words)                                                     \
    static void scene_##name(void);                                            \
    CASE(name)                                                                 \
    {                                                                          \
        play(scene_##name, words);                                             \
    }                                                                          \
    static void scene_##name(void)

SCENE(rejection_without_a_handler_is_told_at_the_end_of_the_checkpoint,
      "1 2 told:EIO")
{
    drop(rejected(-EIO));
    clock_of(2);
}

static void report_at_rejection(void *arg, weir_loop *told,
                                const weir_rejection *what)
{
    weir_holder holders[4];

    expect(weir_loop_report(told, holders, 4, sizeof(weir_holder)) >= 1);
    expect(holders[0].is_running);
    note(weir_kind_name(holders[0].kind));
}

static void scene_rejection_in_a_task(void)
{
    drop(rejected(-EIO));
}

/* The task before it is over. */
CASE(rejection_is_told_in_what_a_report_shows_as_a_microtask)
{
    loop_make(LOOP_OPTIONS(.on_rejection = report_at_rejection));
    inside(scene_rejection_in_a_task);
    expect_recorded("microtask");
    loop_end();
}

/* There is no microtask at all. */
SCENE(rejection_in_a_callback_without_microtasks_is_told, "told:EIO")
{
    drop(rejected(-EIO));
}

SCENE(rejection_that_is_handled_before_the_end_is_not_told, "handled")
{
    drop(catch_note(rejected(-EIO), "handled"));
}

static weir_promise *to_handle;

static void handle_in_microtask(void *arg, int status)
{
    expect_status(status, 0);
    drop(catch_note(to_handle, "handled"));
}

/* Two microtasks later, in the same checkpoint. */
SCENE(rejection_that_a_later_microtask_handles_is_not_told, "1 handled")
{
    to_handle = rejected(-EIO);
    clock_of(1);
    expect_status(weir_loop_microtask(loop, handle_in_microtask, NULL), 0);
}

static void tick_in_microtask(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_next_tick(loop, handle_in_microtask, NULL), 0);
}

SCENE(rejection_that_a_tick_of_a_microtask_handles_is_not_told, "1 handled")
{
    to_handle = rejected(-EIO);
    clock_of(1);
    expect_status(weir_loop_microtask(loop, tick_in_microtask, NULL), 0);
}

static weir_result must_not_run(void *arg, const weir_value *value)
{
    expect(false);
    return weir_pass();
}

static weir_promise *parent, *child;

/* then(f, NULL) handles nothing: the child is reported, and the parent is not. */
static void scene_then_only(void)
{
    parent = rejected(-EIO);
    child = then_call(keep(parent), must_not_run, NULL);
}

CASE(rejection_is_told_once_for_the_child_of_then_without_a_handler)
{
    loop_make(LOOP_OPTIONS(.arg = &told_of, .on_rejection = on_rejection));
    inside(scene_then_only);
    expect_recorded("told:EIO");
    expect(told_of == child);
    drop(parent);
    drop(child);
    loop_end();
}

static weir_result fail_anew(void *arg, const weir_value *value)
{
    return weir_fail(weir_value_error(-ENOSPC));
}

SCENE(rejection_by_a_handler_is_told_for_what_it_made, "told:ENOSPC")
{
    drop(catch_call(rejected(-EIO), fail_anew, NULL));
}

SCENE(rejection_that_passes_through_several_is_told_once, "told:EIO")
{
    drop(then_call(then_call(rejected(-EIO), NULL, NULL), NULL, NULL));
}

/* ---- handled later ---- */

static void scene_reject(void)
{
    to_handle = rejected(-EIO);
}

static void scene_handle(void)
{
    drop(catch_note(to_handle, "handled"));
}

CASE(rejection_that_is_handled_after_it_was_told_is_told_too)
{
    loop_make(LOOP_OPTIONS(.arg = &told_of, .on_rejection = on_rejection));
    inside(scene_reject);
    expect_recorded("told:EIO");
    inside(scene_handle);
    expect_recorded("handled later:EIO");
    loop_end();
}

/* ---- from another thread ---- */

CASE(rejection_by_another_thread_is_told)
{
    weir_promise *p;

    loop_make(LOOP_OPTIONS(.arg = &told_of, .on_rejection = on_rejection));
    p = rejected(-EIO);
    loop_run();
    expect_recorded("told:EIO");
    drop(p);
    loop_end();
}

/* Each call is a separate task; the handler is in the last one. */
CASE(rejection_by_another_thread_is_not_told_if_its_handler_came_with_it)
{
    weir_promise *p;

    loop_make(LOOP_OPTIONS(.arg = &told_of, .on_rejection = on_rejection));
    p = then_call(then_call(rejected(-EIO), must_not_run, NULL), NULL, NULL);
    drop(catch_note(p, "handled"));
    loop_submit("task");
    loop_run();
    expect_recorded("handled task");
    drop(then_call(rejected(-EIO), must_not_run, NULL));
    loop_submit("task");
    loop_run();
    expect_recorded("task told:EIO");
    loop_end();
}

/* ---- what on_rejection may do ---- */

static unsigned times;

static void reject_again(void *arg, weir_loop *told, const weir_rejection *what)
{
    if (++times < 3000)
        drop(rejected(-EIO));
}

static void on_breach(void *arg, weir_loop *told)
{
    note("breach");
}

static void scene_again(void)
{
    drop(rejected(-EIO));
}

/* It uses the budget, as a chain of microtasks does. */
CASE(rejections_that_on_rejection_makes_are_told_within_the_budget)
{
    loop_make(
        LOOP_OPTIONS(.on_rejection = reject_again, .on_breach = on_breach));
    inside(scene_again);
    expect_int(times, 3000);
    expect_recorded("breach");
    loop_end();
}

static void raise_it(void *arg, weir_loop *told, const weir_rejection *what)
{
    note("raises");
    weir_raise(what->code, "unhandled");
}

static void on_uncaught(void *arg, weir_loop *told, const weir_uncaught *what)
{
    expect_int(what->code, -EIO);
    note("uncaught");
}

static void scene_two(void)
{
    weir_promise *p = pending();
    weir_value reason = counted(1);

    reason.code = -EIO;
    expect_status(weir_promise_reject(p, reason), 0);
    drop(p);
    drop(rejected(-EIO));
}

CASE(rejection_whose_callback_raises_is_uncaught_and_the_next_one_is_told)
{
    loop_make(
        LOOP_OPTIONS(.on_rejection = raise_it, .on_uncaught = on_uncaught));
    inside(scene_two);
    expect_recorded("raises uncaught raises uncaught");
    expect_int(values_out, 0);
    loop_end();
}

/* Nobody asked: one line on stderr. */
CASE(rejection_that_nobody_asked_for_is_printed)
{
    char text[256] = "";
    FILE *file = tmpfile();

    expect(file != NULL);
    loop_make(LOOP_OPTIONS(.name = "my loop"));
    fflush(stderr);
    expect(dup2(fileno(file), STDERR_FILENO) >= 0);
    inside(scene_again);
    rewind(file);
    expect(fgets(text, sizeof(text), file) != NULL);
    expect(strstr(text, "weir: unhandled rejection in my loop: ") == text);
    expect(strstr(text, "(EIO)") != NULL);
    expect(fgets(text, sizeof(text), file) == NULL);
    loop_end();
}
