/* SPDX-License-Identifier: MIT */
/*
 * promise_end -- no promise is left pending by the end of its loop, and handles
 * outlive it.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "support/crew.h"
#include "support/promise_fixture.h"
#include "weir/fd.h"
#include "weir/timer.h"

static void no_rejection(void *arg, weir_loop *told, const weir_rejection *what)
{
    note("told");
}

static void make(void)
{
    loop_make(LOOP_OPTIONS(.on_rejection = no_rejection));
}

static weir_result see_code(void *word, const weir_value *value)
{
    char text[64];

    snprintf(text, sizeof(text), "%s:%s", (char *)word,
             weir_error_name(value->code));
    note(text);
    return weir_pass();
}

static weir_result must_not_run(void *arg, const weir_value *value)
{
    expect(false);
    return weir_pass();
}

static void expect_cancelled(weir_promise *promise)
{
    expect_int(weir_promise_state(promise), WEIR_PROMISE_REJECTED);
    expect_int(weir_promise_value(promise)->code, WEIR_ECANCELED);
    expect_status(weir_promise_wait(promise, -1), 0);
    expect_status(weir_promise_resolve(promise, nothing()), -EALREADY);
    drop(promise);
}

static int end_by_shutdown(weir_loop *ended)
{
    return weir_loop_shutdown(ended, -1);
}

static int end_by_close(weir_loop *ended)
{
    return weir_loop_close(ended, -1);
}

static int end_by_free(weir_loop *ended)
{
    return 0;
}

static int (*const ways[])(weir_loop *) = {end_by_shutdown, end_by_close,
                                           end_by_free};
enum { WAYS = sizeof(ways) / sizeof(*ways) };

static void end_in(int way)
{
    expect_status(ways[way](loop), 0);
    expect_status(weir_loop_free(loop), 0); /* memory stays for promises */
}

/* ---- rejected at the end ---- */

static weir_promise *left[4];

static void leave_pending(void)
{
    left[0] = pending();
    left[1] = then_call(keep(left[0]), must_not_run, NULL);
    left[2] = catch_call(keep(left[1]), see_code, (void *)"caught");
    left[3] = then_call(keep(left[2]), must_not_run, NULL);
}

CASE(promise_that_is_pending_is_rejected_by_every_end)
{
    for (int way = 0; way < WAYS; way++) {
        make();
        inside(leave_pending);
        end_in(way);
        expect_recorded("caught:ECANCELED");
        for (int i = 0; i < 4; i++)
            expect_cancelled(left[i]);
    }
}

CASE(promise_made_elsewhere_is_rejected_by_every_end)
{
    for (int way = 0; way < WAYS; way++) {
        make();
        leave_pending();
        if (way == 0)
            loop_turns(1);
        end_in(way);
        expect_recorded("caught:ECANCELED");
        for (int i = 0; i < 4; i++)
            expect_cancelled(left[i]);
    }
}

/* Two that follow each other wait forever; but not longer than the loop. */
static void leave_a_circle(void)
{
    left[0] = pending();
    left[1] = pending();
    left[2] = then_call(keep(left[1]), must_not_run, NULL);
    expect_status(weir_promise_follow(left[0], left[2]), 0);
    expect_status(weir_promise_follow(left[1], left[0]), 0);
    left[3] = catch_call(keep(left[0]), see_code, (void *)"circle");
}

CASE(promises_that_follow_each_other_are_rejected_by_every_end)
{
    for (int way = 0; way < WAYS; way++) {
        make();
        inside(leave_a_circle);
        end_in(way);
        expect_recorded("circle:ECANCELED");
        for (int i = 0; i < 4; i++)
            expect_cancelled(left[i]);
    }
}

CASE(promises_that_follow_each_other_from_elsewhere_are_rejected)
{
    for (int way = 0; way < WAYS; way++) {
        make();
        leave_a_circle();
        end_in(way);
        expect_recorded("circle:ECANCELED");
        for (int i = 0; i < 4; i++)
            expect_cancelled(left[i]);
    }
}

