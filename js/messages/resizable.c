/* SPDX-License-Identifier: MIT */
/*
 * resizable -- the engine's own getters, taken from the prototypes before any
 * JavaScript runs.
 *
 * Tested by  test/js/messages/clone-changed.js
 */
#include "messages/resizable.h"

#include <errno.h>

#include "core/builtin.h"

struct getters {
    JSValue can_resize, max_length;
};

/* The getters of ArrayBuffer, then those of SharedArrayBuffer. */
static struct getters *getters_of(const weir_js *js, bool is_shared)
{
    return (struct getters *)js->states[WEIR__JS_RESIZABLE] + is_shared;
}

static JSValue take_getter(JSContext *context, JSValueConst prototype,
                           const char *name)
{
    JSPropertyDescriptor found;
    JSAtom atom = JS_NewAtom(context, name);
    int has = atom == JS_ATOM_NULL
                  ? -1
                  : JS_GetOwnProperty(context, &found, prototype, atom);

    JS_FreeAtom(context, atom);
    if (has <= 0)
        return JS_EXCEPTION;
    JS_FreeValue(context, found.setter);
    JS_FreeValue(context, found.value);
    return found.getter;
}

static void take_getters(JSContext *context, struct getters *getters,
                         const char *class_name, const char *can_resize)
{
    JSValue global = JS_GetGlobalObject(context);
    JSValue class = JS_GetPropertyStr(context, global, class_name);
    JSValue prototype = JS_GetPropertyStr(context, class, "prototype");

    getters->can_resize = take_getter(context, prototype, can_resize);
    getters->max_length = take_getter(context, prototype, "maxByteLength");
    JS_FreeValue(context, prototype);
    JS_FreeValue(context, class);
    JS_FreeValue(context, global);
}

static void drop_getters(weir_js *js)
{
    for (int i = 0; i < 2; i++) {
        JS_FreeValue(js->context, getters_of(js, i)->can_resize);
        JS_FreeValue(js->context, getters_of(js, i)->max_length);
    }
}

static int init_getters(weir_js *js)
{
    struct getters *own = getters_of(js, false), *shared = getters_of(js, true);

    take_getters(js->context, own, "ArrayBuffer", "resizable");
    take_getters(js->context, shared, "SharedArrayBuffer", "growable");
    if (!JS_IsException(own->can_resize) && !JS_IsException(own->max_length) &&
        !JS_IsException(shared->can_resize) &&
        !JS_IsException(shared->max_length))
        return 0;
    drop_getters(js);
    return -ENOMEM;
}

int weir__js_resizable_max(weir_js *js, JSValueConst buffer, bool is_shared,
                           size_t *max)
{
    const struct getters *getters = getters_of(js, is_shared);
    JSContext *context = js->context;
    JSValue value = JS_Call(context, getters->can_resize, buffer, 0, NULL);
    uint64_t length;

    *max = 0;
    if (!JS_IsBool(value) || !JS_VALUE_GET_BOOL(value))
        return JS_IsException(value) ? -1 : 0;
    value = JS_Call(context, getters->max_length, buffer, 0, NULL);
    if (JS_IsException(value) || JS_ToIndex(context, &length, value) < 0)
        return -1;
    *max = length;
    return 0;
}

const struct weir__js_builtin weir__js_resizable_builtin = {
    .state_bytes = 2 * sizeof(struct getters),
    .init = init_getters,
    .drop = drop_getters,
};
