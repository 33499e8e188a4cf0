/* SPDX-License-Identifier: MIT */
/*
 * atomics -- Atomics.wait, waitAsync and notify, on the wait table of
 * weir/host/waiter.h.
 *
 * Arguments are checked in the order of ECMA-262: the array, whether it is
 * shared, the index, the value, and the timeout or count.  Only then comes the
 * check whether this thread may block.
 *
 * A loop that must stay responsive may not block (options.allow_blocking).
 * Where it may, weir_js_terminate ends the wait, and so does the time limit.
 *
 * Tested by  test/js/threads/atomics.c, test/js/threads/atomics-*.js
 */
#include "threads/atomics.h"

#include <errno.h>
#include <math.h>

#include "core/builtin.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/lib.h"
#include "core/property.h"
#include "threads/waiters.h"
#include "weir/clock.h"
#include "weir/host/waiter.h"

/* An element of an Int32Array or BigInt64Array. */
struct element {
    JSValueConst array;
    uint64_t index;
    size_t size;
    bool is_shared;
};

/* Its address; NULL with an exception if the array has become too short.
 * Converting an argument may run any code. */
static const uint8_t *address_of(JSContext *context, struct element *element)
{
    size_t offset, length, all;
    JSValue buffer =
        JS_GetTypedArrayBuffer(context, element->array, &offset, &length, NULL);
    const uint8_t *bytes;

    if (JS_IsException(buffer))
        return NULL;
    bytes = JS_GetArrayBuffer(context, &all, buffer);
    element->is_shared = !JS_IsArrayBuffer(buffer);
    JS_FreeValue(context, buffer);
    if (bytes == NULL)
        return NULL;
    if (element->index >= length / element->size ||
        offset + (element->index + 1) * element->size > all) {
        JS_ThrowRangeError(context, "Invalid atomic access index");
        return NULL;
    }
    return bytes + offset + element->index * element->size;
}

/* ValidateIntegerTypedArray, for the types that support waiting. */
static int validate_array(JSContext *context, struct element *element,
                          JSValueConst array)
{
    int type = JS_GetTypedArrayType(array);
    JSValue buffer;

    if (type != JS_TYPED_ARRAY_INT32 && type != JS_TYPED_ARRAY_BIG_INT64) {
        JS_ThrowTypeError(context,
                          "an Int32Array or a BigInt64Array is expected");
        return -1;
    }
    buffer = JS_GetTypedArrayBuffer(context, array, NULL, NULL, NULL);
    if (JS_IsException(buffer))
        return -1;
    element->array = array;
    element->size = type == JS_TYPED_ARRAY_INT32 ? 4 : 8;
    element->is_shared = !JS_IsArrayBuffer(buffer);
    JS_FreeValue(context, buffer);
    return 0;
}

/* ValidateAtomicAccess. */
static int validate_index(JSContext *context, struct element *element,
                          JSValueConst index)
{
    return JS_ToIndex(context, &element->index, index) < 0 ||
                   address_of(context, element) == NULL
               ? -1
               : 0;
}

static int to_expected(JSContext *context, const struct element *element,
                       JSValueConst value, uint64_t *expected)
{
    int64_t wide;
    int32_t narrow;

    if (element->size == 8) {
        if (JS_ToBigInt64(context, &wide, value) < 0)
            return -1;
        *expected = (uint64_t)wide;
    } else {
        if (JS_ToInt32(context, &narrow, value) < 0)
            return -1;
        *expected = (uint32_t)narrow;
    }
    return 0;
}

int weir__js_to_timeout(JSContext *context, JSValueConst value,
                        int64_t *timeout_ns)
{
    const double longest_ms = 9e12; /* 285 years, which fit in nanoseconds */
    double ms;

    if (JS_ToFloat64(context, &ms, value) < 0)
        return -1;
    if (isnan(ms) || ms > longest_ms)
        *timeout_ns = -1;
    else
        *timeout_ns = ms > 0 ? (int64_t)ceil(ms * 1e6) : 0;
    return 0;
}

/* Convert the four arguments of wait and waitAsync. */
static int to_word(JSContext *context, JSValueConst *argv,
                   struct weir__js_word *word)
{
    struct element element;

    if (validate_array(context, &element, argv[0]) < 0)
        return -1;
    if (!element.is_shared) {
        JS_ThrowTypeError(context, "[object %s] is not a shared typed array.",
                          element.size == 4 ? "Int32Array" : "BigInt64Array");
        return -1;
    }
    if (validate_index(context, &element, argv[1]) < 0 ||
        to_expected(context, &element, argv[2], &word->expected) < 0 ||
        weir__js_to_timeout(context, argv[3], &word->timeout_ns) < 0)
        return -1;
    word->array = argv[0];
    word->size = element.size;
    word->address = address_of(context, &element);
    return word->address != NULL ? 0 : -1;
}

static JSValue say(JSContext *context, int err)
{
    return JS_NewString(context, err == 0         ? "ok"
                                 : err == -EAGAIN ? "not-equal"
                                                  : "timed-out");
}

/* Shorten the timeout to the entry's time limit; return whether that was
 * earlier. */
static bool cut(const weir_js *js, int64_t *timeout_ns)
{
    int64_t left_ns;

    if (js->deadline_ns == 0)
        return false;
    left_ns = js->deadline_ns - weir_clock_now();
    if (*timeout_ns >= 0 && *timeout_ns <= left_ns)
        return false;
    *timeout_ns = left_ns > 0 ? left_ns : 0;
    return true;
}