static void leave_combinators(void)
{
    weir_promise *const one[] = {left[0] = pending()};

    expect_status(weir_promise_all(&left[1], loop, one, 1), 0);
    expect_status(weir_promise_race(&left[2], loop, NULL, 0), 0);
    expect_status(weir_promise_race(&left[3], loop, one, 1), 0);
}

CASE(promise_of_a_combinator_is_rejected_by_every_end)
{
    for (int way = 0; way < WAYS; way++) {
        make();
        inside(leave_combinators);
        end_in(way);
        for (int i = 0; i < 4; i++)
            expect_cancelled(left[i]);
    }
}

/* ---- many of them ---- */

enum { MANY = 300, CROWD = 3000 };

static weir_promise *many[MANY];
static weir_promise *resolver;

static int then_keep(weir_thenable *thenable, weir_promise *promise)
{
    resolver = keep(promise);
    return 0;
}

static weir_result give_thenable(void *thenable, const weir_value *value)
{
    return weir_give_thenable(thenable);
}

/* The resolver lies behind them, in another block.  What waits for it lies
 * before them, and nobody but the resolver has it. */
static void leave_many_and_a_thenable(void)
{
    static weir_thenable thenable = {then_keep};

    left[0] = resolved(); /* kept: its block shall stay full */
    expect_status(
        weir_promise_then(left[0], give_thenable, NULL, &thenable, NULL), 0);
    for (int i = 0; i < MANY; i++)
        many[i] = pending();
}

CASE(promises_beside_one_that_is_let_go_are_rejected_by_every_end)
{
    for (int way = 0; way < WAYS; way++) {
        make();
        inside(leave_many_and_a_thenable);
        end_in(way);
        for (int i = 0; i < MANY; i++)
            expect_cancelled(many[i]);
        expect_cancelled(resolver);
        drop(left[0]);
    }
}

/* A thenable whose promise follows the one that asked it, and nobody has the
 * two: rejecting one lets both go. */
static struct narcissus {
    weir_thenable thenable;
    weir_promise *self;
} narcissi[CROWD];

static int then_follow_self(weir_thenable *thenable, weir_promise *promise)
{
    weir_promise *self = ((struct narcissus *)thenable)->self;

    expect_status(weir_promise_follow(promise, self), 0);
    drop(self);
    return 0;
}

static void leave_a_crowd(void)
{
    for (int i = 0; i < CROWD; i++) {
        narcissi[i].thenable.then = then_follow_self;
        narcissi[i].self =
            then_call(resolved(), give_thenable, &narcissi[i].thenable);
    }
}

static void leave_a_crowd_elsewhere(void)
{
    for (int i = 0; i < CROWD; i++) {
        narcissi[i].thenable.then = then_follow_self;
        narcissi[i].self = pending();
        expect_status(weir_promise_follow_thenable(narcissi[i].self,
                                                   &narcissi[i].thenable),
                      0);
    }
    loop_run();
}

CASE(promises_that_only_follow_each_other_go_with_every_end)
{
    for (int way = 0; way < WAYS; way++) {
        make();
        inside(leave_a_crowd);
        end_in(way);
        make();
        leave_a_crowd_elsewhere();
        end_in(way);
    }
}

/* A handler that the end of one circle calls closes another. */
static weir_result close_circle(void *next, const weir_value *value)
{
    expect_int(value->code, WEIR_ECANCELED);
    return weir_give_promise(keep(*(weir_promise **)next));
}

static void leave_circles(void)
{
    for (int i = 0; i < 4; i++)
        left[i] = NULL;
    left[0] = pending();
    left[1] = then_call(keep(left[0]), NULL, NULL);
    expect_status(weir_promise_follow(left[0], left[1]), 0);
    left[2] = catch_call(keep(left[1]), close_circle, &left[3]);
    left[3] = then_call(keep(left[2]), must_not_run, NULL);
}

CASE(circle_that_a_handler_closes_at_the_end_is_rejected)
{
    for (int way = 0; way < WAYS; way++) {
        make();
        inside(leave_circles);
        end_in(way);
        for (int i = 0; i < 4; i++)
            expect_cancelled(left[i]);
    }
}

/* ---- the order of the end ---- */

