/* SPDX-License-Identifier: MIT */
/*
 * timeout -- an abort that a timer raises, and a timer that an abort ends.
 *
 * Shape     The timer of an abort holds it, and raises it when it is due: that
 *           is all.  A timer that an abort ends has a listener there.  When it
 *           is told, on whatever thread, it sends a task to the loop, which
 *           cancels the timer and calls fn; if the loop admits no task any
 *           more, it is ending, and tells the timer so itself.
 *
 * Shared state
 *   users     any thread, atomic: the timer, and the listener               P1
 *   the rest  const after start, but for timer and is_over: the loop's thread
 *
 * Pairs
 *   P1  let_go: fetch_sub, release  -->  let_go: the last one's, acquire
 *       Hands over the memory.
 *
 * Tested by  test/unit/timeout.c
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "atomic.h"
#include "memory.h"
#include "weir/abort.h"
#include "weir/timer.h"

/* ---- an abort that a timer raises ---- */

static void on_due(void *abort, int status)
{
    (void)weir_abort_raise(abort, status == 0 ? -ETIMEDOUT : WEIR_ECANCELED);
    weir_abort_unref(abort);
}

int weir_abort_after(weir_abort **abort, weir_loop *loop, int64_t delay_ns)
{
    weir_abort *made;
    weir_timer timer;
    int err;

    if (abort == NULL || loop == NULL)
        return -EINVAL;
    err = weir_abort_new(&made);
    if (err != 0)
        return err;
    weir_abort_ref(made); /* the timer's */
    err = weir_timer_start(loop, &timer, delay_ns, WEIR_ONCE, on_due, made);
    if (err != 0) {
        weir_abort_unref(made);
        weir_abort_unref(made);
        return err;
    }
    /* It fails without memory, or if the timer is over: then it holds the loop
     * a little longer, or nothing at all. */
    (void)!weir_timer_unref(loop, timer);
    *abort = made;
    return 0;
}

/* ---- a timer that an abort ends ---- */

struct abortable {
    weir_task task; /* first: the abort's message to the loop */
    weir_listener listener;
    atomic(uint32_t) users; /* any thread, timeout/P1 */
    weir_loop *loop;
    weir_abort *abort;    /* held */
    weir_timer timer;     /* set before it can fire, or be aborted */
    atomic(bool) is_over; /* start and end: see start */
    weir_fn *fn;
    void *arg;
};

static void let_go(struct abortable *abortable)
{
    /* timeout/P1 release: our use is over
     * timeout/P1 acquire: so is the other's */
    if (fetch_sub_acq_rel(&abortable->users, 1) > 1)
        return;
    weir_abort_unref(abortable->abort);
    weir__memory_free(abortable, sizeof(*abortable));
}

/* Lets go for the listener, if it will not be told. */
static void stop_listening(struct abortable *abortable)
{
    if (weir_abort_remove(abortable->abort, &abortable->listener) == 0)
        let_go(abortable);
}

/* The loop's thread: the timer is over. */
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

/* The loop's thread: the abort was raised. */
static void on_message(weir_task *task, int status)
{
    struct abortable *abortable = (struct abortable *)task;
    bool is_mine = weir_timer_cancel(abortable->loop, abortable->timer) == 0;

    (void)status;
    let_go(abortable); /* for the listener: its message has come */
    if (is_mine)
        end(abortable, WEIR_ECANCELED); /* last: fn may raise */
}

static void on_abort(weir_listener *listener, int reason)
{
    struct abortable *abortable =
        (struct abortable *)((char *)listener -
                             offsetof(struct abortable, listener));

    (void)reason;
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
    set_unshared(&abortable->users, 3); /* timer, listener, and we */
    set_unshared(&abortable->is_over, false);
    weir_abort_ref(abort);
    err = weir_timer_start(loop, &abortable->timer, delay_ns, WEIR_ONCE,
                           on_time, abortable);
    if (err != 0) {
        weir__memory_free(abortable, sizeof(*abortable));
        weir_abort_unref(abort);
        return err;
    }
    (void)!weir_abort_listen(abort, &abortable->listener);
    /* On another thread it may be over by now, and end() has looked for the
     * listener before it was there.  The abort's lock orders both: one of us
     * finds it.  relaxed: ordered by lock/P1 */
    if (load_relaxed(&abortable->is_over))
        stop_listening(abortable);
    let_go(abortable);
    return 0;
}
