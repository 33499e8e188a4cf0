/* SPDX-License-Identifier: MIT */
/*
 * writable -- write() of a stream that can take the chunk at once, and the
 * callback of its _write().  See fields.h.
 *
 * Tested by  test/js/stream/stream-*.js
 */
#include "core/builtin.h"
#include "stream/fields.h"

/* What js/bundle/stream-changes.js passes to setUpWritable(). */
enum bit {
    OBJECT_MODE,
    NEED_DRAIN,
    ENDING,
    DESTROYED,
    WRITING,
    SYNC,
    AFTER_WRITE_PENDING,
    CONSTRUCTED,
    ERRORED,
    CORKED,
    BUFFERED,
    BITS
};

enum function {
    NOTHING,          /* the callback of a write that has none */
    WRITE,            /* _write(stream, chunk, encoding, callback) */
    ON_WRITE,         /* onwrite(stream, error) */
    BUFFER_PROTOTYPE, /* not a function, but kept with them */
    FUNCTIONS
};

struct writable {
    bool is_set_up;
    int32_t bit[BITS];
    JSValue function[FUNCTIONS];
    JSAtom state, bits, length, pending, write_length, callback, on_write,
        write, mark;
    JSValue buffer; /* 'buffer', an encoding */
};

struct chunk {
    JSValueConst value, encoding, callback;
    int32_t length;
};

static struct writable *writable_of(JSContext *context)
{
    return weir__js_of(context)->states[WEIR__JS_WRITABLE];
}

/* Whether the arguments of write() are a Buffer or an object, perhaps a
 * callback, and no encoding. */
static bool read_arguments(JSContext *context, const struct writable *own,
                           bool is_object, JSValueConst *argv,
                           struct chunk *chunk)
{
    bool has_callback = JS_IsFunction(context, argv[1]);
    JSValueConst callback = has_callback ? argv[1] : argv[2];

    chunk->value = argv[0];
    chunk->encoding = is_object ? argv[1] : own->buffer;
    chunk->callback =
        JS_IsFunction(context, callback) ? callback : own->function[NOTHING];
    if (has_callback && is_object)
        chunk->encoding = JS_NULL;
    if (!has_callback && !JS_IsUndefined(argv[1]) && !JS_IsNull(argv[1]))
        return false;
    if (is_object) {
        chunk->length = 1;
        return !JS_IsNull(chunk->value);
    }
    return weir__js_buffer_length(
        context, chunk->value, own->function[BUFFER_PROTOTYPE], &chunk->length);
}

/* Count the chunk, and mark the stream as busy.  Returns false with an
 * exception. */
static bool begin(JSContext *context, const struct writable *own,
                  JSValueConst state, int32_t bits, int32_t length,
                  int32_t pending, const struct chunk *chunk)
{
    return weir__js_set_field(context, state, own->pending, pending + 1) &&
           weir__js_set_field(context, state, own->length,
                              length + chunk->length) &&
           weir__js_set_field(context, state, own->write_length,
                              chunk->length) &&
           JS_SetProperty(context, state, own->callback,
                          JS_DupValue(context, chunk->callback)) >= 0 &&
           weir__js_set_field(context, state, own->bits,
                              bits | own->bit[WRITING] | own->bit[SYNC]);
}

/* Call stream._write(chunk, encoding, onwrite).  Returns false with an
 * exception. */
static bool call_write(JSContext *context, const struct writable *own,
                       JSValueConst stream, JSValueConst state,
                       const struct chunk *chunk)
{
    JSValue on_write = JS_GetProperty(context, state, own->on_write);
    JSValue method = JS_GetProperty(context, stream, own->write);
    JSValueConst args[] = {chunk->value, chunk->encoding, on_write};
    JSValue result = JS_Call(context, method, stream, 3, args);

    JS_FreeValue(context, method);
    JS_FreeValue(context, on_write);
    JS_FreeValue(context, result);
    return !JS_IsException(result);
}

