/* SPDX-License-Identifier: MIT */
/*
 * work -- the workers of a store, and the claims of their handlers.
 *
 * Data      A worker is a block behind a JavaScript object, with its handler.
 *           A claim is a block behind the object that the handler settles.
 * Owner     A worker that was not stopped holds its object.  A claim is held by
 *           JavaScript alone: if nobody can settle it any more, because the
 *           handler's promise was collected, the attempt fails.
 * Thread    The loop's.
 * Decides   `claim`.  Whoever takes it out settles it: the program, the garbage
 *           collector, or the end of the store, which gives it back.
 *
 * Tested by  test/js/jobs/jobs-*.mjs
 */
#include <stdlib.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/property.h"
#include "core/suspended.h"
#include "jobs/show.h"
#include "jobs/store.h"

struct worker {
    struct weir__js_link link; /* in store.workers, while it works */
    struct weir__js_store *store;
    weir_jobs_worker *worker; /* NULL: stopped */
    JSValue self;             /* while it works */
    JSValue handler;          /* (claim, info) */
    JSValue context;          /* captured (core/context.h) */
};

struct claim {
    struct weir__js_link link; /* in store.claims, until it is settled */
    struct weir__js_store *store;
    weir_jobs_claim *claim; /* NULL: settled */
    weir_abort_listener listener;
    bool is_listening;
    JSValue on_abort; /* (error) */
};

/* ---- claims ---- */

/* Take the claim out, to be settled. */
static weir_jobs_claim *take_claim(struct claim *claim)
{
    weir_jobs_claim *taken = claim->claim;

    if (claim->is_listening)
        (void)weir_abort_remove(weir_jobs_claim_abort(taken), &claim->listener);
    claim->is_listening = false;
    claim->claim = NULL;
    weir__js_list_remove(&claim->link);
    return taken;
}

/* The program ends, and with it what could have settled its claims. */
static bool is_ending(const weir_js *js)
{
    enum weir_loop_state state = weir_loop_state(js->loop);

    return weir_state_load(&js->life) != 0 || state == WEIR_LOOP_TERMINATING ||
           state == WEIR_LOOP_TERMINATED;
}

/* Nobody else can settle it.  Without memory for that, the lease is renewed
 * until the store is closed, which gives it back. */
static void abandon(struct claim *claim)
{
    weir_jobs_claim *claimed = take_claim(claim);

    if (is_ending(claim->store->js))
        return;
    (void)!weir_jobs_settle(
        claimed,
        &(weir_jobs_outcome){
            .size = sizeof(weir_jobs_outcome),
            .kind = WEIR_JOBS_OUTCOME_FAILED,
            .reason = "the promise of the handler was collected: nothing could "
                      "have settled it",
        },
        NULL, NULL);
}

static void finalize_claim(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct claim *claim = weir__js_opaque(js, value, WEIR__JS_JOBS_CLAIM);

    if (claim == NULL)
        return;
    if (claim->claim != NULL)
        abandon(claim);
    JS_FreeValueRT(runtime, claim->on_abort);
    free(claim);
}

static void mark_claim(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct claim *claim = weir__js_opaque(js, value, WEIR__JS_JOBS_CLAIM);

    if (claim != NULL)
        JS_MarkValue(runtime, claim->on_abort, fn);
}

static const JSClassDef claim_class = {
    .class_name = "Claim", .finalizer = finalize_claim, .gc_mark = mark_claim};

/* Returns an exception if there is no memory. */
static JSValue new_claim(JSContext *context, struct weir__js_store *store,
                         weir_jobs_claim *claimed)
{
    weir_js *js = weir__js_of(context);
    JSValue object =
        JS_NewObjectClass(context, js->classes[WEIR__JS_JOBS_CLAIM]);
    struct claim *claim;

    if (JS_IsException(object))
        return object;
    claim = calloc(1, sizeof(*claim));
    if (claim == NULL) {
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    claim->store = store;
    claim->claim = claimed;
    claim->on_abort = JS_UNDEFINED;
    weir__js_list_add(&store->claims, &claim->link);
    JS_SetOpaque(object, claim);
    return object;
}

/* The claim behind a value.  Throws and returns NULL for any other value, and if
 * it was settled, or its store closed. */
static struct claim *claim_of(JSContext *context, JSValueConst value)
{
    struct claim *claim =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_JOBS_CLAIM);

    if (claim == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    else if (claim->claim == NULL)
        weir__js_throw_status_as(
            context, WEIR_ECLOSED,
            "the job is settled already, or its store was closed");
    else
        return claim;
    return NULL;
}

static void call(weir_js *js, JSValueConst captured, JSValueConst function,
                 int count, JSValueConst *args)
{
    JSContext *context = js->context;
    JSValue values[] = {JS_DupValue(context, captured),
                        JS_DupValue(context, function)};
    JSValue result = weir__js_context_call(js, values[0], values[1],
                                           JS_UNDEFINED, count, args);

    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, values[0]);
    JS_FreeValue(context, values[1]);
}

