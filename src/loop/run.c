/* SPDX-License-Identifier: MIT */
/*
 * run -- which thread owns a loop, and for how long.
 *
 * Shape     run and step claim the loop, which makes the calling thread the
 *           loop's thread: until run returns or, after a step, until the loop
 *           is run or TERMINATED.  Between two steps the loop counts as asleep,
 *           so a push makes its backend descriptor readable.
 * Roles     run, step   one thread at a time
 *
 * Shared state
 *   owner       written by the thread that has the claim.  A thread only
 *               compares it with itself, so relaxed is enough.
 *
 * Tested by  test/unit/loop/loop.c, test/unit/loop/step.c,
 *            test/model/loop/loop.c
 */
#include <errno.h>

#include "base/clock.h"
#include "loop/loop.h"
#include "weir/host/loop.h"

/* ---- ownership ---- */

weir_loop *weir_loop_current(void)
{
    return weir__thread_loop();
}

bool weir_loop_is_owner(const weir_loop *loop)
{
    return loop != NULL && weir__loop_is_mine(loop);
}

bool weir_loop_is_claimed(const weir_loop *loop)
{
    return loop != NULL && weir__loop_is_claimed(loop);
}

bool weir__loop_is_claimed(const weir_loop *loop)
{
    /* relaxed: only this thread ever stores its own id there */
    return load_relaxed(&loop->owner) == weir__thread_self();
}

bool weir__loop_is_around(const weir_loop *loop)
{
    return weir__loop_is_claimed(loop) && loop->is_inside;
}

void weir__loop_own(weir_loop *loop)
{
    weir__bias_revoke(&loop->bias);
    if (loop->options.timer_slack_ns > 0)
        loop->kernel_slack_ns = weir__thread_slack_ns();
    store_relaxed(&loop->owner, weir__thread_self()); /* relaxed: see above */
    store_relaxed(&loop->thread, weir__thread_id());  /* relaxed: for report */
    /* relaxed: for the watchdog, which asks only a loop in a callback */
    store_relaxed(&loop->running.thread, load_relaxed(&loop->thread));
}

/* Return the loop to AWAKE, so that any thread may claim it.  False: this
 * thread keeps it. */
static bool leave(weir_loop *loop, bool only_if_empty)
{
    store_relaxed(&loop->owner, 0); /* relaxed: see above */
    if (weir__ingress_leave(&loop->in, only_if_empty))
        return true;
    store_relaxed(&loop->owner, weir__thread_self()); /* relaxed: see above */
    return false;
}

void weir__loop_woken(weir_loop *loop, bool in_poller)
{
    loop->was_woken = true;
    if (in_poller)
        loop->owed_wakes++;
    if (loop->counters != NULL)
        weir__counters_add(&loop->counters->wakes, 1);
}

/* ---- between two steps ---- */

/* The poller whose descriptor the host watches.  Unlike the one that
 * choose_poller returns, it is used until the end, even while the loop cancels
 * everything and its own turns no longer use the poller. */
static struct weir__poller *poller_of_host(weir_loop *loop)
{
    /* relaxed: a thread that changes it then wakes the loop */
    if (load_relaxed(&loop->fd_mode) == WEIR_FD_MODE_NEVER)
        return NULL;
    /* loop/P4 acquire: receives the poller, which any thread may make */
    return load_acquire(&loop->poller);
}

/* Go to sleep until the next step.  If the next step already has work, send a
 * wake-up instead, which makes the backend descriptor readable. */
static void lie_between_steps(weir_loop *loop)
{
    struct weir__poller *poller = poller_of_host(loop);

    /* The step has handled what these wake-ups were for. */
    if (poller != NULL && loop->owed_wakes > 0)
        loop->owed_wakes -= weir__poller_take_wakes(poller, false);
    loop->sleeps_in_poller = poller != NULL;
    loop->has_prepared_sleep =
        weir__loop_is_quiet(loop) && !weir__loop_has_step(loop) &&
        weir__ingress_prepare_sleep(&loop->in,
                                    poller != NULL ? WEIR__SLEEP_ON_POLLER
                                                   : WEIR__SLEEP_ON_FUTEX,
                                    weir__loop_is_ending(loop));
    if (!loop->has_prepared_sleep && poller != NULL && loop->owed_wakes == 0) {
        loop->owed_wakes = 1;
        weir__poller_wake(poller);
    }
}

void weir__loop_rise(weir_loop *loop)
{
    if (loop->has_prepared_sleep && !weir__ingress_finish_sleep(&loop->in))
        weir__loop_woken(loop, loop->sleeps_in_poller);
    loop->has_prepared_sleep = false;
}

int64_t weir_loop_timeout(weir_loop *loop)
{
    int64_t first_ns = weir__timers_next(loop);
    int64_t now_ns = weir_clock_now();

    if (!weir__loop_is_quiet(loop) || weir__loop_has_step(loop) ||
        weir__ingress_has_news(&loop->in, weir__loop_is_ending(loop)) ||
        first_ns <= now_ns)
        return 0;
    if (first_ns == INT64_MAX)
        return -1;
    return weir__loop_put_off(loop, first_ns, now_ns, true) - now_ns;
}