static int event;

static void scene_order(void)
{
    loop_timer(SECOND_NS, "timer");
    expect_status(
        weir_fd_add(loop, event, WEIR_FD_READABLE, record_fd, (void *)"fd"), 0);
    left[1] = pending();
    left[0] = catch_call(keep(left[1]), see_code, (void *)"promise");
}

static void scene_order_and_end(void)
{
    weir_promise *p = pending();

    loop_timer(SECOND_NS, "timer");
    expect_status(
        weir_fd_add(loop, event, WEIR_FD_READABLE, record_fd, (void *)"fd"), 0);
    left[0] = catch_call(keep(p), see_code, (void *)"promise");
    left[1] = p;
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

CASE(promises_are_rejected_after_timers_and_before_descriptors)
{
    event = event_open(0);
    make();
    inside(scene_order_and_end);
    expect_recorded("timer! promise:ECANCELED fd!");
    drop(left[0]);
    drop(left[1]);
    expect_status(weir_loop_free(loop), 0);
}

CASE(promises_are_rejected_between_timers_and_descriptors_by_close)
{
    event = event_open(0);
    make();
    expect_status(
        weir_loop_submit(loop, call_scene, &(void (*)(void)){scene_order}), 0);
    loop_turns(1);
    expect_recorded("");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("timer! promise:ECANCELED fd!");
    drop(left[0]);
    drop(left[1]);
    expect_status(weir_loop_free(loop), 0);
}

/* ---- what may still be called ---- */

/* covers: weir_promise_new WEIR_ECLOSED
 * covers: weir_promise_then WEIR_ECLOSED
 * covers: weir_promise_catch WEIR_ECLOSED
 * covers: weir_promise_finally WEIR_ECLOSED
 * covers: weir_promise_follow_thenable WEIR_ECLOSED
 * covers: weir_promise_all WEIR_ECLOSED
 * covers: weir_promise_all_settled WEIR_ECLOSED
 * covers: weir_promise_any WEIR_ECLOSED
 * covers: weir_promise_race WEIR_ECLOSED */
static weir_result finally_nothing(void *arg)
{
    return weir_pass();
}

static int then_never(weir_thenable *thenable, weir_promise *promise)
{
    return 0;
}

static void expect_closed(weir_promise *promise)
{
    static weir_thenable thenable = {then_never};
    weir_promise *made = NULL;

    expect_status(weir_promise_new(&made, loop), WEIR_ECLOSED);
    expect_status(weir_promise_then(promise, NULL, NULL, NULL, &made),
                  WEIR_ECLOSED);
    expect_status(weir_promise_catch(promise, see_code, NULL, &made),
                  WEIR_ECLOSED);
    expect_status(weir_promise_finally(promise, finally_nothing, NULL, &made),
                  WEIR_ECLOSED);
    expect_status(weir_promise_follow_thenable(promise, &thenable),
                  WEIR_ECLOSED);
    expect(made == NULL);
}

static weir_result try_everything(void *arg, const weir_value *value)
{
    weir_promise *const one[] = {left[0]};
    weir_promise *made = NULL;

    expect_int(value->code, WEIR_ECANCELED);
    expect_closed(left[0]);
    expect_status(weir_promise_all(&made, loop, one, 1), WEIR_ECLOSED);
    expect_status(weir_promise_all_settled(&made, loop, one, 1), WEIR_ECLOSED);
    expect_status(weir_promise_any(&made, loop, one, 1), WEIR_ECLOSED);
    expect_status(weir_promise_race(&made, loop, one, 1), WEIR_ECLOSED);
    expect(made == NULL);
    note("tried");
    return weir_pass();
}

static void leave_trier(void)
{
    left[0] = pending();
    drop(catch_call(keep(left[0]), try_everything, NULL));
}

CASE(promise_calls_are_refused_once_a_loop_has_rejected_its_promises)
{
    for (int way = 0; way < WAYS - 1; way++) {
        make();
        inside(leave_trier);
        weir_loop_ref(loop);
        expect_status(ways[way](loop), 0);
        expect_recorded("tried");
        expect_closed(left[0]); /* and from elsewhere */
        drop(left[0]);
        weir_loop_unref(loop);
        expect_status(weir_loop_free(loop), 0);
    }
}

/* ---- jobs that a close finds ---- */

static weir_promise *settled_before;

static weir_result clean_up(void *word, const weir_value *value)
{
    expect_int(value->code, WEIR_ECANCELED);
    note(word);
    return weir_pass();
}

static weir_result finally_clean_up(void *word)
{
    note(word);
    return weir_give(counted(1));
}

static sem_t entered;

static void close_from_elsewhere(struct crew *crew, unsigned id)
{
    while (sem_wait(&entered) != 0)
        ;
    expect_status(weir_loop_close(loop, -1), 0);
}

/* Waits in a callback for a close that is on its way, and leaves jobs. */
static void leave_jobs(void *arg, int status)
{
    expect_status(status, 0);
    expect_int(sem_post(&entered), 0);
    settled_before = pending();
    expect_status(weir_promise_resolve(settled_before, counted(5)), 0);
    for (int i = 0; i < 3; i++) /* beyond the budget: the next turn's */
        loop_microtask("m");
    expect_status(weir_promise_then(settled_before, must_not_run, clean_up,
                                    (void *)"then", NULL),
                  0);
    expect_status(weir_promise_finally(settled_before, finally_clean_up,
                                       (void *)"finally", NULL),
                  0);
    drop(settled_before);
    while (weir_loop_state(loop) != WEIR_LOOP_TERMINATING)
        sched_yield();
}

CASE(promise_handlers_that_a_close_finds_are_called_to_clean_up)
{
    struct crew crew;

    expect_int(sem_init(&entered, 0, 0), 0);
    loop_make(
        LOOP_OPTIONS(.on_rejection = no_rejection, .microtask_budget = 1));
    expect_status(weir_loop_submit(loop, leave_jobs, NULL), 0);
    crew_start(&crew, 1, close_from_elsewhere, NULL);
    (void)!weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED);
    crew_join(&crew);
    expect_status(weir_loop_free(loop), 0);
    expect(strstr(take_record(), "then finally") != NULL);
    expect_int(values_out, 0);
}

