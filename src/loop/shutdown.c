/* SPDX-License-Identifier: MIT */
/*
 * shutdown -- how a loop terminates, gracefully or at once.
 *
 * Stages    shutdown and close set the END bit of the ingress word, so the
 *           queue refuses outsiders; close pushes `cancel` with the same CAS.
 *           The rest is up to the loop's thread, which moves `stage` forward:
 *
 *             OPEN
 *             DRAINING    END was seen.  Turns continue until the loop is
 *                         quiet: accepted work and what it queued has run, and
 *                         the jobs of promisify have returned.
 *             CANCELLING  The loop is quiet or was closed.  After a close,
 *                         every callback gets WEIR_ECANCELED (`status`); after
 *                         a shutdown only timers and descriptors do.
 *             NO_TIMERS   The timers part of a turn has cancelled them all.
 *             REJECTING   Pending promises are rejected.
 *             NO_FDS      Descriptors are cancelled.  Messages (timer.c, fd.c)
 *                         and wake-ups on their way are waited for; the poller
 *                         is closed.
 *
 *           Then the ingress word becomes TERMINATED, `done` is called, and all
 *           waiters here are notified.
 *
 *           If the loop has no thread, the thread that calls shutdown or close
 *           becomes it: the CAS that starts termination also claims the loop.
 *
 * Shared state
 *   stage          written by the loop's thread under the lock, where other
 *                  threads read it
 *   hints          any thread: a hint to the loop, read between two callbacks,
 *                  that everything is to be cancelled.  The first thread to
 *                  set it pushes `cancel`, once.
 *   finished       any thread sleeps on it                                P1
 *
 * Pairs
 *   P1  tell_done: store of finished, release  -->  await: load, acquire
 *       All callbacks happen before shutdown or close returns 0.
 *
 * Why no lost wake  The step that waits for messages is woken by them, as they
 *           come through the queue.  finished is stored before the wake-up.
 *
 * Tested by  test/unit/loop/shutdown.c, test/model/loop/loop.c,
 *            test/stress/loop/loop.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/futex.h"
#include "loop/loop.h"

/* ---- the loop's thread ---- */

/* Whether there are timers, descriptors or unsettled promises, including those
 * whose messages are still to come. */
static bool has_any(const weir_loop *loop)
{
    /* relaxed: a count; the message that changes it comes by the queue */
    return loop->timers.used > 0 || load_relaxed(&loop->fds.used) > 0 ||
           loop->promises.unsettled > 0;
}

/* Whether another pass over the promises may settle some: the last one did, or
 * a task has run since. */
static bool has_promises_to_reject(const weir_loop *loop)
{
    return loop->promises.unsettled > 0 &&
           /* relaxed: own */
           loop->promises.stuck_at != load_relaxed(&loop->run) + 1;
}

/* Whether jobs of promisify are running: a shutdown waits for them, a close
 * does not. */
static bool waits_for_jobs(const weir_loop *loop)
{
    return !weir__loop_is_cancelling(loop) &&
           load_relaxed(&loop->promises.outstanding) > 0; /* relaxed: own */
}

/* Until the table is closed, an add may have taken a slot and may return it
 * without waking the loop. */
bool weir__loop_has_step(const weir_loop *loop)
{
    return weir__loop_is_ending(loop) && !waits_for_jobs(loop) &&
           (!weir__loop_has_reached(loop, WEIR__STAGE_NO_FDS) ||
            /* relaxed: a count, as above */
            load_relaxed(&loop->fds.count) > 0 || !has_any(loop) ||
            has_promises_to_reject(loop));
}

/* The only place that changes the stage. */
static void advance(weir_loop *loop, enum weir__stage stage)
{
    if (weir__loop_has_reached(loop, stage))
        return;
    weir__lock_lock(&loop->lock);
    loop->stage = stage;
    weir__lock_unlock(&loop->lock);
}

void weir__loop_notice_end(weir_loop *loop)
{
    advance(loop, WEIR__STAGE_DRAINING);
}

