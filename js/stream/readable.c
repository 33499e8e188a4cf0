/* SPDX-License-Identifier: MIT */
/*
 * readable -- push() and read() of a stream, as far as no event but 'data'
 * follows from them.  See fields.h.
 *
 * Tested by  test/js/stream/stream-*.js
 */
#include "core/builtin.h"
#include "stream/fields.h"

/* What js/bundle/stream-changes.js passes to setUpReadable(). */
enum bit {
    OBJECT_MODE,
    ENDED,
    READING,
    CONSTRUCTED,
    SYNC,
    NEED_READABLE,
    EMITTED_READABLE,
    ERROR_EMITTED,
    DESTROYED,
    CLOSE_EMITTED,
    MULTI_AWAIT_DRAIN,
    READING_MORE,
    DATA_EMITTED,
    ERRORED,
    BITS
};

enum function {
    PUSH,             /* push(chunk, encoding) */
    READ,             /* read(n) */
    MAYBE_READ_MORE,  /* maybeReadMore(stream, state) */
    EMIT_READABLE,    /* emitReadable(stream) */
    FAIL,             /* errorOrDestroy(stream, error) */
    END,              /* endReadable(stream) */
    FROM_LIST,        /* fromList(n, state) */
    CLEAR,            /* clear(set) */
    BUFFER_PROTOTYPE, /* not a function, but kept with them */
    FUNCTIONS
};

/* Names of properties. */
#define NAMES(X)                                                               \
    X(STATE, "_readableState")                                                 \
    X(FLAGS, "state")                                                          \
    X(LENGTH, "length")                                                        \
    X(FLOWING, "flowing")                                                      \
    X(MARK, "highWaterMark")                                                   \
    X(DECODER, "decoder")                                                      \
    X(AWAIT_DRAIN, "awaitDrainWriters")                                        \
    X(LIST, "buffer")                                                          \
    X(EVENTS, "_events")                                                       \
    X(DATA, "data")                                                            \
    X(EMIT, "emit")                                                            \
    X(READ_MORE, "_read")                                                      \
    X(HEAD, "head")                                                            \
    X(TAIL, "tail")                                                            \
    X(NEXT, "next")

enum name {
#define X(name, text) name,
    NAMES(X)
#undef X
        NAME_COUNT
};

struct readable {
    bool is_set_up;
    int32_t bit[BITS];
    JSValue function[FUNCTIONS];
    JSAtom name[NAME_COUNT];
    JSValue data; /* 'data', an event */
};

/* A stream while push() or read() works on it. */
struct work {
    JSContext *context;
    const struct readable *own;
    JSValueConst stream;
    JSValue state;
    int32_t bits, length, mark;
};

static struct readable *readable_of(JSContext *context)
{
    return weir__js_of(context)->states[WEIR__JS_READABLE];
}

static bool has(const struct work *work, enum bit bit)
{
    return (work->bits & work->own->bit[bit]) != 0;
}

static JSValue field(const struct work *work, enum name name)
{
    return weir__js_field(work->context, work->state, work->own->name[name]);
}

/* Whether a field of the state is true, or an object. */
static bool is_truthy(const struct work *work, enum name name)
{
    JSValue value = field(work, name);
    bool is = JS_VALUE_GET_TAG(value) == JS_TAG_BOOL ? JS_VALUE_GET_BOOL(value)
                                                     : JS_IsObject(value);

    JS_FreeValue(work->context, value);
    return is;
}

static bool field_int(const struct work *work, enum name name, int32_t *out)
{
    return weir__js_field_int(work->context, work->state, work->own->name[name],
                              out);
}

/* The functions below that return bool return false with an exception. */

static bool set_bits(struct work *work, int32_t bits)
{
    work->bits = bits;
    return weir__js_set_field(work->context, work->state,
                              work->own->name[FLAGS], bits);
}

static bool set_length(struct work *work, int32_t length)
{
    work->length = length;
    return weir__js_set_field(work->context, work->state,
                              work->own->name[LENGTH], length);
}

