/* SPDX-License-Identifier: MIT */
/*
 * timer -- fires or is cancelled, never both, whoever asks.
 */
#include "weir/timer.h"

#include <errno.h>

#include "model.h"
#include "weir/clock.h"
#include "weir/loop.h"

static weir_loop *loop;
static weir_timer id;
static int object;   /* what arg stands for: the callback's, or the canceller's */
static int fired;    /* the loop's thread's */
static int refused;  /* the same: told WEIR_ECANCELED */
static int cancelled[MODEL_THREADS];

static void use(void *arg, int status)
{
    (void)arg;
    plain_store(&object, plain_load(&object) + 1);
    if (status == 0)
        fired++;
    else
        refused++;
}

static void make(void)
{
    model_assert(weir_loop_new(&loop, NULL) == 0);
    weir_loop_ref(loop); /* the other thread's */
}

/* Due at once; on its way through the door. */
static void init_due(void)
{
    make();
    model_assert(weir_timer_start(loop, &id, 0, WEIR_ONCE, use, NULL) == 0);
}

static void run_until_idle(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void cancel(void)
{
    int err = weir_timer_cancel(loop, id);

    model_assert(err == 0 || err == -ENOENT);
    if (err == 0) {
        cancelled[model_self()]++;
        plain_store(&object, -1); /* it is ours again */
    }
}

static void cancel_and_let_go(void)
{
    cancel();
    weir_loop_unref(loop);
}

static void one_outcome(void)
{
    int sum = fired + refused;

    for (int i = 0; i < MODEL_THREADS; i++)
        sum += cancelled[i];
    model_assert(sum == 1);
    model_assert(weir_timer_cancel(loop, id) == -ENOENT);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

static void init_two_cancellers(void)
{
    init_due();
    weir_loop_ref(loop);
}

/* ---- the loop's thread cancels, too ---- */

static weir_timer other;

static void cancel_on_the_loop(void *arg, int status)
{
    (void)arg, (void)status;
    cancel();
    model_assert(weir_timer_cancel(loop, other) == 0);
    weir_loop_unref(loop);
}

/* Two that are far away; the loop is to cancel both. */
static void init_far(void)
{
    model_assert(weir_clock_freeze(0) == 0); /* they do not come nearer */
    make();
    weir_loop_ref(loop); /* the task's */
    model_assert(weir_timer_start(loop, &id, 1000000000, WEIR_ONCE, use,
                                  NULL) == 0);
    model_assert(weir_timer_start(loop, &other, 1000000000, WEIR_ONCE, use,
                                  NULL) == 0);
    model_assert(weir_loop_submit(loop, cancel_on_the_loop, NULL) == 0);
}

static void init_far_for_two(void)
{
    init_far();
    weir_loop_ref(loop);
}

/* ---- the loop closes meanwhile ---- */

static void close_it(void)
{
    model_assert(weir_loop_close(loop) == 0);
}

static void run_until_closed(void)
{
    int err = weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED);

    model_assert(err == 0 || err == WEIR_ECLOSED || err == -EBUSY);
}

static void start_and_let_go(void)
{
    int err = weir_timer_start(loop, &id, 0, WEIR_ONCE, use, NULL);

    model_assert(err == 0 || err == WEIR_ECLOSED);
    if (err != 0)
        cancelled[model_self()]++; /* its outcome, too */
    weir_loop_unref(loop);
}

/* ---- one that repeats ---- */

static atomic(int) returned;

static void note_return(void *arg, int status)
{
    (void)arg, (void)status;
    store_relaxed(&returned, 1);
}

static void use_and_repeat(void *arg, int status)
{
    use(arg, status);
    model_assert(weir_loop_immediate(loop, note_return, NULL) == 0);
}

static void init_repeating(void)
{
    make();
    model_assert(weir_clock_freeze(0) == 0);
    model_assert(weir_timer_start(loop, &id, 1, WEIR_FIXED_RATE, use_and_repeat,
                                  NULL) == 0);
    model_assert(weir_clock_advance(1) == 0);
}

/* The callback has returned: what it did is ours to see after the cancel. */
static void cancel_after_return(void)
{
    if (load_relaxed(&returned))
        cancel();
    else
        (void)!weir_timer_cancel(loop, id);
    weir_loop_unref(loop);
}

static void free_loop(void)
{
    model_assert(fired <= 1 && refused == 0);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

static const struct model_case cases[] = {
    {"cancel_against_firing", .setup = init_due, .finish = one_outcome,
     .preemption_bound = 4,
     .threads = {T(cancel_and_let_go), T(run_until_idle)}},
    {"two_cancels_against_firing", .setup = init_two_cancellers,
     .finish = one_outcome, .preemption_bound = 1,
     .threads = {T(cancel_and_let_go), T(cancel_and_let_go),
                 T(run_until_idle)}},
    {"two_cancels_against_firing_bound_2", .setup = init_two_cancellers,
     .finish = one_outcome, .preemption_bound = 2, .is_long = true,
     .threads = {T(cancel_and_let_go), T(cancel_and_let_go),
                 T(run_until_idle)}},
    {"cancel_on_the_loop_against_another", .setup = init_far,
     .finish = one_outcome, .preemption_bound = 4,
     .threads = {T(cancel_and_let_go), T(run_until_idle)}},
    {"cancel_on_the_loop_against_two_others", .setup = init_far_for_two,
     .finish = one_outcome, .preemption_bound = 2, .is_long = true,
     .threads = {T(cancel_and_let_go), T(cancel_and_let_go),
                 T(run_until_idle)}},
    {"cancel_against_close", .setup = init_due, .finish = one_outcome,
     .preemption_bound = 1,
     .threads = {T(cancel_and_let_go), T(close_it), T(run_until_closed)}},
    {"cancel_against_close_bound_2", .setup = init_due, .finish = one_outcome,
     .preemption_bound = 2, .is_long = true,
     .threads = {T(cancel_and_let_go), T(close_it), T(run_until_closed)}},
    {"start_against_close", .setup = make, .finish = one_outcome,
     .preemption_bound = 1,
     .threads = {T(start_and_let_go), T(close_it), T(run_until_closed)}},
    {"start_against_close_bound_2", .setup = make, .finish = one_outcome,
     .preemption_bound = 2, .is_long = true,
     .threads = {T(start_and_let_go), T(close_it), T(run_until_closed)}},
    {"cancel_sees_what_the_callbacks_did", .setup = init_repeating,
     .finish = free_loop, .preemption_bound = 4,
     .threads = {T(cancel_after_return), T(run_until_idle)}},
};

MODEL_CASES(cases)
