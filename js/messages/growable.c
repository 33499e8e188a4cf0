/* SPDX-License-Identifier: MIT */
/*
 * growable -- lengths that other hosts have changed.
 *
 * js/lib/messages/growable.js keeps the list of this host's buffers, and
 * replaces the functions that return a length.  It is loaded only if such a
 * buffer exists.
 *
 * Tested by  test/js/threads/worker-growable.js
 */
#include "messages/growable.h"

#include "core/builtin.h"
#include "core/lib.h"
#include "messages/shared.h"

struct growables {
    bool has_any;     /* that other hosts share */
    uint64_t growths; /* the global count at the last sync */
};

static struct growables *growables_of(const weir_js *js)
{
    return js->states[WEIR__JS_GROWABLE];
}

int weir__js_growable_note(weir_js *js, JSValueConst buffer)
{
    JSValue result = weir__js_call_hook(js, WEIR__JS_HOOK_GROWABLE, buffer);

    if (JS_IsException(result))
        return -1;
    JS_FreeValue(js->context, result);
    growables_of(js)->has_any = true;
    js->on.entered = weir__js_growable_sync;
    return 0;
}

void weir__js_growable_sync(weir_js *js)
{
    struct growables *all = growables_of(js);
    uint64_t growths;
    JSValue result;

    if (!all->has_any)
        return;
    growths = weir__js_shared_growths();
    if (growths == all->growths)
        return;
    result = weir__js_call_hook(js, WEIR__JS_HOOK_GROWN, JS_UNDEFINED);
    if (JS_IsException(result))
        JS_FreeValue(js->context, JS_GetException(js->context));
    else
        all->growths = growths;
    JS_FreeValue(js->context, result);
}

/* length(buffer): the length of its memory, to which its own is raised. */
static JSValue shared_length(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    size_t length;
    void *data = JS_GetArrayBuffer(context, &length, argv[0]);

    return data != NULL
               ? JS_NewInt64(context,
                             (int64_t)weir__js_shared_grow(data, length))
               : JS_EXCEPTION;
}

enum { PLAIN, GROWS };

/* Call the wrapped function with a sync before it, and after it unless it
 * throws. */
static JSValue call_synced(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv, int magic,
                           JSValueConst *data)
{
    weir_js *js = weir__js_of(context);
    JSValue result;
    size_t length;
    void *memory;

    weir__js_growable_sync(js);
    result = JS_Call(context, data[0], this_value, argc, argv);
    if (JS_IsException(result))
        return result; /* a sync would run JavaScript with it pending */
    if (magic == GROWS) {
        memory = JS_GetArrayBuffer(context, &length, this_value);
        if (memory == NULL) {
            JS_FreeValue(context, result);
            return JS_EXCEPTION;
        }
        weir__js_shared_grow(memory, length);
    }
    weir__js_growable_sync(js);
    return result;
}

/* synced(function, whether it grows its `this`) */
static JSValue new_synced(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    int64_t length;

    if (JS_GetLength(context, argv[0], &length) < 0)
        return JS_EXCEPTION;
    return JS_NewCFunctionData(context, call_synced, (int)length,
                               JS_ToBool(context, argv[1]) == 1 ? GROWS : PLAIN,
                               1, argv);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("length", 1, shared_length),
    JS_CFUNC_DEF("synced", 2, new_synced),
};

const struct weir__js_builtin weir__js_growable_builtin = {
    WEIR__JS_LIBS("messages/growable"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct growables),
};
