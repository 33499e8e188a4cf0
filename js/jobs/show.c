/* SPDX-License-Identifier: MIT */
/*
 * show -- see show.h.
 *
 * js/lib/jobs/jobs.js gives the objects their classes.  Numbers are those of
 * C; payloads and results are ArrayBuffers.
 *
 * Tested by  test/js/jobs/jobs-*.mjs
 */
#include "jobs/show.h"

#include "bytes/bytes.h"
#include "core/property.h"

JSValue weir__js_show_nothing(JSContext *context, const weir_jobs_reply *reply)
{
    return JS_UNDEFINED;
}

JSValue weir__js_show_added(JSContext *context, const weir_jobs_reply *reply)
{
    JSValue pair[2] = {JS_NewInt64(context, (int64_t)reply->id),
                       JS_NewBool(context, reply->is_new)};

    return weir__js_new_array(context, 2, pair);
}

JSValue weir__js_show_count(JSContext *context, const weir_jobs_reply *reply)
{
    return JS_NewInt64(context, (int64_t)reply->count);
}

JSValue weir__js_show_text(JSContext *context, const weir_jobs_reply *reply)
{
    return JS_NewString(context, reply->text);
}

static int set_number(JSContext *context, JSValueConst object, const char *name,
                      int64_t number)
{
    return weir__js_set_property(context, object, name,
                                 JS_NewInt64(context, number));
}

/* A text that is NULL becomes undefined. */
static int set_text(JSContext *context, JSValueConst object, const char *name,
                    const char *text)
{
    return weir__js_set_property(context, object, name,
                                 text != NULL ? JS_NewString(context, text)
                                              : JS_UNDEFINED);
}

static int set_bytes(JSContext *context, JSValueConst object, const char *name,
                     const void *bytes, size_t size)
{
    return weir__js_set_property(
        context, object, name,
        size > 0 ? JS_NewArrayBufferCopy(context, bytes, size) : JS_UNDEFINED);
}

/* Return an object, unless one of its properties could not be set. */
static JSValue finish(JSContext *context, JSValue object, bool has_failed)
{
    if (!has_failed)
        return object;
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}

JSValue weir__js_show_info(JSContext *context, const weir_jobs_info *info)
{
    const struct {
        const char *name;
        int64_t number;
    } numbers[] = {
        {"id", (int64_t)info->id},
        {"token", (int64_t)info->token},
        {"state", info->state},
        {"attempt", info->attempt},
        {"attempts", info->attempts},
        {"priority", info->priority},
        {"addedAt", info->added_ms},
        {"runAt", info->run_at_ms},
        {"finishedAt", info->finished_ms},
        {"timeout", info->timeout_ms},
        {"lease", info->lease_ms},
    };
    const struct {
        const char *name, *text;
    } texts[] = {{"queue", info->queue},
                 {"key", info->key},
                 {"unique", info->unique},
                 {"owner", info->owner},
                 {"reason", info->reason}};
    JSValue object = JS_NewObject(context);
    bool has_failed = JS_IsException(object);

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && !has_failed;
         i++)
        has_failed =
            set_number(context, object, numbers[i].name, numbers[i].number) < 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts) && !has_failed; i++)
        has_failed =
            set_text(context, object, texts[i].name, texts[i].text) < 0;
    has_failed =
        has_failed ||
        weir__js_set_property(context, object, "progress",
                              JS_NewFloat64(context, info->progress)) < 0 ||
        set_bytes(context, object, "payload", info->payload,
                  info->payload_size) < 0 ||
        set_bytes(context, object, "result", info->result, info->result_size) <
            0;
    return finish(context, object, has_failed);
}

JSValue weir__js_show_job(JSContext *context, const weir_jobs_reply *reply)
{
    return weir__js_show_info(context, reply->job);
}

/* ---- lists ---- */