void weir__loop_notice_close(weir_loop *loop)
{
    loop->status = WEIR_ECANCELED;
    advance(loop, WEIR__STAGE_CANCELLING);
}

void weir__loop_notice_timers(weir_loop *loop)
{
    advance(loop, WEIR__STAGE_NO_TIMERS);
}

/* The first pass over the promises is made at once, the others when no callback
 * is pending. */
static void reject_promises(weir_loop *loop)
{
    bool is_first = !weir__loop_has_reached(loop, WEIR__STAGE_REJECTING);

    advance(loop, WEIR__STAGE_REJECTING);
    if (loop->promises.hooks != NULL && loop->promises.unsettled > 0 &&
        (is_first || weir__loop_is_quiet(loop)))
        loop->promises.hooks->reject(loop);
}

void weir__loop_cancel_rest(weir_loop *loop)
{
    if (!weir__loop_has_reached(loop, WEIR__STAGE_NO_TIMERS))
        return;
    reject_promises(loop);
    advance(loop, WEIR__STAGE_NO_FDS);
    weir__fds_cancel(loop);
}

/* The loop will not sleep in the poller again, so no new wake-up can begin.
 * Wait for those that have begun: their senders still use the poller. */
static void close_poller(weir_loop *loop)
{
    /* relaxed: own, if wake-ups are owed: the loop has slept in it */
    struct weir__poller *poller = load_relaxed(&loop->poller);

    while (loop->owed_wakes > 0)
        loop->owed_wakes -= weir__poller_take_wakes(poller, true);
    advance(loop, WEIR__STAGE_NO_FDS);
    weir__lock_lock(&loop->lock);
    /* relaxed: written under the lock, which we hold */
    poller = load_relaxed(&loop->poller);
    store_relaxed(&loop->poller, NULL); /* relaxed: publishes nothing */
    weir__lock_unlock(&loop->lock);
    if (poller != NULL)
        weir__poller_close(poller);
}

/* After this step no thread is the loop's thread. */
static bool terminate(weir_loop *loop)
{
    const struct weir__promise_hooks *promises = loop->promises.hooks;

    if (promises == NULL)
        return weir__ingress_terminate(&loop->in);
    promises->end(loop, true);
    if (weir__ingress_terminate(&loop->in))
        return true;
    promises->end(loop, false);
    return false;
}

bool weir__loop_wind_up(weir_loop *loop)
{
    if (!weir__loop_is_quiet(loop))
        return false;
    if (waits_for_jobs(loop)) {
        loop->promises.hooks->show_jobs(loop);
        return false;
    }
    if (!weir__loop_is_cancelling(loop)) {
        advance(loop, WEIR__STAGE_CANCELLING);
        return false;
    }
    if (has_any(loop))
        return false;
    close_poller(loop);
    return terminate(loop);
}

void weir__loop_tell_done(weir_loop *loop)
{
    int status = loop->status;

    loop->status = WEIR_ECANCELED; /* refuses what `done` might post */
    if (loop->options.done != NULL)
        loop->options.done(loop->options.arg, loop, status);
    loop->is_inside = false;
    /* shutdown/P1 release: publishes everything done on this loop */
    store_release(&loop->finished, 1);
    weir__futex_wake_all(&loop->finished, WEIR__FUTEX_PRIVATE);
}

void weir__loop_on_cancel(weir_task *task, int status)
{
    weir_loop *loop = (weir_loop *)((char *)task - offsetof(weir_loop, cancel));

    weir__loop_inner_task(loop);
    weir__loop_notice_close(loop);
}

/* ---- any thread ---- */

static bool is_inside(const weir_loop *loop)
{
    return weir__loop_is_claimed(loop) && loop->is_inside;
}

/* Sleep until `done` has been called.  Returns 0 or -ETIMEDOUT. */
static int await(weir_loop *loop, int64_t deadline_ns)
{
    /* shutdown/P1 acquire: receives everything done on the loop */
    while (load_acquire(&loop->finished) == 0)
        if (weir__futex_wait(&loop->finished, 0, deadline_ns,
                             WEIR__FUTEX_PRIVATE) == -ETIMEDOUT)
            return -ETIMEDOUT;
    return 0;
}

