/* SPDX-License-Identifier: MIT */
/*
 * transform -- _write() of a Transform, and the callback of its _transform().
 *
 * Tested by  test/js/stream/stream-transform.js
 */
#include "core/builtin.h"
#include "stream/fields.h"

enum name { READABLE, WRITABLE, FLAGS, LENGTH, MARK, TRANSFORM, PUSH, NAMES };

enum { STREAM, CALLBACK, LENGTH_BEFORE, DATA }; /* what the callback holds */

struct transform {
    bool is_set_up;
    int32_t readable_ended, writable_ended; /* bits of the states */
    JSAtom waiting;                         /* a symbol: the callback of a write
                                               that waits for room */
    JSValue next_tick;
    JSAtom name[NAMES];
};

static struct transform *transform_of(JSContext *context)
{
    return weir__js_of(context)->states[WEIR__JS_TRANSFORM];
}

/* Get an integer of a state.  Returns false with an exception. */
static bool read_int(JSContext *context, JSValueConst stream, JSAtom state_name,
                     JSAtom name, int32_t *out)
{
    JSValue state = weir__js_field(context, stream, state_name);
    bool is_int = weir__js_field_int(context, state, name, out);

    JS_FreeValue(context, state);
    if (!is_int)
        JS_ThrowTypeError(context, "The state of a stream was changed");
    return is_int;
}

/* Call a method with one argument.  Returns false with an exception. */
static bool call_method(JSContext *context, JSValueConst object, JSAtom name,
                        JSValueConst argument)
{
    JSValue result = JS_Invoke(context, object, name, 1, &argument);

    JS_FreeValue(context, result);
    return !JS_IsException(result);
}

/* The next write may begin, or must wait until there is room. */
static JSValue go_on(JSContext *context, const struct transform *own,
                     JSValueConst *data)
{
    JSValueConst stream = data[STREAM], callback = data[CALLBACK];
    JSAtom readable = own->name[READABLE];
    int32_t length, mark, readable_bits, writable_bits;

    if (!read_int(context, stream, readable, own->name[LENGTH], &length) ||
        !read_int(context, stream, readable, own->name[MARK], &mark) ||
        !read_int(context, stream, readable, own->name[FLAGS],
                  &readable_bits) ||
        !read_int(context, stream, own->name[WRITABLE], own->name[FLAGS],
                  &writable_bits))
        return JS_EXCEPTION;
    if ((readable_bits & own->readable_ended) != 0)
        return JS_Call(context, own->next_tick, JS_UNDEFINED, 1, &callback);
    if ((writable_bits & own->writable_ended) != 0 ||
        length == JS_VALUE_GET_INT(data[LENGTH_BEFORE]) || length < mark)
        return JS_Call(context, callback, JS_UNDEFINED, 0, NULL);
    return JS_SetProperty(context, stream, own->waiting,
                          JS_DupValue(context, callback)) < 0
               ? JS_EXCEPTION
               : JS_UNDEFINED;
}

/* The callback of _transform(): (error, value) */
static JSValue on_transformed(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv, int magic,
                              JSValueConst *data)
{
    struct transform *own = transform_of(context);
    JSValue result;

    if (JS_ToBool(context, argv[0]) != 0)
        return JS_Call(context, data[CALLBACK], JS_UNDEFINED, 1, argv);
    if (!JS_IsUndefined(argv[1]) && !JS_IsNull(argv[1]) &&
        !call_method(context, data[STREAM], own->name[PUSH], argv[1]))
        return JS_EXCEPTION;
    result = go_on(context, own, data);
    JS_FreeValue(context, result);
    return JS_IsException(result) ? JS_EXCEPTION : JS_UNDEFINED;
}

/* Transform.prototype._write(chunk, encoding, callback) */
static JSValue write_chunk(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct transform *own = transform_of(context);
    int32_t length;
    JSValue callback, result;
    JSValueConst data[DATA] = {this_value, argv[2], JS_UNDEFINED};
    JSValueConst args[] = {argv[0], argv[1], JS_UNDEFINED};

    if (!read_int(context, this_value, own->name[READABLE], own->name[LENGTH],
                  &length))
        return JS_EXCEPTION;
    data[LENGTH_BEFORE] = JS_NewInt32(context, length);
    callback = JS_NewCFunctionData(context, on_transformed, 2, 0, DATA, data);
    if (JS_IsException(callback))
        return callback;
    args[2] = callback;
    result = JS_Invoke(context, this_value, own->name[TRANSFORM], 3, args);
    JS_FreeValue(context, callback);
    JS_FreeValue(context, result);
    return JS_IsException(result) ? JS_EXCEPTION : JS_UNDEFINED;
}

static void drop(weir_js *js)
{
    struct transform *own = js->states[WEIR__JS_TRANSFORM];

    if (!own->is_set_up)
        return;
    for (int i = 0; i < NAMES; i++)
        JS_FreeAtom(js->context, own->name[i]);
    JS_FreeAtom(js->context, own->waiting);
    JS_FreeValue(js->context, own->next_tick);
    own->is_set_up = false;
}

/* setUpTransform(waiting, nextTick, readableEnded, writableEnded).  It is called
 * again if the bundle failed, for lack of memory or time, and is loaded
 * again. */
static JSValue set_up(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    static const char *const texts[NAMES] = {
        [READABLE] = "_readableState",
        [WRITABLE] = "_writableState",
        [FLAGS] = "state",
        [LENGTH] = "length",
        [MARK] = "highWaterMark",
        [TRANSFORM] = "_transform",
        [PUSH] = "push",
    };
    struct transform *own = transform_of(context);
    bool has_all;

    drop(weir__js_of(context));
    own->waiting = JS_ValueToAtom(context, argv[0]);
    has_all = own->waiting != JS_ATOM_NULL;
    own->next_tick = JS_DupValue(context, argv[1]);
    own->readable_ended = JS_VALUE_GET_INT(argv[2]);
    own->writable_ended = JS_VALUE_GET_INT(argv[3]);
    for (int i = 0; i < NAMES; i++) {
        own->name[i] = JS_NewAtom(context, texts[i]);
        has_all = has_all && own->name[i] != JS_ATOM_NULL;
    }
    own->is_set_up = true;
    return has_all ? JS_UNDEFINED : JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("setUpTransform", 4, set_up),
    JS_CFUNC_DEF("writeTransform", 3, write_chunk),
};

const struct weir__js_builtin weir__js_transform_builtin = {
    WEIR__JS_LIBS("bundle/readable-stream"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct transform),
    .drop = drop,
};