int weir_loop_backend_fd(weir_loop *loop)
{
    int err;

    if (loop == NULL)
        return -EINVAL;
    weir__lock_lock(&loop->lock);
    if (weir__loop_has_reached(loop, WEIR__STAGE_NO_FDS))
        err = weir__loop_refusal(loop);
    /* relaxed: written under the lock, which we hold */
    else if (load_relaxed(&loop->fd_mode) == WEIR_FD_MODE_NEVER)
        err = WEIR_ENOFDS;
    else
        err = weir__loop_need_poller(loop);
    if (err == 0)
        /* relaxed: written under the lock, which we hold */
        err = weir__poller_fd(load_relaxed(&loop->poller));
    weir__lock_unlock(&loop->lock);
    if (err >= 0 && weir__loop_is_claimed(loop) && loop->is_stepped &&
        !loop->is_inside) {
        weir__loop_rise(loop); /* to move its sleep into the poller */
        lie_between_steps(loop);
    }
    return err;
}

/* ---- run, step ---- */

static int claim(weir_loop *loop)
{
    int err;

    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    if (weir__loop_is_claimed(loop)) {
        if (loop->is_inside)
            return WEIR_EREENTRANT;
        if (weir__ingress_look(&loop->in) == WEIR__TERMINATED)
            return WEIR_ECLOSED;
        weir__loop_rise(loop);
        return 0;
    }
    err = weir__ingress_claim(&loop->in);
    if (err == 0)
        weir__loop_own(loop);
    return err;
}

static bool has_passed(int64_t limit_ns)
{
    return limit_ns >= 0 && weir__clock_real() >= limit_ns;
}

/* Leave the loop if it is idle: nothing to call, nothing that holds it, and an
 * empty queue.  On success any thread may claim the loop. */
static bool becomes_idle(weir_loop *loop)
{
    if (!loop->is_until_idle || !weir__loop_is_quiet(loop) ||
        weir__loop_is_held(loop))
        return false;
    weir__recycler_trim(&loop->envelopes);
    loop->is_inside = false;
    weir__loop_show_rest(loop, true); /* not after another thread's claim */
    if (leave(loop, true))
        return true;
    weir__loop_show_rest(loop, false);
    loop->is_inside = true;
    return false;
}

enum { ENDED = 1, LEFT = 2 };

/* Returns ENDED if the loop is TERMINATED, LEFT if it is idle and no longer this
 * thread's, 0 to continue, or the error that ends the run. */
static int next_turn(weir_loop *loop, int64_t limit_ns)
{
    int err = weir__loop_turn(loop, limit_ns);

    if (err != 0)
        return err;
    if (weir__loop_is_ending(loop) && weir__loop_wind_up(loop)) {
        weir__loop_tell_done(loop);
        return ENDED;
    }
    if (has_passed(limit_ns))
        return -ETIMEDOUT;
    return becomes_idle(loop) ? LEFT : 0;
}

int weir__loop_drive(weir_loop *loop, int64_t limit_ns)
{
    weir_loop *outer = weir__thread_loop();
    struct weir__watched *shown = weir__loop_show_begin(loop);
    struct weir__cancelling cancelling = weir__thread_hold_cancel();
    int result;

    weir__thread_set_loop(loop);
    weir__loop_join_recorder(loop);
    loop->is_inside = loop->has_called = true;
    do
        result = next_turn(loop, limit_ns);
    while (result == 0);
    weir__thread_restore_cancel(cancelling);
    weir__loop_show_end(result == LEFT ? NULL : loop, shown);
    weir__thread_set_loop(outer);
    if (result < 0)
        loop->is_inside = false;
    return result < 0 ? result : 0;
}

/* keeps: this thread keeps the loop after an error of the wait. */
static int run(weir_loop *loop, weir_run_mode mode, bool keeps)
{
    int err = claim(loop);

    if (err != 0)
        return err;
    weir__loop_enter(loop);
    loop->is_until_idle = mode == WEIR_RUN_UNTIL_IDLE;
    loop->is_stepped = false;
    err = weir__loop_drive(loop, -1);
    if (err != 0 && !keeps)
        (void)leave(loop, false);
    weir__loop_exit(loop);
    return err;
}

int weir_loop_run(weir_loop *loop, weir_run_mode mode)
{
    if (loop == NULL || (unsigned)mode > WEIR_RUN_UNTIL_CLOSED)
        return -EINVAL;
    return run(loop, mode, false);
}

int weir__loop_run_and_keep(weir_loop *loop)
{
    return run(loop, WEIR_RUN_UNTIL_CLOSED, true);
}

int weir_loop_step(weir_loop *loop, int64_t timeout_ns)
{
    weir_loop *outer = weir__thread_loop();
    struct weir__watched *shown;
    int err;

    if (loop == NULL)
        return -EINVAL;
    err = claim(loop);
    if (err != 0)
        return err;
    weir__loop_enter(loop);
    loop->is_until_idle = false;
    loop->is_stepped = true;
    shown = weir__loop_show_begin(loop);
    weir__thread_set_loop(loop);
    weir__loop_join_recorder(loop);
    loop->is_inside = loop->has_called = true;
    err = weir__loop_turn(
        loop, timeout_ns == 0 ? 0 : weir__clock_deadline(timeout_ns));
    if (err == 0 && weir__loop_is_ending(loop) && weir__loop_wind_up(loop)) {
        weir__loop_tell_done(loop);
        err = WEIR_ECLOSED;
    }
    loop->is_inside = false;
    weir__loop_show_end(loop, shown);
    weir__thread_set_loop(outer);
    if (err != WEIR_ECLOSED && err != WEIR_EFORKED)
        lie_between_steps(loop);
    weir__loop_exit(loop);
    return err;
}