#define CLAIM_OF(listener_)                                                    \
    ((struct claim *)((char *)(listener_)-offsetof(struct claim, listener)))

static void on_abort(weir_abort_listener *listener, int reason)
{
    struct claim *claim = CLAIM_OF(listener);
    weir_js *js = claim->store->js;
    JSValue error;

    claim->is_listening = false;
    if (weir__js_enter(js) != 0)
        return;
    error = weir__js_jobs_error(js->context, reason, "");
    call(js, claim->store->context, claim->on_abort, 1, (JSValueConst *)&error);
    JS_FreeValue(js->context, error);
    weir__js_leave(js);
}

/* listen(claim, onAbort) */
static JSValue listen(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct claim *claim = claim_of(context, argv[0]);

    if (claim == NULL)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(claim->on_abort))
        return JS_UNDEFINED;
    claim->on_abort = JS_DupValue(context, argv[1]);
    claim->listener.run = on_abort;
    claim->is_listening = true; /* unless it is called now */
    (void)!weir_abort_listen(weir_jobs_claim_abort(claim->claim),
                             &claim->listener);
    return JS_UNDEFINED;
}

static int read_outcome(JSContext *context, JSValueConst *argv,
                        weir_jobs_outcome *outcome)
{
    int32_t kind;

    if (JS_ToInt32(context, &kind, argv[1]) < 0 ||
        JS_ToInt64(context, &outcome->delay_ms, argv[5]) < 0)
        return -1;
    outcome->kind = (weir_jobs_outcome_kind)kind;
    outcome->is_final = JS_ToBool(context, argv[4]) > 0;
    return weir__js_optional_text(context, argv[3], &outcome->reason);
}

/* Settle a claim.  If that is refused, it is as before. */
static JSValue send_outcome(JSContext *context, struct claim *claim,
                            const weir_jobs_outcome *outcome)
{
    struct weir__js_request *request =
        weir__js_request_make(context, claim->store, weir__js_show_nothing);
    int err = 0;

    if (request != NULL)
        err = weir_jobs_settle(claim->claim, outcome, weir__js_request_answer,
                               request);
    if (request != NULL && err == 0)
        (void)take_claim(claim);
    return weir__js_request_send(context, request, err);
}

/* settle(claim, kind, result, reason, isFinal, delay): a promise */
static JSValue settle(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct claim *claim = claim_of(context, argv[0]);
    weir_jobs_outcome outcome = {.size = sizeof(outcome)};
    struct weir__js_payload payload;
    JSValue result = JS_EXCEPTION;

    if (claim == NULL || read_outcome(context, argv, &outcome) < 0)
        return JS_EXCEPTION;
    if (weir__js_payload_begin(context, argv[2], &payload) == 0) {
        outcome.result = payload.bytes;
        outcome.result_size = payload.size;
        result = send_outcome(context, claim, &outcome);
        weir__js_payload_end(context, &payload);
    }
    if (outcome.reason != NULL)
        JS_FreeCString(context, outcome.reason);
    return result;
}

/* progress(claim, number): a promise */
static JSValue progress(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct claim *claim = claim_of(context, argv[0]);
    struct weir__js_request *request;
    double number;
    int err = 0;

    if (claim == NULL || JS_ToFloat64(context, &number, argv[1]) < 0)
        return JS_EXCEPTION;
    request =
        weir__js_request_make(context, claim->store, weir__js_show_nothing);
    if (request != NULL)
        err = weir_jobs_progress(claim->claim, number, weir__js_request_answer,
                                 request);
    return weir__js_request_send(context, request, err);
}

/* stackOf(promise): where its async functions are; undefined: not known */
static JSValue stack_of(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    return weir__js_suspended_stack(context, argv[0]);
}

static const JSCFunctionListEntry claim_natives[] = {
    JS_CFUNC_DEF("listen", 2, listen),
    JS_CFUNC_DEF("settle", 6, settle),
    JS_CFUNC_DEF("progress", 2, progress),
    JS_CFUNC_DEF("stackOf", 1, stack_of),
};

const struct weir__js_builtin weir__js_jobs_claim_builtin = {
    WEIR__JS_LIBS("jobs/work"),
    WEIR__JS_NATIVES(claim_natives),
    .class_definition = &claim_class,
};

/* ---- workers ---- */

static void finalize_worker(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct worker *worker = weir__js_opaque(js, value, WEIR__JS_JOBS_WORKER);

    free(worker); /* it has stopped: its values are gone */
}

static const JSClassDef worker_class = {.class_name = "Worker",
                                        .finalizer = finalize_worker};

/* Take the worker out, and let go of its values. */
static void let_go(struct worker *worker)
{
    JSContext *context = worker->store->js->context;
    JSValue values[] = {worker->handler, worker->context, worker->self};

    worker->worker = NULL;
    weir__js_list_remove(&worker->link);
    worker->handler = worker->context = worker->self = JS_UNDEFINED;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        JS_FreeValue(context, values[i]);
}

