/* SPDX-License-Identifier: MIT */
/*
 * pool_worker -- a worker as a taker of its pool's queue, and the tasks that it
 * takes.
 *
 * The struct belongs to the worker's host and is used only on its thread, so
 * that the taker's deques have one owner.  The host holds it until the host
 * ends; then the worker leaves its slot, and the next worker in that slot
 * continues with the tasks that were left.
 *
 * A waker notifies the slot's mailbox, from any thread.  The notification may
 * come late and find no worker, or a different one.  Then it has no effect, or
 * is spurious.
 *
 * Tested by  test/js/threads/pool-*.mjs, test/js/threads/pool.c
 */
#include <stdlib.h>

#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/property.h"
#include "core/visible.h"
#include "messages/mailbox.h"
#include "threads/pool_queue.h"
#include "weir/loop.h"

struct pool_worker {
    struct weir__js_pool *pool;
    struct weir__js_slot *slot;
    uint32_t at;
    weir_js *js;
    JSValue work;
};

static void finalize_worker(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct pool_worker *worker =
        weir__js_opaque(js, value, WEIR__JS_POOL_WORKER);

    if (worker == NULL)
        return;
    weir__js_mailbox_detach(worker->slot->mailbox);
    weir_board_leave(worker->pool->board, worker->at);
    weir_loop_unref(js->loop);
    JS_FreeValueRT(runtime, worker->work);
    weir__js_pool_leave(worker->pool, worker->at);
    free(worker);
}

static void mark_worker(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct pool_worker *worker =
        weir__js_opaque(js, value, WEIR__JS_POOL_WORKER);

    if (worker != NULL)
        JS_MarkValue(runtime, worker->work, fn);
}

static const JSClassDef pool_worker_class = {.class_name = "PoolWorker",
                                             .finalizer = finalize_worker,
                                             .gc_mark = mark_worker};

/* Handle a notification. */
static void serve(void *arg)
{
    struct pool_worker *worker = arg;
    weir_js *js = worker->js;
    JSContext *context = js->context;
    JSValue work, result;

    if (weir__js_enter(js) != 0)
        return;
    work = JS_DupValue(context, worker->work);
    result = JS_Call(context, work, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, work);
    weir__js_leave(js);
}

JSValue weir__js_pool_join(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct pool_worker *worker;
    struct weir__js_pool *pool;
    JSValue object;
    uint32_t number, at;

    if (JS_ToUint32(context, &number, argv[0]) < 0 ||
        JS_ToUint32(context, &at, argv[1]) < 0)
        return JS_EXCEPTION;
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_POOL_WORKER]);
    worker = malloc(sizeof(*worker));
    if (JS_IsException(object) || worker == NULL) {
        JS_FreeValue(context, object);
        free(worker);
        return JS_ThrowOutOfMemory(context);
    }
    pool = weir__js_pool_enter(number, at);
    if (pool == NULL) {
        JS_FreeValue(context, object);
        free(worker);
        return JS_UNDEFINED;
    }
    *worker = (struct pool_worker){pool, &pool->slots[at], at, js,
                                   JS_DupValue(context, argv[2])};
    JS_SetOpaque(object, worker);
    weir_loop_ref(js->loop);
    weir__js_mailbox_attach(worker->slot->mailbox, js, serve, worker);
    return object;
}

JSValue weir__js_pool_take(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct pool_worker *worker =
        weir__js_opaque(weir__js_of(context), argv[0], WEIR__JS_POOL_WORKER);
    JSValue values[4] = {JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED,
                         JS_UNDEFINED};
    struct weir__js_task *task;

    if (worker == NULL)
        return JS_UNDEFINED;
    weir__js_visit(context, "pool take");
    task = (struct weir__js_task *)weir_board_take(worker->pool->board,
                                                   worker->at);
    worker->slot->running =
        task != NULL ? task->id : (struct weir__js_task_id){0, 0};
    if (task == NULL)
        return JS_UNDEFINED;
    weir__js_note_receipt(task);
    values[0] = JS_NewUint32(context, task->id.number);
    values[1] = JS_NewInt64(context, (int64_t)task->id.serial);
    values[2] = weir__js_message_read(context, task->args, NULL);
    if (JS_IsException(values[2])) {
        values[2] = JS_UNDEFINED;
        values[3] = JS_GetException(context);
    }
    weir__js_message_free(task->args);
    task->args = NULL;
    weir__js_task_release(task);
    return weir__js_new_array(context, 4, values);
}

const struct weir__js_builtin weir__js_pool_worker_builtin = {
    .class_definition = &pool_worker_class,
};
