/* SPDX-License-Identifier: MIT */
/*
 * store -- see store.h.
 *
 * Tested by  test/js/jobs/jobs-*.mjs
 */
#include "jobs/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/permission.h"
#include "jobs/show.h"
#include "sqlite/connection.h"

static struct weir__js_link *stores_of(const weir_js *js)
{
    return js->states[WEIR__JS_JOBS];
}

static void unref_store(struct weir__js_store *store)
{
    if (--store->refs == 0)
        free(store);
}

/* ---- arguments ---- */

int weir__js_payload_begin(JSContext *context, JSValueConst value,
                           struct weir__js_payload *payload)
{
    struct weir__js_bytes bytes;

    *payload = (struct weir__js_payload){0};
    if (JS_IsUndefined(value))
        return 0;
    if (JS_IsString(value)) {
        payload->text = JS_ToCStringLen(context, &payload->size, value);
        payload->bytes = payload->text;
        return payload->text != NULL ? 0 : -1;
    }
    if (weir__js_bytes(context, value, &bytes) < 0)
        return -1;
    payload->bytes = bytes.data;
    payload->size = bytes.size;
    return 0;
}

void weir__js_payload_end(JSContext *context, struct weir__js_payload *payload)
{
    if (payload->text != NULL)
        JS_FreeCString(context, payload->text);
}

int weir__js_optional_text(JSContext *context, JSValueConst value,
                           const char **text)
{
    *text = NULL;
    if (JS_IsUndefined(value))
        return 0;
    *text = JS_ToCString(context, value);
    return *text != NULL ? 0 : -1;
}

static void free_text(JSContext *context, const char *text)
{
    if (text != NULL)
        JS_FreeCString(context, text);
}

JSValue weir__js_jobs_error(JSContext *context, int status, const char *reason)
{
    weir__js_throw_status_as(context, status,
                             reason[0] != '\0' ? reason : NULL);
    return JS_GetException(context);
}

/* ---- requests ---- */

