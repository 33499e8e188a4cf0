/* SPDX-License-Identifier: MIT */
/*
 * timer -- fires or is cancelled, never both, whoever asks.
 */
#include "weir/timer.h"

#include <errno.h>

#include "loop/loop.h" /* src: for whom it is made */
#include "model.h"
#include "weir/clock.h"

static weir_loop *loop;
static weir_timer id;
static int object; /* what arg stands for: the callback's, or the canceller's */
static int fired;  /* the loop's thread's */
static int refused; /* the same: told WEIR_ECANCELED */
static int cancelled[MODEL_THREADS];

static void use(void *arg, int status)
{
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

/* Due at once; on its way through the queue. */
static void init_due(void)
{
    make();
    model_assert(weir_timer_start(loop, &id, 0, WEIR_TIMER_ONCE, use, NULL) ==
                 0);
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
    model_assert(weir_timer_start(loop, &id, 1000000000, WEIR_TIMER_ONCE, use,
                                  NULL) == 0);
    model_assert(weir_timer_start(loop, &other, 1000000000, WEIR_TIMER_ONCE,
                                  use, NULL) == 0);
    model_assert(weir_loop_submit(loop, cancel_on_the_loop, NULL) == 0);
}

/* ---- the loop's thread starts it again ---- */

static int err_of_again;

static void again_on_the_loop(void *arg, int status)
{
    weir_timer mine = id; /* the other thread has the old one */

    err_of_again = weir_timer_again(loop, &mine, 0);
    model_assert(err_of_again == 0 || err_of_again == -ENOENT);
    weir_loop_unref(loop);
}

/* Far away, and then due at once. */
static void init_again(void)
{
    model_assert(weir_clock_freeze(0) == 0);
    make();
    weir_loop_ref(loop); /* the task's */
    model_assert(weir_timer_start(loop, &id, 1000000000, WEIR_TIMER_ONCE, use,
                                  NULL) == 0);
    model_assert(weir_loop_submit(loop, again_on_the_loop, NULL) == 0);
}

static void fired_if_it_was_started_again(void)
{
    model_assert(fired == (err_of_again == 0));
    one_outcome();
}

static void init_far_for_two(void)
{
    init_far();
    weir_loop_ref(loop);
}

/* ---- the loop closes meanwhile ---- */

static void close_it(void)
{
    model_assert(weir_loop_close(loop, -1) == 0);
}

static void run_until_closed(void)
{
    int err = weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED);

    model_assert(err == 0 || err == WEIR_ECLOSED || err == -EBUSY);
}

static void start_and_let_go(void)
{
    int err = weir_timer_start(loop, &id, 0, WEIR_TIMER_ONCE, use, NULL);

    model_assert(err == 0 || err == WEIR_ECLOSED);
    if (err != 0)
        cancelled[model_self()]++; /* its outcome, too */
    weir_loop_unref(loop);
}

/* ---- one that repeats ---- */

static atomic(int) returned;

