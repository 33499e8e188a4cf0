/* SPDX-License-Identifier: MIT */
/*
 * submit -- the ways to give work to a loop.
 *
 * Shape     A thread other than the loop's pushes a task onto the loop's MPSC
 *           queue (ingress.c).  The loop's own thread appends it to a list.  A
 *           function without a task is put into an envelope (envelope.h).
 * Roles     all functions: any thread
 *
 * Tested by  test/unit/loop/loop.c, test/model/loop/loop.c,
 *            test/stress/loop/loop.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/check.h"
#include "base/origin.h"
#include "loop/loop.h"
#include "weir/host/loop.h"

/* ---- the queue ---- */

void weir__loop_wake(weir_loop *loop, int wake)
{
    if (wake == WEIR__WAKE_FUTEX)
        weir__ingress_wake(&loop->in);
    else if (wake == WEIR__WAKE_POLLER)
        /* relaxed: ordered by ingress/P2.  The loop waits for this wake-up
         * before it closes the poller. */
        weir__poller_wake(load_relaxed(&loop->poller));
}

/* ---- recording ---- */

static void record_post(const weir_task *task, uint64_t has_woken)
{
    weir__recorder_note(WEIR_RECORD_POST, NULL, (uintptr_t)task, has_woken);
}

/* The task may have run already: only its address counts. */
__attribute__((cold, noinline)) static int
wake_recorded(weir_loop *loop, const weir_task *task, int wake)
{
    if (wake < 0)
        return weir__loop_refusal(loop);
    if (!weir__recorder_has_everything())
        record_post(task, 1);
    weir__loop_wake(loop, wake);
    return 0;
}

/* Out of line, so that posting saves no registers for it. */
__attribute__((cold, noinline)) static int
push_recorded(weir_loop *loop, weir_task *task, enum weir__sender sender)
{
    int wake;

    record_post(task, 0);
    wake = weir__ingress_push(&loop->in, task, sender);
    return wake == WEIR__WAKE_NOBODY ? 0 : wake_recorded(loop, task, wake);
}

int weir__loop_push(weir_loop *loop, weir_task *task, enum weir__sender sender)
{
    int wake;

    if (weir__recorder_has_everything())
        return push_recorded(loop, task, sender);
    wake = weir__ingress_push(&loop->in, task, sender);
    if (wake == WEIR__WAKE_NOBODY)
        return 0; /* the loop may have been freed by now */
    return wake_recorded(loop, task, wake);
}

/* ---- on the loop's own thread ---- */

static inline int append(weir_loop *loop, struct weir__tasks *list,
                         weir_task *task)
{
    weir__tasks_push(list, task);
    if (list == &loop->ready)
        weir__loop_take(loop, 1);
    return 0;
}

__attribute__((cold, noinline)) static int
append_recorded(weir_loop *loop, struct weir__tasks *list, weir_task *task)
{
    record_post(task, 0);
    return append(loop, list, task);
}

static int push_own(weir_loop *loop, struct weir__tasks *list, weir_task *task)
{
    if (loop->status != 0)
        return weir__loop_refusal(loop);
    if (weir__recorder_has_everything())
        return append_recorded(loop, list, task);
    return append(loop, list, task);
}

static struct weir__envelope *
fill_envelope(weir_loop *loop, void (*run)(weir_task *task, int status),
              weir_fn *fn, void *arg)
{
    struct weir__envelope *envelope = weir__recycler_take(&loop->envelopes);

    if (envelope != NULL) {
        envelope->task.run = run;
        envelope->task.name = NULL;
        envelope->fn = fn;
        envelope->arg = arg;
    }
    return envelope;
}

int weir__loop_push_call(weir_loop *loop,
                         void (*run)(weir_task *task, int status), weir_fn *fn,
                         void *arg, enum weir__sender sender)
{
    struct weir__envelope *envelope = fill_envelope(loop, run, fn, arg);
    int err;

    if (envelope == NULL)
        return -ENOMEM;
    err = weir__loop_push(loop, &envelope->task, sender);
    if (err != 0)
        weir__recycler_return(envelope->block);
    return err;
}

static void run_envelope(weir_task *task, int status)
{
    struct weir__call call = weir__envelope_open((struct weir__envelope *)task);

    weir__loop_show_arg(weir__thread_loop(), call.arg);
    call.fn(call.arg, status);
}