/* The engine has no memory: try again later. */
static void give_back(weir_js *js, weir_jobs_claim *claim)
{
    enum { LATER_MS = 1000 };

    JS_FreeValue(js->context, JS_GetException(js->context));
    (void)!weir_jobs_settle(claim,
                            &(weir_jobs_outcome){
                                .size = sizeof(weir_jobs_outcome),
                                .kind = WEIR_JOBS_OUTCOME_RELEASED,
                                .reason = "no memory for the job",
                                .delay_ms = LATER_MS,
                            },
                            NULL, NULL);
}

static void handle(struct worker *worker, weir_jobs_claim *claimed)
{
    weir_js *js = worker->store->js;
    JSContext *context = js->context;
    JSValue args[2] = {
        weir__js_show_info(context, weir_jobs_claim_info(claimed)),
        JS_UNDEFINED};

    if (!JS_IsException(args[0]))
        args[1] = new_claim(context, worker->store, claimed);
    if (JS_IsException(args[0]) || JS_IsException(args[1]))
        give_back(js, claimed);
    else
        call(js, worker->context, worker->handler, 2, (JSValueConst *)args);
    JS_FreeValue(context, args[0]);
    JS_FreeValue(context, args[1]);
}

static void run(void *arg, weir_jobs_claim *claimed)
{
    struct worker *worker = arg;
    weir_js *js = worker->store->js;

    if (weir__js_enter(js) != 0)
        return; /* the end of the host gives it back */
    handle(worker, claimed);
    weir__js_leave(js);
}

/* Returns 0, or -1 with an exception. */
static int start_worker(JSContext *context, struct worker *worker,
                        JSValueConst *argv)
{
    weir_jobs_worker_options options = {
        .size = sizeof(options), .arg = worker, .run = run};
    int err;

    if (JS_ToUint32(context, &options.concurrency, argv[2]) < 0 ||
        JS_ToUint32(context, &options.prefetch, argv[3]) < 0 ||
        JS_ToInt64(context, &options.lease_ms, argv[4]) < 0)
        return -1;
    options.queue = JS_ToCString(context, argv[1]);
    if (options.queue == NULL)
        return -1;
    err = weir_jobs_work(worker->store->jobs, &worker->worker, &options);
    JS_FreeCString(context, options.queue);
    if (err != 0)
        weir__js_throw_status(context, err);
    return err == 0 ? 0 : -1;
}

/* work(store, queue, concurrency, prefetch, lease, handler) -> a worker */
static JSValue work(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    weir_js *js = weir__js_of(context);
    struct worker *worker;
    JSValue self;

    if (store == NULL)
        return JS_EXCEPTION;
    self = JS_NewObjectClass(context, js->classes[WEIR__JS_JOBS_WORKER]);
    if (JS_IsException(self))
        return self;
    worker = calloc(1, sizeof(*worker));
    if (worker == NULL) {
        JS_FreeValue(context, self);
        return JS_ThrowOutOfMemory(context);
    }
    JS_SetOpaque(self, worker);
    worker->store = store;
    if (start_worker(context, worker, argv) < 0) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    worker->self = JS_DupValue(context, self);
    worker->handler = JS_DupValue(context, argv[5]);
    worker->context = weir__js_context_capture(js);
    weir__js_list_add(&store->workers, &worker->link);
    return self;
}

/* stop(worker) */
static JSValue stop(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct worker *worker =
        weir__js_opaque(weir__js_of(context), argv[0], WEIR__JS_JOBS_WORKER);

    if (worker == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    if (worker->worker != NULL) {
        weir_jobs_worker_stop(worker->worker);
        let_go(worker);
    }
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry worker_natives[] = {
    JS_CFUNC_DEF("work", 6, work),
    JS_CFUNC_DEF("stop", 1, stop),
};

const struct weir__js_builtin weir__js_jobs_worker_builtin = {
    WEIR__JS_LIBS("jobs/work"),
    WEIR__JS_NATIVES(worker_natives),
    .class_definition = &worker_class,
};

/* ---- the store ---- */

void weir__js_store_forget(struct weir__js_store *store)
{
    while (!weir__js_list_is_empty(&store->claims))
        (void)take_claim((struct claim *)store->claims.next);
    while (!weir__js_list_is_empty(&store->workers))
        let_go((struct worker *)store->workers.next);
}

void weir__js_store_on_event(void *arg, weir_jobs *jobs,
                             const weir_jobs_event *event)
{
    struct weir__js_store *store = arg;
    weir_js *js = store->js;
    JSContext *context = js->context;
    const weir_jobs_info *info =
        event->claim != NULL ? weir_jobs_claim_info(event->claim) : NULL;
    JSValue args[3];

    if (store->jobs == NULL || weir__js_enter(js) != 0)
        return;
    args[0] = JS_NewInt32(context, (int32_t)event->kind);
    args[1] = weir__js_jobs_error(context, event->status, event->reason);
    args[2] = info != NULL ? JS_NewInt64(context, (int64_t)info->token)
                           : JS_UNDEFINED;
    call(js, store->context, store->on_event, 3, (JSValueConst *)args);
    JS_FreeValue(context, args[1]);
    weir__js_leave(js);
}