/* Returns whether the numbers of the state are as expected. */
static bool read_state(struct work *work)
{
    return field_int(work, FLAGS, &work->bits) &&
           field_int(work, LENGTH, &work->length) &&
           field_int(work, MARK, &work->mark) && work->length <= INT32_MAX / 2;
}

/* Only a program that changes a state by hand sees this. */
static bool throw_changed(JSContext *context)
{
    JS_ThrowTypeError(context, "The state of a stream was changed");
    return false;
}

/* Read the state again after JavaScript has run. */
static bool refresh(struct work *work)
{
    return read_state(work) || throw_changed(work->context);
}

static bool call(const struct work *work, enum function function, int argc,
                 JSValueConst *argv)
{
    JSValue result = JS_Call(work->context, work->own->function[function],
                             JS_UNDEFINED, argc, argv);

    JS_FreeValue(work->context, result);
    return !JS_IsException(result);
}

/* Returns whether it is a stream whose state can be read. */
static bool begin(struct work *work, JSContext *context, JSValueConst stream)
{
    work->context = context;
    work->own = readable_of(context);
    work->stream = stream;
    work->state = JS_IsObject(stream)
                      ? weir__js_field(context, stream, work->own->name[STATE])
                      : JS_UNDEFINED;
    return JS_IsObject(work->state) && read_state(work);
}

/* Who waits for 'drain' waits no more: one stream, or a set of them. */
static bool stop_waiting(struct work *work)
{
    JSValue waiting = field(work, AWAIT_DRAIN);
    JSValueConst args[] = {waiting};
    bool is_done =
        JS_IsNull(waiting) ||
        (has(work, MULTI_AWAIT_DRAIN)
             ? call(work, CLEAR, 1, args)
             : JS_SetProperty(work->context, work->state,
                              work->own->name[AWAIT_DRAIN], JS_NULL) >= 0);

    JS_FreeValue(work->context, waiting);
    return is_done;
}

static bool emit_data(struct work *work, JSValueConst chunk)
{
    JSValue emit =
        JS_GetProperty(work->context, work->stream, work->own->name[EMIT]);
    JSValueConst args[] = {work->own->data, chunk};
    JSValue result = JS_Call(work->context, emit, work->stream, 2, args);

    JS_FreeValue(work->context, emit);
    JS_FreeValue(work->context, result);
    return !JS_IsException(result);
}

/* ---- the list of chunks ---- */

/* The list is an object with `head`, `tail` and `length`; each entry has `data`
 * and `next`. */
static bool append(struct work *work, JSValueConst chunk)
{
    JSContext *context = work->context;
    const JSAtom *name = work->own->name;
    JSValue list = field(work, LIST), entry = JS_NewObject(context), tail;
    int32_t count = 0;
    bool is_done = (weir__js_field_int(context, list, name[LENGTH], &count) ||
                    throw_changed(context)) &&
                   !JS_IsException(entry) &&
                   JS_DefinePropertyValue(context, entry, name[DATA],
                                          JS_DupValue(context, chunk),
                                          JS_PROP_C_W_E) >= 0 &&
                   JS_DefinePropertyValue(context, entry, name[NEXT], JS_NULL,
                                          JS_PROP_C_W_E) >= 0;

    tail = count > 0 ? weir__js_field(context, list, name[TAIL]) : JS_UNDEFINED;
    is_done = is_done &&
              JS_SetProperty(context, count > 0 ? tail : list,
                             name[count > 0 ? NEXT : HEAD],
                             JS_DupValue(context, entry)) >= 0 &&
              JS_SetProperty(context, list, name[TAIL],
                             JS_DupValue(context, entry)) >= 0 &&
              weir__js_set_field(context, list, name[LENGTH], count + 1);
    JS_FreeValue(context, tail);
    JS_FreeValue(context, entry);
    JS_FreeValue(context, list);
    return is_done;
}