/* A probe measures how long a task waits in the queue. */
static void run_probe(weir_task *task, int status)
{
    struct weir__call call = weir__envelope_open((struct weir__envelope *)task);

    weir__loop_inner_task(weir__thread_loop());
    weir__counters_probe(weir__thread_loop()->counters, (uintptr_t)call.arg);
}

/* Called before some pushes.  A failure does not matter. */
__attribute__((cold, noinline)) static void send_probe(weir_loop *loop)
{
    uint64_t now = weir__counters_begin_probe();

    (void)weir__loop_push_call(loop, run_probe, NULL, (void *)(uintptr_t)now,
                               WEIR__OUTSIDER);
}

int weir_loop_post(weir_loop *loop, weir_task *task)
{
    int err;

    weir__origin_begin();
    if (loop == NULL || task == NULL || task->run == NULL)
        return -EINVAL;
    CHECK(weir__origin_note(task, loop, NULL),
          "weir_loop_post of a task that is posted already");
    if (weir__loop_is_local(loop)) {
        err = push_own(loop, &loop->ready, task);
    } else {
        if (loop->counters != NULL && weir__counters_wants_probe())
            send_probe(loop);
        err = weir__loop_push(loop, task, WEIR__OUTSIDER);
    }
    if (err != 0)
        (void)weir__origin_take(task);
    return err;
}

int weir_loop_post_expected(weir_loop *loop, weir_task *task)
{
    weir__origin_begin();
    if (loop == NULL || task == NULL || task->run == NULL)
        return -EINVAL;
    if (!weir__loop_is_local(loop))
        return weir_loop_post(loop, task);
    if (weir__ingress_look(&loop->in) == WEIR__TERMINATED)
        return weir__loop_refusal(loop);
    CHECK(weir__origin_note(task, loop, NULL),
          "weir_loop_post_expected of a task that is posted already");
    weir__loop_put(loop, task);
    return 0;
}

/* Append to `list` on the loop's thread; otherwise push onto the queue, where
 * `arrive` runs first. */
static int enqueue(weir_loop *loop, struct weir__tasks *list,
                   void (*arrive)(weir_task *task, int status), weir_fn *fn,
                   void *arg)
{
    bool is_mine = weir__loop_is_local(loop);
    struct weir__envelope *envelope;
    int err;

    if (!is_mine && loop->counters != NULL && weir__counters_wants_probe())
        send_probe(loop);
    envelope = fill_envelope(loop, is_mine ? run_envelope : arrive, fn, arg);
    if (envelope == NULL)
        return -ENOMEM;
    if (list == &loop->ready)
        (void)weir__origin_note(envelope, loop, NULL);
    err = is_mine ? push_own(loop, list, &envelope->task)
                  : weir__loop_push(loop, &envelope->task, WEIR__OUTSIDER);
    if (err != 0) {
        (void)weir__origin_take(envelope);
        weir__recycler_return(envelope->block);
    }
    return err;
}

int weir_loop_submit(weir_loop *loop, weir_fn *fn, void *arg)
{
    weir__origin_begin();
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    return enqueue(loop, &loop->ready, run_envelope, fn, arg);
}

int weir_loop_dispatch(weir_loop *loop, weir_fn *fn, void *arg)
{
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    if (!weir__loop_is_mine(loop)) {
        weir__origin_begin(); /* not above: weir_raise may leave fn */
        return weir_loop_submit(loop, fn, arg);
    }
    if (loop->status != 0)
        return weir__loop_refusal(loop);
    fn(arg, 0);
    return 0;
}

/* ---- immediates, and the close phase ---- */

/* Runs when an immediate from another thread has arrived: move it to its
 * list. */
static void arrive_immediate(weir_task *task, int status)
{
    task->run = run_envelope;
    weir__loop_inner_task(weir__thread_loop());
    weir__tasks_push(&weir__thread_loop()->immediates, task);
}

static void arrive_closing(weir_task *task, int status)
{
    task->run = run_envelope;
    weir__loop_inner_task(weir__thread_loop());
    weir__tasks_push(&weir__thread_loop()->closing, task);
}

int weir_loop_immediate(weir_loop *loop, weir_fn *fn, void *arg)
{
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    return enqueue(loop, &loop->immediates, arrive_immediate, fn, arg);
}

int weir_loop_on_close_phase(weir_loop *loop, weir_fn *fn, void *arg)
{
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    return enqueue(loop, &loop->closing, arrive_closing, fn, arg);
}
