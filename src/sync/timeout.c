/* SPDX-License-Identifier: MIT */
/*
 * timeout -- an abort raised by a timer, and a timer cancelled by an abort.
 *
 * Shape     The timer of an abort holds a reference to it, and raises it on
 *           expiry.  A timer that an abort cancels has a listener on the abort.
 *           When the listener is notified, on any thread, it posts a task to
 *           the loop, which cancels the timer and calls fn.  If the loop
 *           refuses the task, it is ending, and it cancels the timer itself.
 *           A timer that is over no longer keeps the loop from being freed, so
 *           whoever uses the loop after starting one has entered it before.
 *
 * Shared state
 *   users     any thread, atomic: the timer, the listener, and start        P1
 *   timer, is_over   start, and the loop's thread
 *   the rest  const after start
 *
 * Pairs
 *   P1  let_go: fetch_sub, release  -->  let_go: the last one's, acquire
 *       Hands over the memory.
 *
 * Tested by  test/unit/sync/timeout.c
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/atomic.h"
#include "base/memory.h"
#include "loop/loop.h"
#include "weir/abort.h"
#include "weir/timer.h"

/* ---- an abort raised by a timer ---- */

static void on_due(void *abort, int status)
{
    (void)weir_abort_raise(abort, status == 0 ? -ETIMEDOUT : WEIR_ECANCELED);
    weir_abort_unref(abort);
}

/* After an error, the timer's reference is the caller's. */
static int start_unrefed(weir_loop *loop, int64_t delay_ns, weir_abort *abort)
{
    weir_timer timer;
    int err;

    err = weir_timer_start(loop, &timer, delay_ns, WEIR_TIMER_ONCE, on_due,
                           abort);
    if (err != 0)
        return err;
    err = weir_timer_unref(loop, timer);
    if (err != -ENOMEM)
        return 0; /* or it has fired already */
    return weir_timer_cancel(loop, timer) == 0 ? err : 0;
}

int weir_abort_after(weir_abort **abort, weir_loop *loop, int64_t delay_ns)
{
    weir_abort *made;
    int err;

    if (abort == NULL || loop == NULL)
        return -EINVAL;
    err = weir_abort_new(&made);
    if (err != 0)
        return err;
    weir_abort_ref(made); /* the timer's */
    weir__loop_enter(loop);
    err = start_unrefed(loop, delay_ns, made);
    weir__loop_exit(loop);
    if (err != 0) {
        weir_abort_unref(made);
        weir_abort_unref(made);
        return err;
    }
    *abort = made;
    return 0;
}

/* ---- a timer cancelled by an abort ---- */

struct abortable {
    weir_task task; /* first: the abort's message to the loop */
    weir_abort_listener listener;
    atomic(uint32_t) users; /* any thread, timeout/P1 */
    weir_loop *loop;        /* entered */
    weir_abort *abort;      /* held */
    weir_timer timer;       /* set before it can fire or be aborted */
    atomic(bool) is_over;   /* see weir_timer_start_abortable */
    weir_fn *fn;
    void *arg;
};

static void destroy(struct abortable *abortable)
{
    weir_abort_unref(abortable->abort);
    weir__loop_exit(abortable->loop);
    weir__memory_free(abortable, sizeof(*abortable));
}

static void let_go(struct abortable *abortable)
{
    /* timeout/P1 release: this thread's uses
     * timeout/P1 acquire: those of all others, if this is the last */
    if (fetch_sub_acq_rel(&abortable->users, 1) == 1)
        destroy(abortable);
}

/* Release the listener's use, unless it is being notified. */
static void stop_listening(struct abortable *abortable)
{
    if (weir_abort_remove(abortable->abort, &abortable->listener) == 0)
        let_go(abortable);
}

/* The timer has fired or was cancelled.  Thread: the loop's. */
static void end(struct abortable *abortable, int status)
{
    weir_fn *fn = abortable->fn;
    void *arg = abortable->arg;

    store_relaxed(&abortable->is_over, true); /* relaxed: ordered by lock/P1 */
    stop_listening(abortable);
    let_go(abortable);
    fn(arg, status);
}

static void on_time(void *arg, int status)
{
    end(arg, status);
}

/* The abort was raised.  Thread: the loop's. */
static void on_message(weir_task *task, int status)
{
    struct abortable *abortable = (struct abortable *)task;
    bool is_mine = weir_timer_cancel(abortable->loop, abortable->timer) == 0;

    let_go(abortable); /* the listener's use, passed on with the task */
    if (is_mine)
        end(abortable, WEIR_ECANCELED); /* last: fn may raise */
}

static void on_abort(weir_abort_listener *listener, int reason)
{
    struct abortable *abortable =
        (struct abortable *)((char *)listener -
                             offsetof(struct abortable, listener));

    if (weir_loop_post(abortable->loop, &abortable->task) != 0)
        let_go(abortable);
}

int weir_timer_start_abortable(weir_loop *loop, int64_t delay_ns,
                               weir_abort *abort, weir_fn *fn, void *arg)
{
    struct abortable *abortable;
    int err;

    if (loop == NULL || abort == NULL || fn == NULL)
        return -EINVAL;
    if (weir_abort_reason(abort) != 0)
        return WEIR_ECANCELED;
    abortable =
        weir__memory_alloc(sizeof(*abortable), _Alignof(struct abortable));
    if (abortable == NULL)
        return -ENOMEM;
    *abortable = (struct abortable){.task = {.run = on_message},
                                    .listener = {.run = on_abort},
                                    .loop = loop,
                                    .abort = abort,
                                    .fn = fn,
                                    .arg = arg};
    set_unshared(&abortable->users, 3); /* timer, listener and this function */
    set_unshared(&abortable->is_over, false);
    weir_abort_ref(abort);
    weir__loop_enter(loop);
    err = weir_timer_start(loop, &abortable->timer, delay_ns, WEIR_TIMER_ONCE,
                           on_time, abortable);
    if (err != 0) {
        destroy(abortable);
        return err;
    }
    (void)!weir_abort_listen(abort, &abortable->listener);
    /* If this is not the loop's thread, the timer may have ended by now, and
     * end() may have looked for the listener before it was added.  The
     * abort's lock orders the two: one of them removes the listener.
     * relaxed: ordered by lock/P1 */
    if (load_relaxed(&abortable->is_over))
        stop_listening(abortable);
    let_go(abortable);
    return 0;
}