struct weir__js_request *weir__js_request_make(JSContext *context,
                                               struct weir__js_store *store,
                                               weir__js_reply_fn *make)
{
    struct weir__js_request *request = malloc(sizeof(*request));

    if (request == NULL) {
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    request->promise = JS_NewPromiseCapability(context, request->functions);
    if (JS_IsException(request->promise)) {
        free(request);
        return NULL;
    }
    request->store = store;
    request->make = make;
    store->refs++;
    weir__js_list_add(&store->requests, &request->link);
    return request;
}

static void drop_functions(struct weir__js_request *request)
{
    for (int i = 0; i < 2; i++) {
        JS_FreeValue(request->store->js->context, request->functions[i]);
        request->functions[i] = JS_UNDEFINED;
    }
}

static void free_request(struct weir__js_request *request)
{
    drop_functions(request);
    weir__js_list_remove(&request->link);
    unref_store(request->store);
    free(request);
}

JSValue weir__js_request_send(JSContext *context,
                              struct weir__js_request *request, int err)
{
    JSValue promise;

    if (request == NULL)
        return JS_EXCEPTION;
    promise = request->promise; /* the answer comes in a later turn */
    if (err == 0)
        return promise;
    JS_FreeValue(context, promise);
    free_request(request);
    return weir__js_throw_status(context, err);
}

/* Settle the promise with a value, or the exception that there is no memory. */
static void settle(struct weir__js_request *request, int which, JSValue value)
{
    JSContext *context = request->store->js->context;
    JSValue result;

    if (JS_IsException(value)) {
        which = 1;
        value = JS_GetException(context);
    }
    result = JS_Call(context, request->functions[which], JS_UNDEFINED, 1,
                     (JSValueConst *)&value);
    JS_FreeValue(context, result);
    JS_FreeValue(context, value);
}

void weir__js_request_answer(void *arg, int status,
                             const weir_jobs_reply *reply)
{
    struct weir__js_request *request = arg;
    weir_js *js = request->store->js;

    if (JS_IsUndefined(request->functions[0]) || weir__js_enter(js) != 0) {
        free_request(request);
        return;
    }
    if (status == 0 || status == WEIR_EFORCED) /* of a drain: holders says it */
        settle(request, 0, request->make(js->context, reply));
    else
        settle(request, 1,
               weir__js_jobs_error(js->context, status, reply->reason));
    free_request(request);
    weir__js_leave(js);
}

/* ---- open and close ---- */

/* Take the handle out, and free it. */
static void free_handle(struct weir__js_store *store)
{
    weir_jobs *jobs = store->jobs;

    weir__js_store_forget(store);
    store->jobs = NULL;
    weir_jobs_free(jobs);
}

/* The handle is gone: let go of the object. */
static void let_go(struct weir__js_store *store)
{
    JSContext *context = store->js->context;
    JSValue values[] = {store->on_event, store->context, store->self};

    weir__js_list_remove(&store->link);
    store->on_event = store->context = store->self = JS_UNDEFINED;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        JS_FreeValue(context, values[i]);
    unref_store(store);
}

static void on_closed(void *arg, int status, const weir_jobs_reply *reply)
{
    struct weir__js_request *request = arg;
    struct weir__js_store *store = request->store;

    if (store->jobs == NULL) { /* the host has ended */
        free_request(request);
        return;
    }
    store->refs++;
    free_handle(store);
    weir__js_request_answer(request, status, reply);
    let_go(store);
    unref_store(store);
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_store *store = weir__js_opaque(js, value, WEIR__JS_JOBS);

    if (store != NULL)
        unref_store(store);
}

static const JSClassDef store_class = {.class_name = "Store",
                                       .finalizer = finalize};

struct weir__js_store *weir__js_store_of(JSContext *context, JSValueConst value)
{
    struct weir__js_store *store =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_JOBS);

    if (store == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    else if (store->jobs == NULL)
        weir__js_throw_status(context, WEIR_ECLOSED);
    else
        return store;
    return NULL;
}

static int read_options(JSContext *context, JSValueConst *argv,
                        weir_jobs_options *options)
{
    int64_t payload_limit;

    if (JS_ToInt64(context, &payload_limit, argv[2]) < 0 ||
        JS_ToInt64(context, &options->busy_ms, argv[3]) < 0)
        return -1;
    options->payload_limit = (size_t)payload_limit;
    return weir__js_optional_text(context, argv[1], &options->name);
}

static struct weir__js_store *new_store(JSContext *context, JSValueConst self)
{
    struct weir__js_store *store = calloc(1, sizeof(*store));

    if (store == NULL) {
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    store->js = weir__js_of(context);
    store->refs = 1;
    store->self = store->on_event = store->context = JS_UNDEFINED;
    weir__js_list_init(&store->requests);
    weir__js_list_init(&store->workers);
    weir__js_list_init(&store->claims);
    JS_SetOpaque(self, store);
    return store;
}

/* As jobs/work/dispatcher.c decides it: without the slashes it is refused. */
static bool is_url(const char *path)
{
    return strncasecmp(path, "postgres:", 9) == 0 ||
           strncasecmp(path, "postgresql:", 11) == 0;
}

static bool is_postgres(const char *path)
{
    return strncmp(path, "postgres://", 11) == 0 ||
           strncmp(path, "postgresql://", 13) == 0;
}

/* PostgreSQL's library chooses the server by itself, from what follows. */
static bool may_open(JSContext *context, const char *path)
{
    if (is_postgres(path))
        return weir__js_check_may(context, WEIR__JS_MAY_NET);
    if (weir__js_is_confined && !weir__js_sqlite_is_safe()) {
        JS_ThrowOutOfMemory(context);
        return false;
    }
    return weir__js_check_path(context, WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE,
                               path);
}

/* A file is opened on another thread, when the working directory may be another
 * one, so in a confined process by the name that was checked. */
static int open_jobs(struct weir__js_store *store, const char *path,
                     const weir_jobs_options *options)
{
    char *name = weir__js_is_confined && !is_url(path)
                     ? weir__js_resolve_path(path)
                     : strdup(path);
    int err = name != NULL
                  ? weir_jobs_open(&store->jobs, store->js->loop, name, options)
                  : -ENOMEM;

    free(name);
    return err;
}

static int open_handle(JSContext *context, struct weir__js_store *store,
                       JSValueConst *argv)
{
    weir_jobs_options options = {.size = sizeof(options),
                                 .arg = store,
                                 .on_event = weir__js_store_on_event};
    const char *path;
    int err;

    if (read_options(context, argv, &options) < 0)
        return -1;
    path = JS_ToCString(context, argv[0]);
    if (path != NULL && !may_open(context, path)) {
        free_text(context, options.name);
        free_text(context, path);
        return -1;
    }
    err = path != NULL ? open_jobs(store, path, &options) : 0;
    free_text(context, options.name);
    free_text(context, path);
    if (err != 0)
        weir__js_throw_status(context, err);
    return path != NULL && err == 0 ? 0 : -1;
}

/* open(path, name, payloadLimit, busy, onEvent) -> the store's object */
static JSValue open_store(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    JSValue self = JS_NewObjectClass(context, js->classes[WEIR__JS_JOBS]);
    struct weir__js_store *store;

    if (JS_IsException(self))
        return self;
    store = new_store(context, self);
    if (store == NULL || open_handle(context, store, argv) < 0) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    store->refs++; /* the handle */
    store->self = JS_DupValue(context, self);
    store->on_event = JS_DupValue(context, argv[4]);
    store->context = weir__js_context_capture(js);
    weir__js_list_add(stores_of(js), &store->link);
    return self;
}

/* close(store): a promise */
static JSValue close_store(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    struct weir__js_request *request;

    if (store == NULL)
        return JS_EXCEPTION;
    request = weir__js_request_make(context, store, weir__js_show_nothing);
    return weir__js_request_send(
        context, request,
        request != NULL ? weir_jobs_close(store->jobs, on_closed, request) : 0);
}

static int init_stores(weir_js *js)
{
    weir__js_list_init(stores_of(js));
    return 0;
}

/* Requests that were made are carried out, and jobs that are running are given
 * back. */
static void drop_stores(weir_js *js)
{
    while (!weir__js_list_is_empty(stores_of(js))) {
        struct weir__js_store *store =
            (struct weir__js_store *)stores_of(js)->next;

        for (struct weir__js_link *at = store->requests.next;
             at != &store->requests; at = at->next)
            drop_functions((struct weir__js_request *)at);
        free_handle(store);
        let_go(store);
    }
}

/* ---- requests of all kinds ---- */

static int read_after(JSContext *context, JSValueConst list,
                      weir_jobs_spec *spec)
{
    int64_t length, id;
    uint64_t *after;

    if (JS_IsUndefined(list))
        return 0;
    if (JS_GetLength(context, list, &length) < 0)
        return -1;
    after = malloc(sizeof(*after) * ((size_t)length + 1));
    if (after == NULL) {
        JS_ThrowOutOfMemory(context);
        return -1;
    }
    spec->after = after;
    spec->after_count = (size_t)length;
    for (uint32_t i = 0; i < length; i++) {
        JSValue value = JS_GetPropertyUint32(context, list, i);

        if (JS_IsException(value) || JS_ToInt64(context, &id, value) < 0) {
            JS_FreeValue(context, value);
            return -1;
        }
        after[i] = (uint64_t)id;
    }
    return 0;
}

enum { FIRST_NUMBER = 5, NUMBERS = 8 };

static int read_spec(JSContext *context, JSValueConst *argv,
                     weir_jobs_spec *spec)
{
    int64_t numbers[NUMBERS];

    for (int i = 0; i < NUMBERS; i++)
        if (JS_ToInt64(context, &numbers[i], argv[FIRST_NUMBER + i]) < 0)
            return -1;
    spec->priority = (int32_t)numbers[0];
    spec->delay_ms = numbers[1];
    spec->run_at_ms = numbers[2];
    spec->attempts = (uint32_t)numbers[3];
    spec->backoff_ms = numbers[4];
    spec->backoff_max_ms = numbers[5];
    spec->timeout_ms = numbers[6];
    spec->keep_ms = numbers[7];
    if (weir__js_optional_text(context, argv[1], &spec->queue) < 0 ||
        weir__js_optional_text(context, argv[3], &spec->key) < 0 ||
        weir__js_optional_text(context, argv[4], &spec->unique) < 0)
        return -1;
    return read_after(context, argv[FIRST_NUMBER + NUMBERS], spec);
}

static void free_spec(JSContext *context, weir_jobs_spec *spec)
{
    free_text(context, spec->queue);
    free_text(context, spec->key);
    free_text(context, spec->unique);
    free((void *)spec->after);
}

/* Add a job, or a schedule that adds it. */
static JSValue send_spec(JSContext *context, struct weir__js_store *store,
                         weir_jobs_spec *spec, JSValueConst data,
                         weir_jobs_schedule_spec *schedule)
{
    struct weir__js_request *request;
    struct weir__js_payload payload;
    JSValue result;

    request = weir__js_request_make(context, store,
                                    schedule != NULL ? weir__js_show_next
                                                     : weir__js_show_added);
    if (request == NULL)
        return JS_EXCEPTION;
    if (weir__js_payload_begin(context, data, &payload) < 0) {
        JS_FreeValue(context, request->promise);
        free_request(request);
        return JS_EXCEPTION;
    }
    spec->payload = payload.bytes;
    spec->payload_size = payload.size;
    result = weir__js_request_send(
        context, request,
        schedule != NULL ? weir_jobs_schedule(store->jobs, schedule,
                                              weir__js_request_answer, request)
                         : weir_jobs_add(store->jobs, spec,
                                         weir__js_request_answer, request));
    weir__js_payload_end(context, &payload);
    return result;
}

/* add(store, queue, payload, key, unique, priority, delay, runAt, attempts,
 * backoff, backoffMax, timeout, keep, after): a promise of [id, isNew] */
static JSValue add_job(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    weir_jobs_spec spec = {.size = sizeof(spec)};
    JSValue result = JS_EXCEPTION;

    if (store == NULL)
        return JS_EXCEPTION;
    if (read_spec(context, argv, &spec) >= 0)
        result = send_spec(context, store, &spec, argv[2], NULL);
    free_spec(context, &spec);
    return result;
}

enum { AFTER_ADD = FIRST_NUMBER + NUMBERS + 1 };

/* schedule(the arguments of add, name, cron, zone, missed): a promise of the
 * next run */
static JSValue schedule_job(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    weir_jobs_spec spec = {.size = sizeof(spec)};
    weir_jobs_schedule_spec schedule = {.size = sizeof(schedule), .job = &spec};
    JSValue result = JS_EXCEPTION;

    if (store == NULL)
        return JS_EXCEPTION;
    schedule.missed = JS_ToBool(context, argv[AFTER_ADD + 3]) > 0
                          ? WEIR_JOBS_MISSED_ONE
                          : WEIR_JOBS_MISSED_SKIP;
    if (read_spec(context, argv, &spec) >= 0 &&
        weir__js_optional_text(context, argv[AFTER_ADD], &schedule.name) >= 0 &&
        weir__js_optional_text(context, argv[AFTER_ADD + 1], &schedule.cron) >=
            0 &&
        weir__js_optional_text(context, argv[AFTER_ADD + 2], &schedule.zone) >=
            0)
        result = send_spec(context, store, &spec, argv[2], &schedule);
    free_spec(context, &spec);
    free_text(context, schedule.name);
    free_text(context, schedule.cron);
    free_text(context, schedule.zone);
    return result;
}

/* unschedule(store, queue, name) */
static JSValue unschedule(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    const char *queue = NULL, *name = NULL;
    struct weir__js_request *request = NULL;
    int err = 0;

    if (store == NULL)
        return JS_EXCEPTION;
    if (weir__js_optional_text(context, argv[1], &queue) >= 0 &&
        weir__js_optional_text(context, argv[2], &name) >= 0)
        request = weir__js_request_make(context, store, weir__js_show_nothing);
    if (request != NULL)
        err = weir_jobs_unschedule(store->jobs, queue, name,
                                   weir__js_request_answer, request);
    free_text(context, queue);
    free_text(context, name);
    return weir__js_request_send(context, request, err);
}

/* list(store, queue, state, after, most): a promise of the jobs */
static JSValue list_jobs(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    struct weir__js_request *request;
    const char *queue;
    uint32_t state, most;
    int64_t after;
    int err = 0;

    if (store == NULL || JS_ToUint32(context, &state, argv[2]) < 0 ||
        JS_ToInt64(context, &after, argv[3]) < 0 ||
        JS_ToUint32(context, &most, argv[4]) < 0 ||
        weir__js_optional_text(context, argv[1], &queue) < 0)
        return JS_EXCEPTION;
    request = weir__js_request_make(context, store, weir__js_show_jobs);
    if (request != NULL)
        err = weir_jobs_list(store->jobs, queue, (weir_jobs_state)state,
                             (uint64_t)after, most, weir__js_request_answer,
                             request);
    free_text(context, queue);
    return weir__js_request_send(context, request, err);
}

/* transfer(store, step, text): a promise of the text */
static JSValue transfer(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    struct weir__js_request *request = NULL;
    const char *step = NULL, *text = NULL;
    int err = 0;

    if (store == NULL)
        return JS_EXCEPTION;
    if (weir__js_optional_text(context, argv[1], &step) >= 0 &&
        weir__js_optional_text(context, argv[2], &text) >= 0)
        request = weir__js_request_make(context, store, weir__js_show_text);
    if (request != NULL)
        err = weir_jobs_transfer(store->jobs, step, text,
                                 weir__js_request_answer, request);
    free_text(context, step);
    free_text(context, text);
    return weir__js_request_send(context, request, err);
}

enum { GET, CANCEL };

/* get(store, id), cancel(store, id) */
static JSValue ask_job(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv, int magic)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    struct weir__js_request *request;
    int64_t id;
    int err = 0;

    if (store == NULL || JS_ToInt64(context, &id, argv[1]) < 0)
        return JS_EXCEPTION;
    request = weir__js_request_make(context, store,
                                    magic == GET ? weir__js_show_job
                                                 : weir__js_show_nothing);
    if (request != NULL)
        err = (magic == GET ? weir_jobs_get : weir_jobs_cancel)(
            store->jobs, (uint64_t)id, weir__js_request_answer, request);
    return weir__js_request_send(context, request, err);
}

/* retry(store, id or 0, queue or undefined): a promise of the number */
static JSValue retry(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    struct weir__js_request *request;
    const char *queue;
    int64_t id;
    int err = 0;

    if (store == NULL || JS_ToInt64(context, &id, argv[1]) < 0 ||
        weir__js_optional_text(context, argv[2], &queue) < 0)
        return JS_EXCEPTION;
    request = weir__js_request_make(context, store, weir__js_show_count);
    if (request != NULL)
        err = weir_jobs_retry(store->jobs, (uint64_t)id, queue,
                              weir__js_request_answer, request);
    free_text(context, queue);
    return weir__js_request_send(context, request, err);
}

enum { QUEUES, PLANS };

/* look(store), plans(store): a promise of the queues, or of the schedules */
static JSValue look(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv, int magic)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    struct weir__js_request *request;
    int err = 0;

    if (store == NULL)
        return JS_EXCEPTION;
    request = weir__js_request_make(context, store,
                                    magic == QUEUES ? weir__js_show_queues
                                                    : weir__js_show_plans);
    if (request != NULL)
        err = (magic == QUEUES ? weir_jobs_look : weir_jobs_plans)(
            store->jobs, weir__js_request_answer, request);
    return weir__js_request_send(context, request, err);
}

