/* SPDX-License-Identifier: MIT */
/*
 * failure -- exceptions of node:sqlite.
 */
#ifndef WEIR_JS_FAILURE_H
#define WEIR_JS_FAILURE_H

#include <sqlite3.h>

#include "core/host.h"

enum weir__js_error_base {
    WEIR__JS_ERROR,
    WEIR__JS_TYPE_ERROR,
    WEIR__JS_RANGE_ERROR,
};

/* Throw an error with `code`.  Returns JS_EXCEPTION. */
__attribute__((format(printf, 4, 5))) JSValue
weir__js_sqlite_refuse(JSContext *context, enum weir__js_error_base base,
                       const char *code, const char *format, ...);

/* Throw ERR_INVALID_STATE.  Returns JS_EXCEPTION. */
JSValue weir__js_sqlite_bad_state(JSContext *context, const char *message);

/* Throw ERR_SQLITE_ERROR with the extended result code and its text.  Returns
 * JS_EXCEPTION. */
JSValue weir__js_sqlite_fail(JSContext *context, int code, const char *message);

/* Throw the last error of a connection.  Returns JS_EXCEPTION. */
JSValue weir__js_sqlite_fail_last(JSContext *context, sqlite3 *db);

#endif /* WEIR_JS_FAILURE_H */