/* The first chunk, which is removed; undefined if there is none. */
static JSValue shift(struct work *work)
{
    JSContext *context = work->context;
    const JSAtom *name = work->own->name;
    JSValue list = field(work, LIST), head, chunk = JS_UNDEFINED, next;
    int32_t count;

    if (weir__js_field_int(context, list, name[LENGTH], &count) && count > 0) {
        head = weir__js_field(context, list, name[HEAD]);
        chunk = weir__js_field(context, head, name[DATA]);
        next = weir__js_field(context, head, name[NEXT]);
        if (JS_SetProperty(context, list, name[HEAD], next) < 0 ||
            (count == 1 &&
             JS_SetProperty(context, list, name[TAIL], JS_NULL) < 0) ||
            !weir__js_set_field(context, list, name[LENGTH], count - 1)) {
            JS_FreeValue(context, chunk);
            chunk = JS_EXCEPTION;
        }
        JS_FreeValue(context, head);
    }
    JS_FreeValue(context, list);
    return chunk;
}

/* The number of chunks, and the length of the first one if that is a Buffer or
 * a string.  Returns whether both are known. */
static bool examine(const struct work *work, int32_t *count, int32_t *first)
{
    JSContext *context = work->context;
    const JSAtom *name = work->own->name;
    JSValue list = field(work, LIST), head, chunk;
    bool is_known =
        weir__js_field_int(context, list, name[LENGTH], count) && *count > 0;

    head = is_known ? weir__js_field(context, list, name[HEAD]) : JS_UNDEFINED;
    chunk = is_known ? weir__js_field(context, head, name[DATA]) : JS_UNDEFINED;
    is_known =
        is_known &&
        (weir__js_buffer_length(context, chunk,
                                work->own->function[BUFFER_PROTOTYPE], first) ||
         weir__js_field_int(context, chunk, name[LENGTH], first)) &&
        *first > 0;
    JS_FreeValue(context, chunk);
    JS_FreeValue(context, head);
    JS_FreeValue(context, list);
    return is_known;
}

/* ---- push ---- */

static bool listens(const struct work *work)
{
    JSValue events =
        weir__js_field(work->context, work->stream, work->own->name[EVENTS]);
    JSValue listener =
        JS_IsObject(events)
            ? weir__js_field(work->context, events, work->own->name[DATA])
            : JS_UNDEFINED;
    bool is = !JS_IsUndefined(listener);

    JS_FreeValue(work->context, listener);
    JS_FreeValue(work->context, events);
    return is;
}

/* Whether the chunk can be added without further ado: a Buffer, or an object in
 * object mode. */
static bool is_plain(const struct work *work, JSValueConst chunk,
                     int32_t *length)
{
    JSValue decoder;

    if (has(work, ENDED) || has(work, DESTROYED) || has(work, ERRORED))
        return false;
    if (has(work, OBJECT_MODE)) {
        *length = 1;
        if (JS_IsNull(chunk))
            return false;
    } else if (!weir__js_buffer_length(work->context, chunk,
                                       work->own->function[BUFFER_PROTOTYPE],
                                       length) ||
               *length == 0) {
        return false;
    }
    decoder = field(work, DECODER);
    JS_FreeValue(work->context, decoder);
    return JS_IsNull(decoder);
}

/* Emit the chunk, or keep it and say that there is one. */
static bool add(struct work *work, JSValueConst chunk, int32_t length)
{
    const int32_t *bit = work->own->bit;
    JSValueConst args[] = {work->stream};

    work->bits &= ~bit[READING];
    if (!has(work, SYNC) && work->length == 0 && is_truthy(work, FLOWING) &&
        listens(work))
        return stop_waiting(work) &&
               set_bits(work, work->bits | bit[DATA_EMITTED]) &&
               emit_data(work, chunk) && refresh(work);
    if (!append(work, chunk) || !set_length(work, work->length + length))
        return false;
    if (!has(work, NEED_READABLE))
        return set_bits(work, work->bits);
    if (has(work, EMITTED_READABLE)) /* it is on its way */
        return set_bits(work, work->bits & ~bit[NEED_READABLE]);
    return set_bits(work, work->bits) && call(work, EMIT_READABLE, 1, args) &&
           refresh(work);
}

