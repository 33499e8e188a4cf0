/* SPDX-License-Identifier: MIT */
/*
 * seat -- a worker's place at a pool's board (a shared queue), and the tasks it
 * takes there.
 *
 * A seat (a worker's registration as a taker) belongs to the worker's host and
 * is used only on its thread, so that the taker's deques have one owner.  The
 * host holds it until the host ends; then the seat leaves the board, and the
 * next worker in that slot continues with the tasks that were left.
 *
 * A waker notifies the slot's mailbox, from any thread.  The notification may
 * come late and find no worker, or a different one.  Then it has no effect, or
 * is spurious.
 *
 * Tested by  test/js/threads/pool-*.mjs, test/js/threads/pool.c
 */
#include <stdlib.h>

#include "core/class.h"
#include "core/error.h"
#include "messages/mailbox.h"
#include "threads/tasks.h"
#include "weir/loop.h"

struct seat {
    struct weir__js_pool *pool;
    struct weir__js_slot *slot;
    uint32_t at;
    weir_js *js;
    JSValue work;
};

static void finalize_seat(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct seat *seat = weir__js_opaque(js, value, WEIR__JS_SEAT);

    if (seat == NULL)
        return;
    weir__js_mailbox_detach(seat->slot->mailbox);
    weir_board_leave(seat->pool->board, seat->at);
    weir_loop_unref(js->loop);
    JS_FreeValueRT(runtime, seat->work);
    weir__js_pool_leave(seat->pool, seat->at);
    free(seat);
}

static void mark_seat(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct seat *seat = weir__js_opaque(js, value, WEIR__JS_SEAT);

    if (seat != NULL)
        JS_MarkValue(runtime, seat->work, fn);
}

const JSClassDef weir__js_seat_class = {
    .class_name = "PoolSeat", .finalizer = finalize_seat, .gc_mark = mark_seat};

/* Handle a notification. */
static void serve(void *arg)
{
    struct seat *seat = arg;
    weir_js *js = seat->js;
    JSContext *context = js->context;
    JSValue work, result;

    if (weir__js_enter(js) != 0)
        return;
    work = JS_DupValue(context, seat->work);
    result = JS_Call(context, work, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, work);
    weir__js_leave(js);
}

JSValue weir__js_pool_sit(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct seat *seat;
    struct weir__js_pool *pool;
    JSValue object;
    uint32_t number, at;

    (void)this_value;
    (void)argc;
    if (JS_ToUint32(context, &number, argv[0]) < 0 ||
        JS_ToUint32(context, &at, argv[1]) < 0)
        return JS_EXCEPTION;
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_SEAT]);
    seat = malloc(sizeof(*seat));
    if (JS_IsException(object) || seat == NULL) {
        JS_FreeValue(context, object);
        free(seat);
        return JS_ThrowOutOfMemory(context);
    }
    pool = weir__js_pool_enter(number, at);
    if (pool == NULL) {
        JS_FreeValue(context, object);
        free(seat);
        return JS_UNDEFINED;
    }
    *seat = (struct seat){pool, &pool->slots[at], at, js,
                          JS_DupValue(context, argv[2])};
    JS_SetOpaque(object, seat);
    weir_loop_ref(js->loop);
    weir__js_mailbox_attach(seat->slot->mailbox, js, serve, seat);
    return object;
}

JSValue weir__js_pool_take(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct seat *seat =
        weir__js_opaque(weir__js_of(context), argv[0], WEIR__JS_SEAT);
    JSValue values[4] = {JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED,
                         JS_UNDEFINED};
    struct weir__js_task *task;

    (void)this_value;
    (void)argc;
    if (seat == NULL)
        return JS_UNDEFINED;
    task = (struct weir__js_task *)weir_board_take(seat->pool->board, seat->at);
    seat->slot->running =
        task != NULL ? task->id : (struct weir__js_task_id){0, 0};
    if (task == NULL)
        return JS_UNDEFINED;
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
    return JS_NewArrayFrom(context, 4, values);
}
