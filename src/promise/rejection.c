/* SPDX-License-Identifier: MIT */
/*
 * rejection -- unhandled rejections, and rejections caused by a loop's end.
 *
 * A promise that is rejected while nothing waits for it is noted.  It is
 * reported when the checkpoint's queues are empty, because a handler may still
 * be attached until then.  A promise that waits for it takes over the
 * responsibility, with or without a handler: `then(f, NULL)` passes the
 * rejection on to the promise it creates, which is noted in turn.  So a
 * rejection is reported once, for the last promise in the chain.
 *
 * The calls of another thread arrive one by one, each as a task followed by a
 * checkpoint, and the handler may be in the next task.  So a promise that
 * another thread has created is reported only after all tasks that arrived with
 * it have run.
 *
 * The end.  After the timers are cancelled, a pass rejects all PENDING
 * promises; those that wait for them follow by themselves, including their
 * handlers.  If none is PENDING, the unsettled promises follow each other in a
 * cycle, and a pass rejects all that follow.  A handler may have closed another
 * cycle by then, so passes are repeated until one settles nothing.  A promise
 * that is still left is about to be settled by another thread: the loop waits
 * for its message, and makes another pass.  In this phase, rejections with
 * WEIR_ECANCELED are caused by the end and are not reported.
 *
 * Everything here runs on the loop's thread.
 *
 * Tested by  test/unit/promise/promise_rejection.c,
 *            test/unit/promise/promise_end.c
 */
#include <stdio.h>

#include "promise/promise.h"

void weir__promise_list_push(struct weir__promise_list *list,
                             weir_promise *promise)
{
    promise->next = NULL;
    if (list->first == NULL)
        list->first = promise;
    else
        list->last->next = promise;
    list->last = promise;
}

static weir_promise *pop(struct weir__promise_list *list)
{
    weir_promise *promise = list->first;

    if (promise != NULL)
        list->first = promise->next;
    return promise;
}

/* ---- reporting ---- */

/* Whether the end of the loop has rejected it. */
static bool is_cancelled(const weir_promise *promise)
{
    return weir__promise_is_refused(promise->loop) &&
           weir__promise_value(promise)->code == WEIR_ECANCELED;
}

void weir__rejection_note(weir_promise *promise)
{
    struct weir__promises *all = weir__promises_of(promise);

    if (promise->flags & WEIR__NOTED || is_cancelled(promise))
        return;
    promise->flags |= WEIR__NOTED;
    weir__promise_hold(promise);
    if (promise->flags & WEIR__SINGLE &&
        !weir__tasks_is_empty(&promise->loop->batch)) {
        weir__promise_list_push(&all->late, promise);
        return;
    }
    weir__promise_list_push(&all->noted, promise);
    all->wants_checkpoint = true;
}

static void after_tasks(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;
    weir_promise *promise;

    while ((promise = pop(&all->late)) != NULL)
        weir__promise_list_push(&all->noted, promise);
    all->wants_checkpoint = true;
    weir__loop_begin_other(loop, WEIR_KIND_MICROTASK, "promises");
    weir__loop_end(loop);
}

static void print(const weir_loop *loop, const weir_rejection *what)
{
    if (!what->is_handled)
        fprintf(stderr, "weir: unhandled rejection in %s: %s (%s)\n",
                loop->options.name != NULL ? loop->options.name : "a promise",
                weir_error_text(what->code), weir_error_name(what->code));
}

/* Whether on_rejection must be called: the promise is unhandled and was not
 * reported, or was reported and is handled since. */
static bool is_news(const weir_promise *promise)
{
    return !(promise->flags & WEIR__HANDLED) == !(promise->flags & WEIR__TOLD);
}

static void tell(weir_loop *loop, weir_promise *promise)
{
    weir_rejection what = {
        .promise = promise,
        .code = weir__promise_value(promise)->code,
        .is_handled = (promise->flags & WEIR__HANDLED) != 0,
    };

    promise->flags |= WEIR__TOLD;
    if (loop->options.on_rejection != NULL)
        loop->options.on_rejection(loop->options.arg, loop, &what);
    else
        print(loop, &what);
}

/* Release the promise that was reported.  It is in `telling`, not on the stack,
 * because on_rejection may have left by weir_raise. */
static void end_telling(struct weir__promises *all)
{
    weir_promise *promise = all->telling;

    all->telling = NULL;
    if (promise != NULL)
        weir__promise_drop(promise);
}

static void checkpoint(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;
    weir_promise *promise = pop(&all->stranded);

    end_telling(all);
    if (promise != NULL) {
        weir__promise_run_job(promise, loop->status);
        return; /* it may have queued microtasks, which come first */
    }
    promise = pop(&all->noted);
    if (promise != NULL) {
        promise->flags &= (uint8_t)~WEIR__NOTED;
        all->telling = promise;
        if (is_news(promise))
            tell(loop, promise);
        end_telling(all);
    }
    all->wants_checkpoint =
        all->stranded.first != NULL || all->noted.first != NULL;
}

/* ---- the end ---- */

static void cancel_pending(weir_promise *promise)
{
    (void)weir__promise_finish(promise, WEIR__PENDING, WEIR__REJECTED,
                               &weir__cancelled);
}

/* Reject a promise that follows another, unless it got its job
 * during this pass. */
static void cancel_following(weir_promise *promise)
{
    if (promise->job == WEIR__JOB_ADOPT && promise->from == NULL)
        (void)weir__promise_finish(promise, WEIR__BOUND, WEIR__REJECTED,
                                   &weir__cancelled);
}

/* Make one pass.  Cycles can be detected only when no callback is pending.
 * Returns whether it has settled any promise. */
static bool reject_some(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;
    int64_t before = all->unsettled;

    weir__promise_each(loop, cancel_pending);
    if (all->unsettled == before && weir__loop_is_quiet(loop))
        weir__promise_each(loop, cancel_following);
    return all->unsettled < before;
}

/* A pass is a callback like any other, followed by a checkpoint. */
static void reject(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;

    weir__loop_begin_other(loop, WEIR_KIND_MICROTASK, "promises");
    weir__loop_show_arg(loop, NULL);
    all->stuck_at = 0;
    if (!reject_some(loop) && weir__loop_is_quiet(loop))
        all->stuck_at = load_relaxed(&loop->run) + 1; /* relaxed: own */
    weir__loop_end(loop);
}

/* From here on the thread that holds the loop's lock takes the role of the
 * loop's thread.  The loop's memory is kept for the promises that are
 * still referenced. */
static void end(weir_loop *loop, bool is_over)
{
    plain_store(&loop->promises.is_over, is_over);
    if (loop->promises.live == 0)
        return;
    if (is_over)
        weir__loop_enter(loop);
    else
        weir__loop_exit(loop);
}

static void destroy(weir_loop *loop)
{
    weir__promise_alloc_fini(loop);
    weir__promisify_fini(loop);
    weir__promise_ids_fini(loop);
}

const struct weir__promise_hooks weir__promise_hooks = {
    .checkpoint = checkpoint,
    .after_tasks = after_tasks,
    .raised = weir__promise_raised,
    .reject = reject,
    .show_jobs = weir__promisify_show,
    .end = end,
    .destroy = destroy,
};
