/* SPDX-License-Identifier: MIT */
/*
 * job -- promise jobs, one by one, in the loop's checkpoint.
 *
 * The engine has its own queue of jobs.  The loop has one microtask for the
 * first of them.  It runs that job and queues a microtask for the next one, or
 * runs the next one directly if neither the loop nor the host has anything to
 * do in between.  The loop's budget therefore counts each job, next-ticks run
 * only between the batches, and microtasks of C alternate with those of
 * JavaScript.
 *
 * A rejection without a handler is reported once it is certain: at the end of
 * the checkpoint.  The check waits in the loop's queues, behind the jobs and
 * next-ticks that could still add a handler, and then looks again.
 *
 * The loop has no checkpoint while no thread runs it.  In that case one task,
 * the kick, queues everything when the loop runs.  The task is part of the
 * host, so this cannot fail for lack of memory.  If there is no memory for a
 * microtask, the kick runs the first job itself, and comes again for the next.
 *
 * Tested by  test/js/core/job.c, test/js/core/rejection.c
 */
#include "core/job.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "weir/host/loop.h"

static void run_kick(weir_task *task, int status);

static void kick(weir_js *js)
{
    if (js->jobs.has_kick || !weir__js_hold(js))
        return;
    js->jobs.has_kick = true;
    js->jobs.kick.run = run_kick;
    if (weir_loop_post(js->loop, &js->jobs.kick) != 0) {
        js->jobs.has_kick =
            false; /* the loop has ended, and so has JavaScript */
        weir__js_let_go(js);
    }
}

/* Queue fn on the loop with the host as its argument. */
static bool queue(weir_js *js, bool *is_queued,
                  int (*how)(weir_loop *, weir_fn *, void *), weir_fn *fn)
{
    int err;

    if (*is_queued || !weir__js_hold(js))
        return true;
    err = how(js->loop, fn, js);
    *is_queued = err == 0;
    if (err != 0)
        weir__js_let_go(js);
    return err == 0;
}

static bool has_rejections(const weir_js *js)
{
    return !weir__js_list_is_empty(&js->rejections.unhandled) ||
           !weir__js_list_is_empty(&js->rejections.handled) ||
           js->rejections.unrecorded > 0;
}

/* Whether the next job may follow at once.  What weir__js_leave and
 * weir__js_enter take care of comes first. */
static bool goes_on(const weir_js *js)
{
    return JS_IsJobPending(js->runtime) && !has_rejections(js) &&
           !weir__js_main_has_failed(js) && js->options.time_limit_ns == 0 &&
           !js->breach.wants_shift && js->breach.culprit == NULL &&
           !js->heap.has_run_out && !weir__js_is_terminated(js) &&
           weir_loop_microtask_again(js->loop);
}

/* The reference to the host for this job also serves the next one. */
static void run_job(void *arg, int status)
{
    weir_js *js = arg;
    JSContext *context;
    bool has_more = false;

    if (status == 0 && weir__js_enter(js) == 0) {
        do {
            if (JS_ExecutePendingJob(js->runtime, &context) < 0)
                weir__js_report(js);
        } while (goes_on(js));
        weir__js_leave(js);
        has_more = JS_IsJobPending(js->runtime);
        if (has_more && weir_loop_microtask(js->loop, run_job, js) == 0)
            return;
    }
    js->jobs.has_job = false;
    if (has_more)
        kick(js); /* there was no memory */
    weir__js_let_go(js);
}

static void free_rejection(weir_js *js, struct weir__js_rejection *rejection)
{
    weir__js_list_remove(&rejection->link);
    JS_FreeValue(js->context, rejection->promise);
    JS_FreeValue(js->context, rejection->reason);
    JS_FreeValue(js->context, rejection->context);
    free(rejection);
}

static void report_handled(weir_js *js)
{
    while (!weir__js_list_is_empty(&js->rejections.handled)) {
        struct weir__js_rejection *first =
            (struct weir__js_rejection *)js->rejections.handled.next;
        JSValue promise = JS_DupValue(js->context, first->promise);

        free_rejection(js, first);
        js->on.handled(js, promise);
        JS_FreeValue(js->context, promise);
    }
}

/* Their reasons are lost and listeners cannot be asked, but a program that
 * failed must not look like one that did not. */
static void report_unrecorded(weir_js *js)
{
    if (js->rejections.unrecorded == 0)
        return;
    js->rejections.unrecorded = 0;
    js->heap.has_run_out = true;
    weir__js_report_rejection(js, JS_NULL);
}

/* Tell listeners, in the async context of the rejection. */
static void report_unhandled(weir_js *js, struct weir__js_rejection *first)
{
    JSValue promise = JS_DupValue(js->context, first->promise);
    JSValue reason = JS_DupValue(js->context, first->reason);
    JSValue before =
        weir__js_context_swap(js, JS_DupValue(js->context, first->context));
    uint32_t number = first->number;

    free_rejection(js, first);
    if (js->on.unhandled == NULL ||
        !js->on.unhandled(js, promise, reason, number))
        weir__js_report_rejection(js, reason);
    JS_FreeValue(js->context, weir__js_context_swap(js, before));
    JS_FreeValue(js->context, promise);
    JS_FreeValue(js->context, reason);
}

/* Oldest first.  Rejections caused by a report come at the end. */
static void report_rejections(weir_js *js)
{
    report_unrecorded(js);
    report_handled(js);
    while (!weir__js_list_is_empty(&js->rejections.unhandled))
        report_unhandled(
            js, (struct weir__js_rejection *)js->rejections.unhandled.next);
}

