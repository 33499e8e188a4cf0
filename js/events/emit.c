/* SPDX-License-Identifier: MIT */
/*
 * emit -- EventEmitter.prototype.emit, which streams call for each chunk.
 *
 * `_events` of an emitter has a listener for each name, or an array of several.
 * js/lib/events/events.js replaces an array when it changes, so that the one
 * that is in use here stays as it is.  The rare cases are functions of that
 * file: `error` events, and promises that listeners return.
 *
 * Tested by  test/js/events/events-*.js
 */
#include "core/builtin.h"

struct events {
    JSAtom events, error, capture; /* of names and a symbol; 0: not yet */
    JSValue before_error, watch;
};

static struct events *events_of(const weir_js *js)
{
    return js->states[WEIR__JS_EVENTS];
}

/* Returns whether promises that the emitter's listeners return are watched, or
 * -1 with an exception. */
static int captures(JSContext *context, JSValueConst emitter, JSAtom capture)
{
    JSValue value = JS_GetProperty(context, emitter, capture);
    int result = JS_IsException(value) ? -1 : JS_ToBool(context, value);

    JS_FreeValue(context, value);
    return result;
}

/* Call watch(emitter, result, type, args).  Returns 0, or -1 with an
 * exception. */
static int watch(JSContext *context, const struct events *events,
                 JSValueConst emitter, JSValueConst result, int argc,
                 JSValueConst *argv)
{
    JSValue list = JS_NewArray(context), value;
    JSValueConst args[] = {emitter, result, argv[0], list};

    if (JS_IsException(list))
        return -1;
    for (int i = 1; i < argc; i++)
        if (JS_DefinePropertyValueUint32(context, list, (uint32_t)(i - 1),
                                         JS_DupValue(context, argv[i]),
                                         JS_PROP_C_W_E) < 0) {
            JS_FreeValue(context, list);
            return -1;
        }
    value = JS_Call(context, events->watch, JS_UNDEFINED, 4, args);
    JS_FreeValue(context, list);
    JS_FreeValue(context, value);
    return JS_IsException(value) ? -1 : 0;
}

/* Returns 0, or -1 with an exception. */
static int call_listener(JSContext *context, JSValueConst listener,
                         JSValueConst emitter, int argc, JSValueConst *argv)
{
    JSValue result =
        JS_Call(context, listener, emitter, argc > 0 ? argc - 1 : 0, argv + 1);
    int err = JS_IsException(result) ? -1 : 0;

    if (err == 0 && !JS_IsUndefined(result) && !JS_IsNull(result)) {
        struct events *events = events_of(weir__js_of(context));

        err = captures(context, emitter, events->capture);
        if (err > 0)
            err = watch(context, events, emitter, result, argc, argv);
    }
    JS_FreeValue(context, result);
    return err;
}

static int call_all(JSContext *context, JSValueConst list, JSValueConst emitter,
                    int argc, JSValueConst *argv)
{
    int64_t count;
    int err = JS_GetLength(context, list, &count);

    for (int64_t i = 0; i < count && err == 0; i++) {
        JSValue listener = JS_GetPropertyInt64(context, list, i);

        err = JS_IsException(listener)
                  ? -1
                  : call_listener(context, listener, emitter, argc, argv);
        JS_FreeValue(context, listener);
    }
    return err;
}

/* The listener or listeners of a type, or undefined. */
static JSValue look_up(JSContext *context, JSValueConst emitter, JSAtom name,
                       JSAtom type)
{
    JSValue all = JS_GetProperty(context, emitter, name), found;

    if (!JS_IsObject(all))
        return all;
    found = JS_GetProperty(context, all, type);
    JS_FreeValue(context, all);
    return found;
}

/* Call beforeError(...args) of the emitter, which throws if nothing listens.
 * Returns 0, or -1 with an exception. */
static int prepare_error(JSContext *context, const struct events *events,
                         JSValueConst emitter, int argc, JSValueConst *argv)
{
    JSValue value =
        JS_Call(context, events->before_error, emitter, argc - 1, argv + 1);

    JS_FreeValue(context, value);
    return JS_IsException(value) ? -1 : 0;
}

/* emit(type, ...args): whether there was a listener */
static JSValue emit(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct events *events = events_of(weir__js_of(context));
    JSAtom type = JS_ValueToAtom(context, argv[0]);
    JSValue found;
    int err = 0;

    if (type == JS_ATOM_NULL)
        return JS_EXCEPTION;
    if (type == events->error)
        err = prepare_error(context, events, this_value, argc, argv);
    found = err == 0 ? look_up(context, this_value, events->events, type)
                     : JS_EXCEPTION;
    JS_FreeAtom(context, type);
    if (JS_IsException(found) || !JS_IsObject(found))
        return JS_IsException(found) ? found : JS_FALSE;
    err = JS_IsFunction(context, found)
              ? call_listener(context, found, this_value, argc, argv)
              : call_all(context, found, this_value, argc, argv);
    JS_FreeValue(context, found);
    return err == 0 ? JS_TRUE : JS_EXCEPTION;
}

static void drop_events(weir_js *js)
{
    struct events *events = events_of(js);

    JS_FreeAtom(js->context, events->events);
    JS_FreeAtom(js->context, events->error);
    JS_FreeAtom(js->context, events->capture);
    JS_FreeValue(js->context, events->before_error);
    JS_FreeValue(js->context, events->watch);
    *events =
        (struct events){.before_error = JS_UNDEFINED, .watch = JS_UNDEFINED};
}

/* setEmit(capture, beforeError, watch): what events.js provides.  It comes again
 * if that file failed, for lack of memory or time, and is loaded again. */
static JSValue set_emit(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct events *events = events_of(js);

    drop_events(js);
    events->events = JS_NewAtom(context, "_events");
    events->error = JS_NewAtom(context, "error");
    events->capture = JS_ValueToAtom(context, argv[0]);
    if (events->events == JS_ATOM_NULL || events->error == JS_ATOM_NULL ||
        events->capture == JS_ATOM_NULL)
        return JS_EXCEPTION;
    events->before_error = JS_DupValue(context, argv[1]);
    events->watch = JS_DupValue(context, argv[2]);
    return JS_UNDEFINED;
}

static int init_events(weir_js *js)
{
    events_of(js)->before_error = events_of(js)->watch = JS_UNDEFINED;
    return 0;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("emit", 1, emit),
    JS_CFUNC_DEF("setEmit", 3, set_emit),
};

const struct weir__js_builtin weir__js_events_builtin = {
    WEIR__JS_LIBS("events/events"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct events),
    .init = init_events,
    .drop = drop_events,
};
