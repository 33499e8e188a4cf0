/* SPDX-License-Identifier: MIT */
/*
 * timeout -- a timer fires or is aborted, once, and its memory goes with the
 * last one who uses it.
 */
#include <errno.h>

#include "loop/loop.h"
#include "model.h"
#include "weir/abort.h"
#include "weir/clock.h"
#include "weir/loop.h"
#include "weir/timer.h"

static weir_loop *loop;
static weir_abort *signal_;
static int calls; /* the loop's thread's */

static void on_call(void *arg, int status)
{
    model_assert(status == 0 || status == WEIR_ECANCELED);
    calls++;
}

static void init(int64_t delay_ns)
{
    model_assert(weir_clock_freeze(0) == 0);
    model_assert(weir_loop_new(&loop, NULL) == 0);
    model_assert(weir_abort_new(&signal_) == 0);
    model_assert(weir_timer_start_abortable(loop, delay_ns, signal_, on_call,
                                            NULL) == 0);
}

static void init_due(void)
{
    init(0);
}

static void init_far(void)
{
    init(1000);
}

static void raise_it(void)
{
    model_assert(weir_abort_raise(signal_, 1) == 0);
    weir_abort_unref(signal_);
}

static void run_until_idle(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void once(void)
{
    model_assert(calls == 1);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

/* A loop that ends tells the timer itself. */
static void shut_down(void)
{
    model_assert(weir_loop_shutdown(loop, -1) == 0);
}

/* The timer is over, so nothing says that the loop must stay. */
static void run_and_free(void)
{
    run_until_idle();
    once();
}

/* ---- an abort that a timer raises ---- */

static void init_loop(void)
{
    model_assert(weir_clock_freeze(0) == 0);
    model_assert(weir_loop_new(&loop, NULL) == 0);
}

static void make_due(void)
{
    weir_abort *late;

    model_assert(weir_abort_after(&late, loop, 0) == 0);
    weir_abort_unref(late);
}

/* Once the loop has taken what the other thread sent, it may end and go. */
static void step_and_free(void)
{
    int err;

    while (load_relaxed(&loop->taken) == 0) /* relaxed: own */
        model_assert(weir_loop_step(loop, -1) == 0);
    err = weir_loop_shutdown(loop, 0);
    model_assert(err == 0 || err == -ETIMEDOUT);
    while (weir_loop_step(loop, 0) == 0)
        ;
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

static const struct model_case cases[] = {
    {"abort_against_firing", .setup = init_due, .finish = once,
     .preemption_bound = 3, .threads = {T(raise_it), T(run_until_idle)}},
    {"abort_of_a_far_one", .setup = init_far, .finish = once,
     .preemption_bound = 3, .threads = {T(raise_it), T(run_until_idle)}},
    {"abort_while_the_loop_is_freed", .setup = init_due, .preemption_bound = 2,
     .threads = {T(raise_it), T(run_and_free)}},
    {"abort_after_while_the_loop_is_freed", .setup = init_loop,
     .preemption_bound = 2, .threads = {T(make_due), T(step_and_free)}},
    {"abort_against_the_end", .setup = init_far, .finish = once,
     .preemption_bound = 2, .threads = {T(raise_it), T(shut_down)}},
};

MODEL_CASES(cases)