/* pause(store, queue, isPaused) */
static JSValue pause_queue(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    struct weir__js_request *request;
    const char *queue;
    int err = 0;

    if (store == NULL || weir__js_optional_text(context, argv[1], &queue) < 0)
        return JS_EXCEPTION;
    request = weir__js_request_make(context, store, weir__js_show_nothing);
    if (request != NULL)
        err =
            weir_jobs_pause(store->jobs, queue, JS_ToBool(context, argv[2]) > 0,
                            weir__js_request_answer, request);
    free_text(context, queue);
    return weir__js_request_send(context, request, err);
}

/* limit(store, queue, concurrency, rate, period, keyConcurrency, keyRate,
 * keyPeriod) */
static JSValue limit(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    weir_jobs_limits limits = {.size = sizeof(limits)};
    struct weir__js_request *request;
    const char *queue;
    int err = 0;

    if (store == NULL ||
        JS_ToUint32(context, &limits.concurrency, argv[2]) < 0 ||
        JS_ToUint32(context, &limits.rate, argv[3]) < 0 ||
        JS_ToInt64(context, &limits.rate_period_ms, argv[4]) < 0 ||
        JS_ToUint32(context, &limits.key_concurrency, argv[5]) < 0 ||
        JS_ToUint32(context, &limits.key_rate, argv[6]) < 0 ||
        JS_ToInt64(context, &limits.key_rate_period_ms, argv[7]) < 0 ||
        weir__js_optional_text(context, argv[1], &queue) < 0)
        return JS_EXCEPTION;
    request = weir__js_request_make(context, store, weir__js_show_nothing);
    if (request != NULL)
        err = weir_jobs_limit(store->jobs, queue, &limits,
                              weir__js_request_answer, request);
    free_text(context, queue);
    return weir__js_request_send(context, request, err);
}