static void note_return(void *arg, int status)
{
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
    model_assert(weir_timer_start(loop, &id, 1, WEIR_TIMER_FIXED_RATE,
                                  use_and_repeat, NULL) == 0);
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

/* ---- who made the loop starts and cancels before somebody else runs it ----
 * */

static weir_timer second;
static int started; /* the maker's */

/* As if the first thread had made it. */
static void make_for_the_first(void)
{
    make();
    weir__bias_init(&loop->bias, 0);
}

static void make_for_the_first_and_two(void)
{
    make_for_the_first();
    weir_loop_ref(loop);
}

/* What the second one is for is nobody's who cancels the first. */
static void use_nothing(void *arg, int status)
{
    if (status == 0)
        fired++;
    else
        refused++;
}

/* Two timers; the first one of them is cancelled, if it has not fired yet. */
static void start_two_and_cancel(void)
{
    int err = weir_timer_start(loop, &id, 0, WEIR_TIMER_ONCE, use, NULL);

    model_assert(err == 0);
    model_assert(weir_timer_start_at(loop, &second, 0, use_nothing, NULL) == 0);
    cancel();
    weir_loop_unref(loop);
}

static void two_outcomes(void)
{
    int sum = fired + refused;

    for (int i = 0; i < MODEL_THREADS; i++)
        sum += cancelled[i];
    model_assert(sum == 2);
    model_assert(weir_timer_cancel(loop, second) == -ENOENT);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

/* It may be refused, once the loop is closed; what was accepted is cancelled. */
static void start_if_open(void)
{
    if (weir_timer_start(loop, &id, 0, WEIR_TIMER_ONCE, use, NULL) == 0)
        started++;
    weir_loop_unref(loop);
}

static void close_and_let_go(void)
{
    close_it();
    weir_loop_unref(loop);
}

static void all_told(void)
{
    model_assert(fired == 0 && refused == started);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

/* Another thread's start sends the maker through the queue, behind it. */
static atomic(int) has_started;
static int order[2], order_count;

static void note_order(void *which, int status)
{
    model_assert(status == 0 && order_count < 2);
    order[order_count++] = (int)(intptr_t)which;
}

static void start_first(void)
{
    model_assert(weir_timer_start_at(loop, NULL, 0, note_order, (void *)1) ==
                 0);
    store_release(&has_started, 1);
}

static void start_second(void)
{
    if (load_acquire(&has_started))
        model_assert(
            weir_timer_start_at(loop, NULL, 0, note_order, (void *)2) == 0);
}

static void in_order(void)
{
    weir_loop_unref(loop);
    run_until_idle();
    model_assert(order[0] == 1 && (order_count == 1 || order[1] == 2));
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

/* The creator's call needs no reference: it returns safely even if the loop is
 * run by another thread, ended by the timer, and freed meanwhile. */
static void end_loop(void *arg, int status)
{
    model_assert(status == 0);
    model_assert(weir_loop_shutdown(loop, 0) == 0);
}

static void make_without_reference(void)
{
    model_assert(weir_loop_new(&loop, NULL) == 0);
    weir__bias_init(&loop->bias, 0);
}

static void start_the_last(void)
{
    model_assert(weir_timer_start_at(loop, NULL, 0, end_loop, NULL) == 0);
}

static void run_and_free(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED) == 0);
    model_assert(weir_loop_free(loop) == 0);
}

static const struct model_case cases[] = {
    {"maker_starts_a_timer_that_ends_and_frees_the_loop",
     .setup = make_without_reference, .preemption_bound = 2,
     .threads = {T(start_the_last), T(run_and_free)}},
    {"maker_starts_and_cancels_against_a_run", .setup = make_for_the_first,
     .finish = two_outcomes, .preemption_bound = 3, .brief_bound = 1,
     .threads = {T(start_two_and_cancel), T(run_until_idle)}},
    {"maker_starts_against_a_close", .setup = make_for_the_first_and_two,
     .finish = all_told, .preemption_bound = 3, .brief_bound = 2,
     .threads = {T(start_if_open), T(close_and_let_go)}},
    {"maker_starts_after_another_in_the_same_order",
     .setup = make_for_the_first, .finish = in_order, .preemption_bound = 4,
     .threads = {T(start_second), T(start_first)}},
    {"cancel_against_firing", .setup = init_due, .finish = one_outcome,
     .preemption_bound = 4, .brief_bound = 2,
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
     .finish = one_outcome, .preemption_bound = 4, .brief_bound = 2,
     .threads = {T(cancel_and_let_go), T(run_until_idle)}},
    {"again_on_the_loop_against_a_cancel", .setup = init_again,
     .finish = fired_if_it_was_started_again, .preemption_bound = 2,
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
     .finish = free_loop, .preemption_bound = 4, .brief_bound = 2,
     .threads = {T(cancel_after_return), T(run_until_idle)}},
};

MODEL_CASES(cases)