static JSValue show_counts(JSContext *context, const uint64_t *counts)
{
    JSValue list[WEIR_JOBS_STATES];

    for (int i = 0; i < WEIR_JOBS_STATES; i++)
        list[i] = JS_NewInt64(context, (int64_t)counts[i]);
    return weir__js_new_array(context, WEIR_JOBS_STATES, list);
}

static JSValue show_queue(JSContext *context, const weir_jobs_queue *queue)
{
    JSValue object = JS_NewObject(context);

    return finish(
        context, object,
        JS_IsException(object) ||
            set_text(context, object, "name", queue->name) < 0 ||
            weir__js_set_property(context, object, "paused",
                                  JS_NewBool(context, queue->is_paused)) < 0 ||
            set_number(context, object, "concurrency", queue->concurrency) <
                0 ||
            set_number(context, object, "rate", queue->rate) < 0 ||
            set_number(context, object, "period", queue->rate_period_ms) < 0 ||
            set_number(context, object, "oldest", queue->oldest_ms) < 0 ||
            set_number(context, object, "keyConcurrency",
                       queue->key_concurrency) < 0 ||
            set_number(context, object, "keyRate", queue->key_rate) < 0 ||
            set_number(context, object, "keyPeriod",
                       queue->key_rate_period_ms) < 0 ||
            weir__js_set_property(context, object, "jobs",
                                  show_counts(context, queue->jobs)) < 0);
}

static JSValue show_holder(JSContext *context, const weir_jobs_holder *holder)
{
    JSValue object = JS_NewObject(context);

    return finish(
        context, object,
        JS_IsException(object) ||
            set_number(context, object, "id", (int64_t)holder->id) < 0 ||
            set_number(context, object, "token", (int64_t)holder->token) < 0 ||
            set_text(context, object, "queue", holder->queue) < 0 ||
            set_number(context, object, "attempt", holder->attempt) < 0 ||
            set_number(context, object, "age", holder->age_ms) < 0);
}

static JSValue show_plan(JSContext *context, const weir_jobs_plan *plan)
{
    JSValue object = JS_NewObject(context);

    return finish(context, object,
                  JS_IsException(object) ||
                      set_text(context, object, "queue", plan->queue) < 0 ||
                      set_text(context, object, "name", plan->name) < 0 ||
                      set_text(context, object, "cron", plan->cron) < 0 ||
                      set_text(context, object, "zone", plan->zone) < 0 ||
                      set_number(context, object, "next", plan->next_ms) < 0);
}

JSValue weir__js_show_next(JSContext *context, const weir_jobs_reply *reply)
{
    return JS_NewInt64(context, reply->next_ms);
}

/* The rows of a list, each shown by a function. */
#define SHOW_ROWS(context, type, first, show)                                  \
    JSValue list = JS_NewArray(context);                                       \
    bool has_failed = JS_IsException(list);                                    \
    uint32_t i = 0;                                                            \
                                                                               \
    for (const type *row = (first); row != NULL && !has_failed;                \
         row = row->next)                                                      \
        has_failed =                                                           \
            weir__js_set_element(context, list, i++, show(context, row)) < 0;  \
    return finish(context, list, has_failed)

JSValue weir__js_show_queues(JSContext *context, const weir_jobs_reply *reply)
{
    SHOW_ROWS(context, weir_jobs_queue, reply->queues, show_queue);
}

JSValue weir__js_show_holders(JSContext *context, const weir_jobs_reply *reply)
{
    SHOW_ROWS(context, weir_jobs_holder, reply->holders, show_holder);
}

JSValue weir__js_show_jobs(JSContext *context, const weir_jobs_reply *reply)
{
    SHOW_ROWS(context, weir_jobs_info, reply->jobs, weir__js_show_info);
}

JSValue weir__js_show_plans(JSContext *context, const weir_jobs_reply *reply)
{
    SHOW_ROWS(context, weir_jobs_plan, reply->plans, show_plan);
}