/* drain(store, soft, hard): a promise of what was cut off */
static JSValue drain(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__js_store *store = weir__js_store_of(context, argv[0]);
    struct weir__js_request *request;
    int64_t soft_ms, hard_ms;
    int err = 0;

    if (store == NULL || JS_ToInt64(context, &soft_ms, argv[1]) < 0 ||
        JS_ToInt64(context, &hard_ms, argv[2]) < 0)
        return JS_EXCEPTION;
    request = weir__js_request_make(context, store, weir__js_show_holders);
    if (request != NULL)
        err = weir_jobs_drain(store->jobs, soft_ms, hard_ms,
                              weir__js_request_answer, request);
    return weir__js_request_send(context, request, err);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("open", 5, open_store),
    JS_CFUNC_DEF("close", 1, close_store),
    JS_CFUNC_DEF("add", FIRST_NUMBER + NUMBERS + 1, add_job),
    JS_CFUNC_MAGIC_DEF("get", 2, ask_job, GET),
    JS_CFUNC_MAGIC_DEF("cancel", 2, ask_job, CANCEL),
    JS_CFUNC_DEF("retry", 3, retry),
    JS_CFUNC_MAGIC_DEF("look", 1, look, QUEUES),
    JS_CFUNC_MAGIC_DEF("plans", 1, look, PLANS),
    JS_CFUNC_DEF("list", 5, list_jobs),
    JS_CFUNC_DEF("transfer", 3, transfer),
    JS_CFUNC_DEF("schedule", AFTER_ADD + 4, schedule_job),
    JS_CFUNC_DEF("unschedule", 3, unschedule),
    JS_CFUNC_DEF("pause", 3, pause_queue),
    JS_CFUNC_DEF("limit", 8, limit),
    JS_CFUNC_DEF("drain", 3, drain),
};

const struct weir__js_builtin weir__js_jobs_builtin = {
    WEIR__JS_LIBS("jobs/jobs"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &store_class,
    .state_bytes = sizeof(struct weir__js_link),
    .init = init_stores,
    .drop = drop_stores,
};