static void check_rejections(void *arg, int status)
{
    weir_js *js = arg;

    js->jobs.has_check = false;
    if (status == 0 && weir__js_enter(js) == 0) {
        if (!JS_IsJobPending(js->runtime) && js->jobs.ticks == 0)
            report_rejections(js);
        weir__js_leave(js); /* queues the check again if it was too early */
    }
    weir__js_let_go(js);
}

void weir__js_run_last_jobs(weir_js *js)
{
    JSContext *context;

    if (weir__js_enter(js) != 0)
        return;
    do {
        while (JS_IsJobPending(js->runtime))
            if (JS_ExecutePendingJob(js->runtime, &context) < 0)
                weir__js_report(js);
        report_rejections(js);
    } while (!weir__js_is_terminated(js) && JS_IsJobPending(js->runtime));
    weir__js_leave(js);
}

static void queue_all(weir_js *js)
{
    bool is_pending = JS_IsJobPending(js->runtime), is_done = true;

    if (!weir_loop_is_owner(js->loop)) {
        kick(js);
        return;
    }
    if (is_pending)
        is_done = queue(js, &js->jobs.has_job, weir_loop_microtask, run_job);
    if (has_rejections(js))
        is_done &=
            queue(js, &js->jobs.has_check,
                  !is_pending && js->jobs.ticks > 0 ? weir_loop_next_tick
                                                    : weir_loop_microtask,
                  check_rejections);
    if (!is_done)
        kick(js);
}

/* In a task instead of microtasks. */
static void run_without_memory(weir_js *js)
{
    JSContext *context;

    if (weir__js_enter(js) != 0)
        return;
    if (!JS_IsJobPending(js->runtime) && js->jobs.ticks == 0)
        report_rejections(js);
    else if (JS_ExecutePendingJob(js->runtime, &context) < 0)
        weir__js_report(js);
    weir__js_leave(js);
}

static void run_kick(weir_task *task, int status)
{
    weir_js *js = (weir_js *)((char *)task - offsetof(weir_js, jobs.kick));

    js->jobs.has_kick = false;
    if (status == 0 && !weir__js_is_terminated(js)) {
        weir__js_schedule(js);
        if (js->jobs.has_kick) /* it could not queue everything */
            run_without_memory(js);
    }
    weir__js_let_go(js);
}

/* Called after each job, so test first what is already queued. */
void weir__js_schedule(weir_js *js)
{
    if (js->has_ended)
        return;
    if (has_rejections(js) ||
        (!js->jobs.has_job && JS_IsJobPending(js->runtime)))
        queue_all(js);
}

/* Returns false if there is no memory. */
static bool add_rejection(weir_js *js, struct weir__js_link *list,
                          JSValueConst promise, JSValueConst reason)
{
    struct weir__js_rejection *rejection = malloc(sizeof(*rejection));

    if (rejection == NULL)
        return false;
    rejection->number = js->rejections.count;
    rejection->promise = JS_DupValue(js->context, promise);
    rejection->reason = JS_DupValue(js->context, reason);
    rejection->context = weir__js_context_capture(js);
    weir__js_list_add(list, &rejection->link);
    return true;
}

/* Search from both ends: promises mostly get their handlers in the order of
 * their rejections, or right away. */
static struct weir__js_rejection *find_rejection(weir_js *js,
                                                 JSValueConst promise)
{
    struct weir__js_link *old = js->rejections.unhandled.next;
    struct weir__js_link *young = js->rejections.unhandled.prev;
    const void *wanted = JS_VALUE_GET_PTR(promise);

    while (old != &js->rejections.unhandled) {
        struct weir__js_rejection *a = (struct weir__js_rejection *)old;
        struct weir__js_rejection *b = (struct weir__js_rejection *)young;

        if (JS_VALUE_GET_PTR(a->promise) == wanted)
            return a;
        if (JS_VALUE_GET_PTR(b->promise) == wanted)
            return b;
        if (old == young || old->next == young)
            return NULL;
        old = old->next;
        young = young->prev;
    }
    return NULL;
}

static void on_rejection(JSContext *context, JSValueConst promise,
                         JSValueConst reason, bool is_handled, void *arg)
{
    weir_js *js = arg;
    struct weir__js_rejection *rejection;

    if (!is_handled) {
        js->rejections.count++;
        if (!add_rejection(js, &js->rejections.unhandled, promise, reason))
            js->rejections.unrecorded++;
        return;
    }
    rejection = find_rejection(js, promise);
    if (rejection != NULL)
        free_rejection(js, rejection);
    else if (js->rejections.unrecorded > 0) /* most likely one of those */
        js->rejections.unrecorded--;
    else if (js->on.handled != NULL) /* it was reported */
        (void)!add_rejection(js, &js->rejections.handled, promise,
                             JS_UNDEFINED);
}

void weir__js_watch_rejections(weir_js *js)
{
    JS_SetHostPromiseRejectionTracker(js->runtime, on_rejection, js);
}

void weir__js_drop_rejections(weir_js *js)
{
    while (!weir__js_list_is_empty(&js->rejections.unhandled))
        free_rejection(
            js, (struct weir__js_rejection *)js->rejections.unhandled.next);
    while (!weir__js_list_is_empty(&js->rejections.handled))
        free_rejection(
            js, (struct weir__js_rejection *)js->rejections.handled.next);
}
