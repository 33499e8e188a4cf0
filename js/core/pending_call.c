/* SPDX-License-Identifier: MIT */
/*
 * pending_call -- JavaScript functions that wait in the loop for their call.
 */
#include "core/pending_call.h"

#include <stdlib.h>

#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"

struct weir__js_pending_call *weir__js_pending_call_new(weir_js *js,
                                                        JSValueConst function,
                                                        int count,
                                                        JSValueConst *args)
{
    struct weir__js_pending_call *pending =
        malloc(sizeof(*pending) + (size_t)count * sizeof(JSValue));

    if (pending == NULL || !weir__js_hold(js)) {
        free(pending);
        JS_ThrowOutOfMemory(js->context);
        return NULL;
    }
    pending->js = js;
    pending->function = JS_DupValue(js->context, function);
    pending->context = weir__js_context_capture(js);
    pending->count = count;
    for (int i = 0; i < count; i++)
        pending->args[i] = JS_DupValue(js->context, args[i]);
    weir__js_list_add(&js->pending_calls, &pending->link);
    return pending;
}

static void drop(struct weir__js_pending_call *pending)
{
    JSContext *context = pending->js->context;

    weir__js_list_remove(&pending->link);
    JS_FreeValue(context, pending->function);
    JS_FreeValue(context, pending->context);
    for (int i = 0; i < pending->count; i++)
        JS_FreeValue(context, pending->args[i]);
}

void weir__js_pending_call_free(struct weir__js_pending_call *pending)
{
    weir_js *js = pending->js;

    if (!js->has_ended)
        drop(pending);
    free(pending);
    weir__js_let_go(js);
}

bool weir__js_pending_call_send(JSContext *context,
                                struct weir__js_pending_call *pending,
                                int (*how)(weir_loop *, weir_fn *, void *),
                                weir_fn *fn)
{
    int err;

    if (pending == NULL)
        return false;
    err = how(pending->js->loop, fn, pending);
    if (err == 0)
        return true;
    weir__js_pending_call_free(pending);
    weir__js_throw_status(context, err);
    return false;
}

void weir__js_drop_pending_calls(weir_js *js)
{
    while (!weir__js_list_is_empty(&js->pending_calls))
        drop((struct weir__js_pending_call *)js->pending_calls.next);
}

void weir__js_pending_call_run(struct weir__js_pending_call *pending)
{
    weir_js *js = pending->js;
    JSValue result;

    if (weir__js_enter(js) != 0)
        return;
    result = weir__js_context_call(js, pending->context, pending->function,
                                   JS_UNDEFINED, pending->count,
                                   (JSValueConst *)pending->args);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
    weir__js_leave(js);
}
