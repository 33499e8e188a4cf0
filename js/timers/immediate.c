/* SPDX-License-Identifier: MIT */
/*
 * immediate -- setImmediate and process.nextTick, as pending calls of the
 * loop.
 *
 * Tested by  test/js/program/order-*.js
 */
#include <stdlib.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/lib.h"
#include "core/pending_call.h"

/* Behind an Immediate: its call, until that has run or is cleared. */
struct immediate {
    struct weir__js_pending_call *pending;
    bool is_ref;
};

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);

    free(weir__js_opaque(js, value, WEIR__JS_IMMEDIATE));
}

static const JSClassDef immediate_class = {.class_name = "Immediate",
                                           .finalizer = finalize};

/* The last argument is the Immediate.  The function gets the
 * others. */
static struct immediate *
immediate_of_call(struct weir__js_pending_call *pending)
{
    return weir__js_opaque(pending->js, pending->args[pending->count - 1],
                           WEIR__JS_IMMEDIATE);
}

static void call(struct weir__js_pending_call *pending)
{
    weir_js *js = pending->js;
    JSValue result;

    if (weir__js_enter(js) != 0)
        return;
    result = weir__js_context_call(js, pending->context, pending->function,
                                   pending->args[pending->count - 1],
                                   pending->count - 1,
                                   (JSValueConst *)pending->args);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
    weir__js_leave(js);
}

static void on_immediate(void *arg, int status)
{
    struct weir__js_pending_call *pending = arg;
    struct immediate *immediate =
        pending->js->has_ended ? NULL : immediate_of_call(pending);

    if (immediate != NULL && immediate->pending != NULL) {
        immediate->pending = NULL;
        if (status == 0)
            call(pending);
    }
    weir__js_pending_call_free(pending);
}

/* argc is at least 1. */
static JSValue new_immediate(weir_js *js, int argc, JSValueConst *argv)
{
    JSContext *context = js->context;
    JSValue self = JS_NewObjectClass(context, js->classes[WEIR__JS_IMMEDIATE]);
    struct immediate *immediate = malloc(sizeof(*immediate));
    JSValueConst *args = malloc((size_t)argc * sizeof(*args));
    int err;

    if (JS_IsException(self) || immediate == NULL || args == NULL)
        goto fail;
    for (int i = 1; i < argc; i++)
        args[i - 1] = argv[i];
    args[argc - 1] = self;
    immediate->is_ref = true;
    immediate->pending = weir__js_pending_call_new(js, argv[0], argc, args);
    if (immediate->pending == NULL)
        goto fail;
    err = weir_loop_immediate(js->loop, on_immediate, immediate->pending);
    if (err != 0) {
        weir__js_pending_call_free(immediate->pending);
        weir__js_throw_status(context, err);
        goto fail;
    }
    JS_SetOpaque(self, immediate);
    free(args);
    return self;
fail:
    if (!JS_HasException(context))
        JS_ThrowOutOfMemory(context);
    JS_FreeValue(context, self);
    free(immediate);
    free(args);
    return JS_EXCEPTION;
}

/* setImmediate(function, ...args) */
static JSValue start(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);

    return JS_IsFunction(context, argv[0])
               ? new_immediate(js, argc, argv)
               : weir__js_call_hook(js, WEIR__JS_HOOK_INVALID_CALLBACK,
                                    argv[0]);
}

/* clearImmediate(immediate); any other value has no effect. */
static JSValue clear(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct immediate *immediate =
        weir__js_opaque(weir__js_of(context), argv[0], WEIR__JS_IMMEDIATE);

    if (immediate != NULL)
        immediate->pending = NULL; /* the loop returns it without a call */
    return JS_UNDEFINED;
}

enum { REF, UNREF, HAS_REF };

/* ref(), unref(), hasRef(): only the flag changes.  An immediate is always
 * called, without a wait. */
static JSValue ref(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv, int magic)
{
    struct immediate *immediate =
        weir__js_opaque(weir__js_of(context), this_value, WEIR__JS_IMMEDIATE);

    if (immediate == NULL && !JS_IsObject(this_value))
        return JS_ThrowTypeError(context, "Illegal invocation");
    if (immediate == NULL) /* Node's have no effect on another object */
        return magic == HAS_REF ? JS_FALSE : JS_DupValue(context, this_value);
    if (magic == HAS_REF)
        return JS_NewBool(context, immediate->is_ref);
    immediate->is_ref = magic == REF;
    return JS_DupValue(context, this_value);
}

static void on_tick(void *arg, int status)
{
    struct weir__js_pending_call *pending = arg;

    pending->js->jobs.ticks--;
    if (status == 0)
        weir__js_pending_call_run(pending);
    weir__js_pending_call_free(pending);
}

static JSValue next_tick(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_pending_call *pending;

    if (!JS_IsFunction(context, argv[0]))
        return weir__js_call_hook(js, WEIR__JS_HOOK_INVALID_CALLBACK, argv[0]);
    pending = weir__js_pending_call_new(js, argv[0], argc - 1, argv + 1);
    if (!weir__js_pending_call_send(context, pending, weir_loop_next_tick,
                                    on_tick))
        return JS_EXCEPTION;
    js->jobs.ticks++;
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("setImmediate", 1, start),
    JS_CFUNC_DEF("clearImmediate", 1, clear),
    JS_CFUNC_DEF("nextTick", 1, next_tick),
};

static const JSCFunctionListEntry methods[] = {
    JS_CFUNC_MAGIC_DEF("ref", 0, ref, REF),
    JS_CFUNC_MAGIC_DEF("unref", 0, ref, UNREF),
    JS_CFUNC_MAGIC_DEF("hasRef", 0, ref, HAS_REF),
};

static int add_prototype(JSContext *context, JSValueConst native)
{
    weir_js *js = weir__js_of(context);
    JSValue proto = JS_NewObject(context);

    if (JS_IsException(proto) ||
        WEIR__JS_SET_FUNCTIONS(context, proto, methods) < 0 ||
        JS_DefinePropertyValueStr(context, native, "Immediate",
                                  JS_DupValue(context, proto), 0) < 0) {
        JS_FreeValue(context, proto);
        return -1;
    }
    JS_SetClassProto(context, js->classes[WEIR__JS_IMMEDIATE], proto);
    return 0;
}

const struct weir__js_builtin weir__js_immediate_builtin = {
    WEIR__JS_LIBS("timers/timers"),
    WEIR__JS_NATIVES(natives),
    .add = add_prototype,
    .class_definition = &immediate_class,
};