/* What push() returns: whether the stream wants more. */
static JSValue push_plain(struct work *work, JSValueConst chunk, int32_t length)
{
    const int32_t *bit = work->own->bit;
    JSValueConst args[] = {work->stream, work->state};

    if (!add(work, chunk, length))
        return JS_EXCEPTION;
    if ((work->bits & (bit[READING_MORE] | bit[CONSTRUCTED])) ==
            bit[CONSTRUCTED] &&
        (!call(work, MAYBE_READ_MORE, 2, args) || !refresh(work)))
        return JS_EXCEPTION;
    return JS_NewBool(work->context,
                      !has(work, ENDED) &&
                          (work->length == 0 || work->length < work->mark));
}

/* Readable.prototype.push(chunk, encoding) */
static JSValue push(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct work work;
    int32_t length;
    bool is_common =
        begin(&work, context, this_value) && is_plain(&work, argv[0], &length);
    JSValue result =
        is_common ? push_plain(&work, argv[0], length) : JS_UNDEFINED;

    JS_FreeValue(context, work.state);
    if (is_common)
        return result;
    return JS_Call(context, work.own->function[PUSH], this_value, argc, argv);
}

/* ---- read ---- */

/* How much read() takes: all, or the first chunk of a stream that flows.
 * Returns whether that is known without looking at what is in the list. */
static bool measure(const struct work *work, int32_t *n)
{
    int32_t count, first;

    *n = 0;
    if (work->length == 0)
        return true;
    *n = has(work, OBJECT_MODE) ? 1 : work->length;
    if (has(work, OBJECT_MODE))
        return true;
    if (!examine(work, &count, &first))
        return false;
    if (is_truthy(work, FLOWING))
        *n = first;
    return true;
}

/* What to do about an exception of _read(): as errorOrDestroy(stream, error). */
static bool handle_failure(const struct work *work)
{
    JSValue error = JS_GetException(work->context);
    JSValueConst args[] = {work->stream, error};
    bool is_done;

    if (JS_IsUncatchableError(error)) {
        JS_Throw(work->context, error);
        return false;
    }
    is_done = call(work, FAIL, 2, args);
    JS_FreeValue(work->context, error);
    return is_done;
}

/* Call stream._read(mark). */
static bool fill(struct work *work)
{
    JSContext *context = work->context;
    const int32_t *bit = work->own->bit;
    int32_t more =
        bit[READING] | bit[SYNC] | (work->length == 0 ? bit[NEED_READABLE] : 0);
    JSValueConst args[] = {JS_NewInt32(context, work->mark)};
    JSValue method, result;

    if (!set_bits(work, work->bits | more))
        return false;
    method = JS_GetProperty(context, work->stream, work->own->name[READ_MORE]);
    result = JS_IsException(method)
                 ? JS_EXCEPTION
                 : JS_Call(context, method, work->stream, 1, args);
    JS_FreeValue(context, method);
    if (JS_IsException(result) && !handle_failure(work))
        return false;
    JS_FreeValue(context, result);
    return refresh(work) && set_bits(work, work->bits & ~bit[SYNC]);
}

/* Take n bytes, or one object, out of the list; null if there is not enough. */
static JSValue take(struct work *work, int32_t n)
{
    int32_t count, first;
    JSValueConst args[] = {JS_NewInt32(work->context, n), work->state};

    if (n <= 0 || work->length == 0)
        return JS_NULL;
    if (has(work, OBJECT_MODE) ||
        (examine(work, &count, &first) && n == first &&
         (count == 1 || n < work->length)))
        return shift(work);
    return JS_Call(work->context, work->own->function[FROM_LIST], JS_UNDEFINED,
                   2, args);
}

/* After a chunk of n was taken, or none. */
static bool settle(struct work *work, bool is_all, int32_t n)
{
    const int32_t *bit = work->own->bit;
    JSValueConst args[] = {work->stream};

    if (n == 0 && work->length <= work->mark &&
        !set_bits(work, work->bits | bit[NEED_READABLE]))
        return false;
    if (n > 0 && (!set_length(work, work->length - n) || !stop_waiting(work)))
        return false;
    if (work->length != 0)
        return true;
    if (!has(work, ENDED))
        return has(work, NEED_READABLE) ||
               set_bits(work, work->bits | bit[NEED_READABLE]);
    return !is_all || (call(work, END, 1, args) && refresh(work));
}