/* ---- thenables that a close finds ---- */

static int then_cancelled(weir_thenable *thenable, weir_promise *promise)
{
    note("asked");
    expect_status(weir_promise_resolve(promise, nothing()), -EALREADY);
    return 0;
}

CASE(thenable_that_a_close_finds_is_asked_once)
{
    static weir_thenable thenable = {then_cancelled};
    weir_promise *p;

    make();
    p = pending();
    expect_status(weir_promise_follow_thenable(p, &thenable), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("asked");
    expect_cancelled(p);
    expect_status(weir_loop_free(loop), 0);
}

/* ---- handles that outlive their loop ---- */

static void scene_values(void)
{
    left[0] = pending();
    left[1] = then_call(keep(left[0]), NULL, NULL);
    expect_status(weir_promise_resolve(left[0], counted(3)), 0);
}

CASE(promise_outlives_its_loop_with_its_value)
{
    make();
    inside(scene_values);
    loop_end();
    drop(left[0]);
    expect_int(number_of(weir_promise_value(left[1])), 3);
    drop(keep(left[1]));
    expect_int(values_out, 1);
    drop(left[1]);
    expect_int(values_out, 0);
}

static void drop_in_done(void *arg, weir_loop *ended, int status)
{
    drop(left[0]);
    drop(left[1]);
    note("done");
}

CASE(promise_may_be_let_go_by_done)
{
    loop_make(LOOP_OPTIONS(.done = drop_in_done));
    inside(scene_values);
    loop_end();
    expect_recorded("done");
    expect_int(values_out, 0);
}

static void drop_one(struct crew *crew, unsigned id)
{
    drop(left[id]);
}

CASE(promise_may_be_let_go_by_many_threads_after_the_end)
{
    make();
    inside(scene_values);
    left[2] = keep(left[0]);
    left[3] = keep(left[1]);
    loop_end();
    crew_run(4, drop_one, NULL);
    expect_int(values_out, 0);
}