/* What write() returns: whether there is room for more. */
static JSValue conclude(JSContext *context, const struct writable *own,
                        JSValueConst state)
{
    int32_t bits, length, mark;
    bool is_full;

    if (!weir__js_field_int(context, state, own->bits, &bits) ||
        !weir__js_field_int(context, state, own->length, &length) ||
        !weir__js_field_int(context, state, own->mark, &mark))
        return JS_ThrowTypeError(context, "The state of a stream was changed");
    is_full = length != 0 && length >= mark;
    bits &= ~own->bit[SYNC];
    if (is_full)
        bits |= own->bit[NEED_DRAIN];
    if (!weir__js_set_field(context, state, own->bits, bits))
        return JS_EXCEPTION;
    return JS_NewBool(context, !is_full && (bits & (own->bit[ERRORED] |
                                                    own->bit[DESTROYED])) == 0);
}

static JSValue write_at_once(JSContext *context, const struct writable *own,
                             JSValueConst stream, JSValueConst state,
                             JSValueConst *argv, bool *is_common)
{
    int32_t bits, length, pending, mark;
    struct chunk chunk;

    *is_common =
        weir__js_field_int(context, state, own->bits, &bits) &&
        (bits & (own->bit[ENDING] | own->bit[DESTROYED] | own->bit[WRITING] |
                 own->bit[ERRORED] | own->bit[CORKED] |
                 own->bit[CONSTRUCTED])) == own->bit[CONSTRUCTED] &&
        weir__js_field_int(context, state, own->length, &length) &&
        length < INT32_MAX / 2 &&
        weir__js_field_int(context, state, own->pending, &pending) &&
        weir__js_field_int(context, state, own->mark, &mark) &&
        read_arguments(context, own, (bits & own->bit[OBJECT_MODE]) != 0, argv,
                       &chunk);
    if (!*is_common)
        return JS_UNDEFINED;
    if (!begin(context, own, state, bits, length, pending, &chunk) ||
        !call_write(context, own, stream, state, &chunk))
        return JS_EXCEPTION;
    return conclude(context, own, state);
}

/* Writable.prototype.write(chunk, encoding, callback) */
static JSValue write_chunk(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct writable *own = writable_of(context);
    JSValue state = JS_IsObject(this_value)
                        ? weir__js_field(context, this_value, own->state)
                        : JS_UNDEFINED;
    bool is_common = false;
    JSValue result =
        JS_IsObject(state)
            ? write_at_once(context, own, this_value, state, argv, &is_common)
            : JS_UNDEFINED;

    JS_FreeValue(context, state);
    if (is_common)
        return result;
    return JS_Call(context, own->function[WRITE], this_value, argc, argv);
}

/* ---- the callback ---- */

/* Whether a chunk has been written before write() returned, and nothing follows
 * from that. */
static bool is_uneventful(JSContext *context, const struct writable *own,
                          JSValueConst state, int32_t bits)
{
    int32_t relevant = own->bit[WRITING] | own->bit[SYNC] | own->bit[ENDING] |
                       own->bit[BUFFERED] | own->bit[NEED_DRAIN];
    JSValue callback;
    bool is_nothing;

    if ((bits & relevant) != (own->bit[WRITING] | own->bit[SYNC]) ||
        ((bits & own->bit[OBJECT_MODE]) != 0 &&
         (bits & own->bit[AFTER_WRITE_PENDING]) == 0))
        return false;
    callback = weir__js_field(context, state, own->callback);
    is_nothing = weir__js_is_same(callback, own->function[NOTHING]);
    JS_FreeValue(context, callback);
    return is_nothing;
}

/* Returns 1, 0 if this is not the common case, or -1 with an exception. */
static int finish_at_once(JSContext *context, const struct writable *own,
                          JSValueConst state)
{
    int32_t bits, length, write_length, pending;

    if (!weir__js_field_int(context, state, own->bits, &bits) ||
        !is_uneventful(context, own, state, bits) ||
        !weir__js_field_int(context, state, own->length, &length) ||
        !weir__js_field_int(context, state, own->write_length, &write_length) ||
        !weir__js_field_int(context, state, own->pending, &pending))
        return 0;
    return JS_SetProperty(context, state, own->callback, JS_NULL) >= 0 &&
                   weir__js_set_field(context, state, own->bits,
                                      bits & ~own->bit[WRITING]) &&
                   weir__js_set_field(context, state, own->length,
                                      length - write_length) &&
                   weir__js_set_field(context, state, own->pending, pending - 1)
               ? 1
               : -1;
}