/* The rest of read(), which cannot be undone.  is_all: read(), not read(0) */
static JSValue read_now(struct work *work, bool is_all, int32_t n)
{
    const int32_t *bit = work->own->bit;
    int32_t deciding = bit[READING] | bit[ENDED] | bit[DESTROYED] |
                       bit[ERRORED] | bit[CONSTRUCTED];
    JSValue chunk;

    if (is_all && has(work, EMITTED_READABLE) &&
        !set_bits(work, work->bits & ~bit[EMITTED_READABLE]))
        return JS_EXCEPTION;
    if ((work->bits & deciding) == bit[CONSTRUCTED] &&
        (has(work, NEED_READABLE) || work->length == 0 ||
         work->length - n < work->mark)) {
        if (!fill(work))
            return JS_EXCEPTION;
        if (!has(work, READING) && is_all && !measure(work, &n))
            n = work->length;
    }
    chunk = take(work, n);
    if (JS_IsException(chunk))
        return chunk;
    if (settle(work, is_all, JS_IsNull(chunk) ? 0 : n) &&
        (JS_IsNull(chunk) || has(work, ERROR_EMITTED) ||
         has(work, CLOSE_EMITTED) ||
         (set_bits(work, work->bits | bit[DATA_EMITTED]) &&
          emit_data(work, chunk))))
        return chunk;
    JS_FreeValue(work->context, chunk);
    return JS_EXCEPTION;
}

/* Readable.prototype.read(n): here only read() and read(0) */
static JSValue read(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct work work;
    int32_t n = 0;
    bool is_all = argc == 0 || JS_IsUndefined(argv[0]);
    bool is_zero = !is_all && JS_VALUE_GET_TAG(argv[0]) == JS_TAG_INT &&
                   JS_VALUE_GET_INT(argv[0]) == 0;
    bool is_common =
        begin(&work, context, this_value) && (is_all || is_zero) &&
        !has(&work, ENDED) && (is_zero || measure(&work, &n)) &&
        !(is_zero && has(&work, NEED_READABLE) &&
          (work.mark != 0 ? work.length >= work.mark : work.length > 0));
    JSValue result = is_common ? read_now(&work, is_all, n) : JS_UNDEFINED;

    JS_FreeValue(context, work.state);
    if (is_common)
        return result;
    return JS_Call(context, work.own->function[READ], this_value, argc, argv);
}

/* ---- */

static void drop(weir_js *js)
{
    struct readable *own = js->states[WEIR__JS_READABLE];

    if (!own->is_set_up)
        return;
    for (int i = 0; i < NAME_COUNT; i++)
        JS_FreeAtom(js->context, own->name[i]);
    for (int i = 0; i < FUNCTIONS; i++)
        JS_FreeValue(js->context, own->function[i]);
    JS_FreeValue(js->context, own->data);
    own->is_set_up = false;
}

/* setUpReadable(...functions, ...bits), in the order of the enums.  It is called
 * again if the bundle failed, for lack of memory or time, and is loaded
 * again. */
static JSValue set_up(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    static const char *const texts[] = {
#define X(name, text) text,
        NAMES(X)
#undef X
    };
    struct readable *own = readable_of(context);
    bool has_all = true;

    drop(weir__js_of(context));
    for (int i = 0; i < FUNCTIONS; i++)
        own->function[i] = JS_DupValue(context, argv[i]);
    for (int i = 0; i < BITS; i++)
        own->bit[i] = JS_VALUE_GET_INT(argv[FUNCTIONS + i]);
    for (int i = 0; i < NAME_COUNT; i++) {
        own->name[i] = JS_NewAtom(context, texts[i]);
        has_all = has_all && own->name[i] != JS_ATOM_NULL;
    }
    own->data = JS_NewString(context, "data");
    own->is_set_up = true;
    return has_all && !JS_IsException(own->data) ? JS_UNDEFINED : JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("setUpReadable", FUNCTIONS + BITS, set_up),
    JS_CFUNC_DEF("push", 2, push),
    JS_CFUNC_DEF("read", 1, read),
};

const struct weir__js_builtin weir__js_readable_builtin = {
    WEIR__JS_LIBS("bundle/readable-stream"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct readable),
    .drop = drop,
};