/* The message is set afterwards, because the engine truncates its own at 255
 * bytes. */
static JSValue refuse(weir_js *js)
{
    JSContext *context = js->context;
    JSValue text =
        weir__js_call_hook(js, WEIR__JS_HOOK_WOULD_BLOCK, JS_UNDEFINED);
    JSValue error = JS_NewTypeError(context, "Atomics.wait would block");

    if (JS_IsException(text) || JS_IsException(error)) {
        JS_FreeValue(context, text);
        JS_FreeValue(context, error);
        return JS_EXCEPTION;
    }
    if (JS_DefinePropertyValueStr(context, error, "message", text,
                                  JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) < 0)
        JS_FreeValue(context, JS_GetException(context));
    return JS_Throw(context, error);
}

static JSValue wait(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_word word;
    bool is_cut;
    int err;

    if (to_word(context, argv, &word) < 0)
        return JS_EXCEPTION;
    if (!js->options.allow_blocking)
        return refuse(js);
    is_cut = cut(js, &word.timeout_ns);
    err = weir_waiter_wait(&js->waiter, word.address, word.size, word.expected,
                           word.timeout_ns);
    js->is_late |= is_cut && err == -ETIMEDOUT;
    if (err == WEIR_ECANCELED || js->is_late)
        return weir__js_end_entry(context);
    return say(context, err);
}

/* {async, value}; takes the value. */
static JSValue answer(JSContext *context, bool is_async, JSValue value)
{
    JSValue object =
        JS_IsException(value) ? JS_EXCEPTION : JS_NewObject(context);

    if (JS_IsException(object)) {
        JS_FreeValue(context, value);
        return object;
    }
    if (weir__js_set_property(context, object, "async",
                              JS_NewBool(context, is_async)) < 0) {
        JS_FreeValue(context, value);
    } else if (weir__js_set_property(context, object, "value", value) >= 0) {
        return object;
    }
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}

/* Create the answer before the wait begins, so that a call that fails for lack
 * of memory leaves no wait behind. */
static JSValue begin_wait(weir_js *js, const struct weir__js_word *word)
{
    JSContext *context = js->context;
    JSValue functions[2];
    JSValue promise = JS_NewPromiseCapability(context, functions), result;
    int err;

    if (JS_IsException(promise))
        return promise;
    result = answer(context, true, promise);
    err = JS_IsException(result) ? -ENOMEM
                                 : weir__js_wait_begin(js, word, functions[0]);
    JS_FreeValue(context, functions[0]);
    JS_FreeValue(context, functions[1]);
    if (err == 0 || JS_IsException(result))
        return result;
    JS_FreeValue(context, result);
    return err == -EAGAIN ? answer(context, false, say(context, err))
                          : weir__js_throw_status(context, err);
}

static JSValue wait_async(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_word word;
    int err;

    if (to_word(context, argv, &word) < 0)
        return JS_EXCEPTION;
    err = weir_waiter_wait(&js->waiter, word.address, word.size, word.expected,
                           0); /* only compares */
    if (err == WEIR_ECANCELED)
        return weir__js_end_entry(context);
    return err == -ETIMEDOUT && word.timeout_ns != 0
               ? begin_wait(js, &word)
               : answer(context, false, say(context, err));
}

static JSValue notify(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct element element;
    const void *address;
    double count = INFINITY;

    if (validate_array(context, &element, argv[0]) < 0 ||
        validate_index(context, &element, argv[1]) < 0)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[2]) && JS_ToFloat64(context, &count, argv[2]) < 0)
        return JS_EXCEPTION;
    if (!element.is_shared)
        return JS_NewInt32(context, 0);
    address = address_of(context, &element);
    if (address == NULL)
        return JS_EXCEPTION;
    return JS_NewUint32(context,
                        weir_waiter_notify(address, !(count >= 1) ? 0
                                                    : count < UINT32_MAX
                                                        ? (uint32_t)count
                                                        : UINT32_MAX));
}

static const struct {
    const char *name;
    int length;
    JSCFunction *function;
} functions[] = {
    {"wait", 4, wait}, {"waitAsync", 4, wait_async}, {"notify", 3, notify}};

static int define(JSContext *context, JSValueConst atomics, int i)
{
    JSValue function = JS_NewCFunction(context, functions[i].function,
                                       functions[i].name, functions[i].length);

    return JS_IsException(function)
               ? -1
               : JS_DefinePropertyValueStr(
                     context, atomics, functions[i].name, function,
                     JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

/* Replace the engine's functions, which share one lock. */
static int replace_functions(weir_js *js)
{
    JSContext *context = js->context;
    JSValue global = JS_GetGlobalObject(context);
    JSValue atomics = JS_GetPropertyStr(context, global, "Atomics");
    int err = JS_IsException(atomics) ? -1 : 0;

    for (int i = 0; i < 3 && err >= 0; i++)
        err = define(context, atomics, i);
    JS_FreeValue(context, atomics);
    JS_FreeValue(context, global);
    if (err >= 0)
        return 0;
    JS_FreeValue(context, JS_GetException(context));
    return -ENOMEM;
}

const struct weir__js_builtin weir__js_atomics_builtin = {
    .init = replace_functions,
};