/* The callback of _write(); its data is the stream. */
static JSValue on_write(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv, int magic, JSValueConst *data)
{
    struct writable *own = writable_of(context);
    JSValueConst error = argc > 0 ? argv[0] : JS_UNDEFINED;
    JSValueConst args[] = {data[0], error};
    int status = 0;

    if (JS_IsUndefined(error) || JS_IsNull(error)) {
        JSValue state = weir__js_field(context, data[0], own->state);

        if (JS_IsObject(state))
            status = finish_at_once(context, own, state);
        JS_FreeValue(context, state);
    }
    if (status != 0)
        return status < 0 ? JS_EXCEPTION : JS_UNDEFINED;
    return JS_Call(context, own->function[ON_WRITE], JS_UNDEFINED, 2, args);
}

/* onWriteOf(stream): the callback of its _write() */
static JSValue on_write_of(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    return JS_NewCFunctionData(context, on_write, 1, 0, 1, argv);
}

/* ---- */

static void drop(weir_js *js)
{
    struct writable *own = js->states[WEIR__JS_WRITABLE];
    JSAtom *atoms[] = {&own->state,        &own->bits,     &own->length,
                       &own->pending,      &own->callback, &own->on_write,
                       &own->write_length, &own->write,    &own->mark};

    if (!own->is_set_up)
        return;
    for (size_t i = 0; i < sizeof(atoms) / sizeof(*atoms); i++)
        JS_FreeAtom(js->context, *atoms[i]);
    for (int i = 0; i < FUNCTIONS; i++)
        JS_FreeValue(js->context, own->function[i]);
    JS_FreeValue(js->context, own->buffer);
    own->is_set_up = false;
}

static bool make_names(JSContext *context, struct writable *own)
{
    own->state = JS_NewAtom(context, "_writableState");
    own->bits = JS_NewAtom(context, "state");
    own->length = JS_NewAtom(context, "length");
    own->pending = JS_NewAtom(context, "pendingcb");
    own->write_length = JS_NewAtom(context, "writelen");
    own->callback = JS_NewAtom(context, "writecb");
    own->on_write = JS_NewAtom(context, "onwrite");
    own->write = JS_NewAtom(context, "_write");
    own->mark = JS_NewAtom(context, "highWaterMark");
    own->buffer = JS_NewString(context, "buffer");
    return own->state != JS_ATOM_NULL && own->bits != JS_ATOM_NULL &&
           own->length != JS_ATOM_NULL && own->pending != JS_ATOM_NULL &&
           own->write_length != JS_ATOM_NULL && own->callback != JS_ATOM_NULL &&
           own->on_write != JS_ATOM_NULL && own->write != JS_ATOM_NULL &&
           own->mark != JS_ATOM_NULL && !JS_IsException(own->buffer);
}

/* setUpWritable(...functions, ...bits), in the order of the enums.  It is called
 * again if the bundle failed, for lack of memory or time, and is loaded
 * again. */
static JSValue set_up(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct writable *own = writable_of(context);

    drop(js);
    for (int i = 0; i < FUNCTIONS; i++)
        own->function[i] = JS_DupValue(context, argv[i]);
    for (int i = 0; i < BITS; i++)
        own->bit[i] = JS_VALUE_GET_INT(argv[FUNCTIONS + i]);
    own->is_set_up = true;
    return make_names(context, own) ? JS_UNDEFINED : JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("setUpWritable", FUNCTIONS + BITS, set_up),
    JS_CFUNC_DEF("write", 3, write_chunk),
    JS_CFUNC_DEF("onWriteOf", 1, on_write_of),
};

const struct weir__js_builtin weir__js_writable_builtin = {
    WEIR__JS_LIBS("bundle/readable-stream"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct writable),
    .drop = drop,
};