/* A loop's thread must not wait for another loop's thread, which might wait for
 * it.  It can run a loop that no thread runs.  Returns 0 (continue), or
 * -EDEADLK without effect. */
static int may_wait(weir_loop *loop)
{
    int err;

    if (!weir__thread_is_loop() || weir__loop_is_claimed(loop))
        return 0;
    err = weir__ingress_claim(&loop->in);
    if (err == 0)
        weir__loop_own(loop);
    if (err == WEIR_ECLOSED && await(loop, 0) == 0)
        return 0;
    return err == 0 ? 0 : -EDEADLK;
}

/* Whether the loop waits for the job that this thread runs. */
static bool is_in_job_of(const weir_loop *loop)
{
    const struct weir__duty *duty = weir__thread_duty();

    while (duty != NULL && duty->loop != loop)
        duty = duty->outer;
    return duty != NULL;
}

/* Start termination and complete it, as the loop's thread or by waiting for it.
 * The caller holds a reference. */
static int end(weir_loop *loop, weir_task *cancel, int64_t deadline_ns)
{
    bool is_mine = false;
    int wake;

    if (weir__loop_is_claimed(loop)) /* between two steps: needs no wake-up */
        weir__loop_rise(loop);
    wake = weir__ingress_close(&loop->in, cancel, &is_mine);
    if (is_mine)
        weir__loop_own(loop);
    if (wake >= 0 && weir__loop_is_claimed(loop)) {
        loop->is_until_idle = false;
        return weir__loop_drive(loop, deadline_ns);
    }
    weir__loop_wake(loop, wake);
    return await(loop, deadline_ns);
}

int weir_loop_shutdown(weir_loop *loop, int64_t timeout_ns)
{
    int64_t deadline_ns = weir__clock_deadline(timeout_ns);
    bool is_mine;
    int err;

    if (loop == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    if (is_inside(loop)) {
        (void)weir__ingress_close(&loop->in, NULL, &is_mine);
        return 0;
    }
    if (timeout_ns != 0 && is_in_job_of(loop))
        return -EDEADLK;
    weir__loop_enter(loop);
    err = timeout_ns == 0 ? 0 : may_wait(loop);
    if (err == 0)
        err = end(loop, NULL, deadline_ns);
    weir__loop_exit(loop);
    return err;
}

/* The task that cancels the loop, for the first caller; NULL for the others. */
static weir_task *take_cancel(weir_loop *loop)
{
    /* relaxed: a hint; the queue publishes what came before */
    return fetch_or_relaxed(&loop->hints, WEIR__HINT_CANCELLED) &
                   WEIR__HINT_CANCELLED
               ? NULL
               : &loop->cancel;
}

int weir_loop_close(weir_loop *loop, int64_t timeout_ns)
{
    int64_t deadline_ns = weir__clock_deadline(timeout_ns);
    bool is_mine;
    int err;

    if (loop == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    if (is_inside(loop)) {
        (void)weir__ingress_close(&loop->in, take_cancel(loop), &is_mine);
        return 0;
    }
    weir__loop_enter(loop);
    err = timeout_ns == 0 ? 0 : may_wait(loop);
    if (err == 0)
        err = end(loop, take_cancel(loop), deadline_ns);
    weir__loop_exit(loop);
    return err;
}

int weir__loop_end_of_life(weir_loop *loop)
{
    enum weir__ingress_state state = weir__ingress_look(&loop->in);
    int err;

    if (is_inside(loop))
        return state == WEIR__TERMINATED ? 0 /* in `done` */ : WEIR_EREENTRANT;
    if (state == WEIR__TERMINATED)
        return await(loop, weir__thread_is_loop() ? 0 : -1) == 0 ? 0 : -EBUSY;
    if (state != WEIR__AWAKE && !weir__loop_is_claimed(loop))
        return -EBUSY;
    err = weir_loop_close(loop, -1);
    return err == -EDEADLK ? -EBUSY : err;
}
