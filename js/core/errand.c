/* SPDX-License-Identifier: MIT */
/*
 * errand -- JavaScript functions that wait in the loop for their call.
 */
#include "core/errand.h"

#include <stdlib.h>

#include "core/error.h"

struct weir__js_errand *weir__js_errand_new(weir_js *js, JSValueConst function,
                                            int count, JSValueConst *args)
{
    struct weir__js_errand *errand =
        malloc(sizeof(*errand) + (size_t)count * sizeof(JSValue));

    if (errand == NULL || !weir__js_hold(js)) {
        free(errand);
        JS_ThrowOutOfMemory(js->context);
        return NULL;
    }
    errand->js = js;
    errand->function = JS_DupValue(js->context, function);
    errand->count = count;
    for (int i = 0; i < count; i++)
        errand->args[i] = JS_DupValue(js->context, args[i]);
    weir__js_list_add(&js->errands, &errand->link);
    return errand;
}

static void drop(struct weir__js_errand *errand)
{
    JSContext *context = errand->js->context;

    weir__js_list_remove(&errand->link);
    JS_FreeValue(context, errand->function);
    for (int i = 0; i < errand->count; i++)
        JS_FreeValue(context, errand->args[i]);
}

void weir__js_errand_free(struct weir__js_errand *errand)
{
    weir_js *js = errand->js;

    if (!js->has_ended)
        drop(errand);
    free(errand);
    weir__js_let_go(js);
}

bool weir__js_errand_send(JSContext *context, struct weir__js_errand *errand,
                          int (*how)(weir_loop *, weir_fn *, void *),
                          weir_fn *fn)
{
    int err;

    if (errand == NULL)
        return false;
    err = how(errand->js->loop, fn, errand);
    if (err == 0)
        return true;
    weir__js_errand_free(errand);
    weir__js_throw_status(context, err);
    return false;
}

void weir__js_drop_errands(weir_js *js)
{
    while (!weir__js_list_is_empty(&js->errands))
        drop((struct weir__js_errand *)js->errands.next);
}

void weir__js_errand_call(struct weir__js_errand *errand)
{
    weir_js *js = errand->js;
    JSValue result;

    if (weir__js_enter(js) != 0)
        return;
    result = JS_Call(js->context, errand->function, JS_UNDEFINED, errand->count,
                     (JSValueConst *)errand->args);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
    weir__js_leave(js);
}
