/* SPDX-License-Identifier: MIT */
/*
 * trace -- what spans need of C: ids, the time of day, and the exporter of
 * weir/net/otlp.h, which all threads of the process share.
 *
 * Tested by  test/api/otlp.py
 */
#include <sys/random.h>
#include <time.h>

#include "core/builtin.h"
#include "core/error.h"
#include "weir/net/otlp.h"

enum { MOST_ID_BYTES = 16 };

static JSValue is_on(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    return JS_NewBool(context, weir_otlp_is_running());
}

/* An id of zeros is not valid. */
static bool is_zero(const unsigned char *bytes, size_t size)
{
    unsigned char any = 0;

    for (size_t i = 0; i < size; i++)
        any |= bytes[i];
    return any == 0;
}

/* id(8), id(16): random bytes, in hexadecimal */
static JSValue make_id(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[MOST_ID_BYTES];
    char text[2 * MOST_ID_BYTES];
    uint32_t size;

    if (JS_ToUint32(context, &size, argv[0]) < 0)
        return JS_EXCEPTION;
    size = size > MOST_ID_BYTES ? MOST_ID_BYTES : size;
    do {
        if (getrandom(bytes, size, 0) != (ssize_t)size)
            return JS_ThrowInternalError(context, "no random bytes");
    } while (is_zero(bytes, size));
    for (uint32_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return JS_NewStringLen(context, text, 2 * (size_t)size);
}

/* Microseconds since 1970, which a double has exactly. */
static JSValue wall(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return JS_NewFloat64(context, (double)now.tv_sec * 1e6 +
                                      (double)(now.tv_nsec / 1000));
}

/* add(json).  What does not fit is counted there. */
static JSValue add(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    size_t size;
    const char *json = JS_ToCStringLen(context, &size, argv[0]);

    if (json == NULL)
        return JS_EXCEPTION;
    (void)weir_otlp_add_span(json, size);
    JS_FreeCString(context, json);
    return JS_UNDEFINED;
}

/* errorName(status): "ECONNRESET" */
static JSValue error_name(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    int32_t status;

    return JS_ToInt32(context, &status, argv[0]) < 0
               ? JS_EXCEPTION
               : JS_NewString(context, weir_error_name(status));
}

/* flush(milliseconds) */
static JSValue flush(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    double within_ms;

    if (JS_ToFloat64(context, &within_ms, argv[0]) < 0)
        return JS_EXCEPTION;
    weir_otlp_flush(
        within_ms >= 0 && within_ms < 1e9 ? (int64_t)(within_ms * 1e6) : -1);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("isOn", 0, is_on),  JS_CFUNC_DEF("id", 1, make_id),
    JS_CFUNC_DEF("wall", 0, wall),   JS_CFUNC_DEF("add", 1, add),
    JS_CFUNC_DEF("flush", 1, flush), JS_CFUNC_DEF("errorName", 1, error_name),
};

const struct weir__js_builtin weir__js_trace_builtin = {
    WEIR__JS_LIBS("http/traced"),
    WEIR__JS_NATIVES(natives),
};
