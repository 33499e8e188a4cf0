/* SPDX-License-Identifier: MIT */
/*
 * rejection -- those that nobody handles; and those that the end of a loop makes.
 *
 * A promise that is rejected with nobody waiting for it is noted.  It is
 * told of when the checkpoint's queues are empty: until then a handler may
 * still come.  Whoever waits for a promise takes the matter over, with or
 * without a handler for it: `then(f, NULL)` gives the same rejection to the
 * promise that it makes, and that one is noted in its turn.  So one rejection
 * is told of once, and for the promise that is last in the chain.
 *
 * What another thread does comes call by call, each a task with a checkpoint
 * behind it; a handler may be in the next one.  So promises that another thread
 * has made are told of when all that has come with them has run.
 *
 * The end.  After the timers are cancelled, a pass rejects all that are PENDING;
 * what waits for them follows by itself, handlers included.  Where none is
 * PENDING, what is not settled follows itself in a circle: a pass rejects all
 * that follow.  A handler may have closed one more circle by then, so there are
 * passes until one finds nothing to settle.  What is left another thread is
 * about to settle: its letter is waited for, and there is a pass after it.
 * Rejections with WEIR_ECANCELED are then nobody's fault, and are not told of.
 *
 * All of this is the loop's thread's.
 *
 * Tested by  test/unit/promise_rejection.c, test/unit/promise_end.c
 */
#include <stdio.h>

#include "promise.h"

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

/* ---- telling ---- */

/* By the end of the loop: nobody's fault. */
static bool is_cancelled(const weir_promise *promise)
{
    return (promise->loop->promises.is_closed || promise->loop->status != 0) &&
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

/* News for on_rejection: unhandled and not told, or told and handled since. */
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

/* on_rejection may have left by weir_raise: what it was told of is in
 * `telling`, not on the stack. */
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
        return; /* it may have queued something that comes first */
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

/* Unless it has got its job meanwhile, in this pass. */
static void cancel_following(weir_promise *promise)
{
    if (promise->job == WEIR__JOB_ADOPT && promise->from == NULL)
        (void)weir__promise_finish(promise, WEIR__BOUND, WEIR__REJECTED,
                                   &weir__cancelled);
}

/* Circles are known when nothing is about to be called.  Returns whether it
 * has settled any. */
static bool reject_some(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;
    int64_t before = all->unsettled;

    weir__promise_each(loop, cancel_pending);
    if (all->unsettled == before && weir__loop_is_quiet(loop))
        weir__promise_each(loop, cancel_following);
    return all->unsettled < before;
}

/* A pass is a callback like others, with a checkpoint behind it. */
static void wind(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;

    if (all->is_closed && !weir__loop_is_quiet(loop))
        return;
    all->is_closed = true;
    if (all->unsettled == 0)
        return;
    weir__loop_begin_other(loop, WEIR_KIND_MICROTASK, "promises");
    weir__loop_show_arg(loop, NULL);
    all->stuck_at = 0;
    if (!reject_some(loop) && weir__loop_is_quiet(loop))
        all->stuck_at = load_relaxed(&loop->run) + 1; /* relaxed: own */
    weir__loop_end(loop);
}

/* From here on whoever has the loop's lock is in the place of its thread; the
 * memory of the loop stays for the promises that are out. */
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
    weir__nursery_fini(loop);
    weir__promisify_fini(loop);
    weir__registry_fini(loop);
}

const struct weir__promise_hooks weir__promise_hooks = {
    .checkpoint = checkpoint,
    .after_tasks = after_tasks,
    .raised = weir__promise_raised,
    .wind = wind,
    .show_jobs = weir__promisify_show,
    .end = end,
    .destroy = destroy,
};
