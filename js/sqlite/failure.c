/* SPDX-License-Identifier: MIT */
/*
 * failure -- exceptions of node:sqlite.
 *
 * They are like those that Node creates in C++: the code is a property, and not
 * part of the stack.
 *
 * Tested by  test/js/sqlite/sqlite-errors.js
 */
#include "sqlite/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/property.h"

/* The message is set separately, because the engine's format truncates it. */
static JSValue new_error(JSContext *context, enum weir__js_error_base base,
                         const char *message)
{
    JSValue text = weir__js_utf8_string(context, message, strlen(message));
    JSValue error;

    if (JS_IsException(text))
        return text;
    error = base == WEIR__JS_TYPE_ERROR
                ? JS_NewTypeError(context, "%s", message)
            : base == WEIR__JS_RANGE_ERROR
                ? JS_NewRangeError(context, "%s", message)
                : JS_NewPlainError(context, "%s", message);
    if (JS_IsException(error)) {
        JS_FreeValue(context, text);
    } else if (JS_DefinePropertyValueStr(context, error, "message", text,
                                         JS_PROP_CONFIGURABLE |
                                             JS_PROP_WRITABLE) < 0) {
        JS_FreeValue(context, error);
        return JS_EXCEPTION;
    }
    return error;
}

JSValue weir__js_sqlite_refuse(JSContext *context,
                               enum weir__js_error_base base, const char *code,
                               const char *format, ...)
{
    char message[512];
    JSValue error;
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    error = new_error(context, base, message);
    if (JS_IsException(error))
        return error;
    if (weir__js_set_property(context, error, "code",
                              JS_NewString(context, code)) < 0) {
        JS_FreeValue(context, error);
        return JS_EXCEPTION;
    }
    return JS_Throw(context, error);
}

JSValue weir__js_sqlite_bad_state(JSContext *context, const char *message)
{
    return weir__js_sqlite_refuse(context, WEIR__JS_ERROR, "ERR_INVALID_STATE",
                                  "%s", message);
}

JSValue weir__js_sqlite_fail(JSContext *context, int code, const char *message)
{
    JSValue error;

    if ((code & 0xff) == SQLITE_NOMEM)
        return JS_ThrowOutOfMemory(context);
    error = new_error(context, WEIR__JS_ERROR, message);
    if (JS_IsException(error))
        return error;
    if (weir__js_set_property(context, error, "code",
                              JS_NewString(context, "ERR_SQLITE_ERROR")) < 0 ||
        weir__js_set_property(context, error, "errcode",
                              JS_NewInt32(context, code)) < 0 ||
        weir__js_set_property(context, error, "errstr",
                              JS_NewString(context, sqlite3_errstr(code))) <
            0) {
        JS_FreeValue(context, error);
        return JS_EXCEPTION;
    }
    return JS_Throw(context, error);
}

JSValue weir__js_sqlite_fail_last(JSContext *context, sqlite3 *db)
{
    return weir__js_sqlite_fail(context, sqlite3_extended_errcode(db),
                                sqlite3_errmsg(db));
}
