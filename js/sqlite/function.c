/* SPDX-License-Identifier: MIT */
/*
 * function -- functions of JavaScript that SQL can call.
 *
 * Data      A list of the connection, released when the database is closed, so
 *           that SQLite never frees a JavaScript value.  One that another of the
 *           same name replaces stays in it.
 * Thread    The loop's: only connections without jobs have functions.
 *
 * An exception stays pending while SQLite ends the statement.  No other function
 * is called until then, except to release an aggregate's value.
 *
 * Tested by  test/js/sqlite/sqlite-functions.js
 */
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "sqlite/cell.h"
#include "sqlite/connection.h"
#include "sqlite/failure.h"

enum { MOST_ARGUMENTS = 128 }; /* SQLite's own limit is 127 */

enum function_flags {
    BIG_INTS = 1,
    DETERMINISTIC = 2,
    DIRECT_ONLY = 4,
};

void weir__js_function_free(JSRuntime *runtime,
                            struct weir__js_function *function)
{
    JS_FreeValueRT(runtime, function->call);
    JS_FreeValueRT(runtime, function->start);
    JS_FreeValueRT(runtime, function->step);
    JS_FreeValueRT(runtime, function->result);
    JS_FreeValueRT(runtime, function->inverse);
    free(function);
}

static JSContext *context_of(const struct weir__js_function *function)
{
    return function->connection->js->context;
}

/* End the statement: an exception is pending. */
static void fail(struct weir__js_function *function, sqlite3_context *call)
{
    function->connection->has_thrown = true;
    sqlite3_result_error(call, "", 0);
}

/* Call a function with SQLite's values, after `first` unless that is an
 * uninitialized value.  Returns an exception, or the result. */
static JSValue apply(struct weir__js_function *function, JSValueConst callee,
                     JSValue first, int argc, sqlite3_value **argv)
{
    JSContext *context = context_of(function);
    JSValue args[MOST_ARGUMENTS + 1], result = JS_UNDEFINED;
    int count = 0;

    if (!JS_IsUninitialized(first))
        args[count++] = JS_DupValue(context, first);
    for (int i = 0; i < argc && !JS_IsException(result); i++) {
        struct weir__js_cell cell = weir__js_cell_argument(argv[i]);

        args[count] = weir__js_cell_value(context, &cell, function->is_big);
        if (JS_IsException(args[count]))
            result = JS_EXCEPTION;
        else
            count++;
    }
    if (!JS_IsException(result))
        result =
            JS_Call(context, callee, JS_UNDEFINED, count, (JSValueConst *)args);
    while (count > 0)
        JS_FreeValue(context, args[--count]);
    return result;
}

/* Give SQLite a result, and take it. */
static void answer(struct weir__js_function *function, sqlite3_context *call,
                   JSValue value)
{
    JSContext *context = context_of(function);
    struct weir__js_cell cell = {.type = SQLITE_NULL};
    enum weir__js_cell_outcome outcome = WEIR__JS_CELL_OK;

    if (JS_IsException(value)) {
        fail(function, call);
        return;
    }
    if (!JS_IsUndefined(value))
        outcome = weir__js_cell_from(context, value, &cell);
    if (outcome == WEIR__JS_CELL_THREW)
        fail(function, call);
    else if (outcome == WEIR__JS_CELL_TOO_LARGE)
        sqlite3_result_error(call, "BigInt value is too large for SQLite", -1);
    else if (outcome == WEIR__JS_CELL_FOREIGN)
        sqlite3_result_error(
            call,
            JS_IsPromise(value)
                ? "Asynchronous user-defined functions are not supported"
                : "Returned JavaScript value cannot be converted to a SQLite "
                  "value",
            -1);
    else
        weir__js_cell_result(call, &cell);
    weir__js_cell_free(context, &cell);
    JS_FreeValue(context, value);
}

static void call_function(sqlite3_context *call, int argc, sqlite3_value **argv)
{
    struct weir__js_function *function = sqlite3_user_data(call);

    if (function->connection->has_thrown)
        sqlite3_result_error(call, "", 0);
    else
        answer(function, call,
               apply(function, function->call, JS_UNINITIALIZED, argc, argv));
}

/* ---- aggregates ---- */

/* SQLite's memory for one group, zeroed. */
struct group {
    JSValue value;
    bool has_begun;
    bool is_window; /* its results were read with read_window */
};

/* The group of a call, with its first value; NULL if the call has failed. */
static struct group *group_of(struct weir__js_function *function,
                              sqlite3_context *call)
{
    JSContext *context = context_of(function);
    struct group *group = sqlite3_aggregate_context(call, sizeof(*group));

    if (group == NULL) {
        sqlite3_result_error_nomem(call);
        return NULL;
    }
    if (group->has_begun)
        return group;
    group->value =
        JS_IsFunction(context, function->start)
            ? JS_Call(context, function->start, JS_UNDEFINED, 0, NULL)
            : JS_DupValue(context, function->start);
    if (JS_IsException(group->value)) {
        fail(function, call);
        return NULL;
    }
    group->has_begun = true;
    return group;
}

static void advance(sqlite3_context *call, JSValueConst callee, int argc,
                    sqlite3_value **argv)
{
    struct weir__js_function *function = sqlite3_user_data(call);
    struct group *group;
    JSValue value;

    if (function->connection->has_thrown)
        return;
    group = group_of(function, call);
    if (group == NULL)
        return;
    value = apply(function, callee, group->value, argc, argv);
    if (JS_IsException(value)) {
        fail(function, call);
        return;
    }
    JS_FreeValue(context_of(function), group->value);
    group->value = value;
}

static void step_aggregate(sqlite3_context *call, int argc,
                           sqlite3_value **argv)
{
    struct weir__js_function *function = sqlite3_user_data(call);

    advance(call, function->step, argc, argv);
}

static void undo_aggregate(sqlite3_context *call, int argc,
                           sqlite3_value **argv)
{
    struct weir__js_function *function = sqlite3_user_data(call);

    advance(call, function->inverse, argc, argv);
}

static void read_aggregate(sqlite3_context *call)
{
    struct weir__js_function *function = sqlite3_user_data(call);
    struct group *group =
        function->connection->has_thrown ? NULL : group_of(function, call);

    if (group == NULL)
        return;
    answer(function, call,
           JS_IsUndefined(function->result)
               ? JS_DupValue(context_of(function), group->value)
               : apply(function, function->result, group->value, 0, NULL));
}

/* The result of a window, which goes on. */
static void read_window(sqlite3_context *call)
{
    struct group *group;

    read_aggregate(call);
    group = sqlite3_aggregate_context(call, 0);
    if (group != NULL)
        group->is_window = true;
}

/* The end of a group: with its result, or just its memory if the statement was
 * reset or has failed, or the group is a window. */
static void finish_aggregate(sqlite3_context *call)
{
    struct weir__js_function *function = sqlite3_user_data(call);
    struct group *group = sqlite3_aggregate_context(call, 0);

    if (!function->connection->is_quiet && (group == NULL || !group->is_window))
        read_aggregate(call);
    group = sqlite3_aggregate_context(call, 0);
    if (group != NULL && group->has_begun) {
        group->has_begun = false;
        JS_FreeValue(context_of(function), group->value);
    }
}

/* ---- definitions ---- */

static int sqlite_flags(int flags)
{
    return SQLITE_UTF8 | (flags & DETERMINISTIC ? SQLITE_DETERMINISTIC : 0) |
           (flags & DIRECT_ONLY ? SQLITE_DIRECTONLY : 0);
}

static struct weir__js_function *
new_function(JSContext *context, struct weir__js_connection *connection,
             int flags)
{
    struct weir__js_function *function = calloc(1, sizeof(*function));

    if (function == NULL) {
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    *function = (struct weir__js_function){
        .connection = connection,
        .call = JS_UNDEFINED,
        .start = JS_UNDEFINED,
        .step = JS_UNDEFINED,
        .result = JS_UNDEFINED,
        .inverse = JS_UNDEFINED,
        .is_big = (flags & BIG_INTS) != 0,
    };
    weir__js_list_add(&connection->functions, &function->link);
    return function;
}

/* Read (database, name, count, flags).  Returns the name, or NULL with an
 * exception. */
static const char *read_definition(JSContext *context, JSValueConst *argv,
                                   struct weir__js_connection **connection,
                                   int32_t *count, int32_t *flags)
{
    *connection = weir__js_connection_of(context, argv[0]);
    if (*connection == NULL || JS_ToInt32(context, count, argv[2]) < 0 ||
        JS_ToInt32(context, flags, argv[3]) < 0)
        return NULL;
    return JS_ToCString(context, argv[1]);
}

/* End a definition: throw what SQLite refused. */
static JSValue defined(JSContext *context,
                       struct weir__js_connection *connection,
                       struct weir__js_function *function, int code)
{
    if (code == SQLITE_OK)
        return JS_UNDEFINED;
    weir__js_list_remove(&function->link);
    weir__js_function_free(JS_GetRuntime(context), function);
    return weir__js_sqlite_fail_last(context, connection->db);
}

/* defineFunction(database, name, count, flags, function) */
static JSValue define_function(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection;
    struct weir__js_function *function;
    int32_t count, flags;
    const char *name =
        read_definition(context, argv, &connection, &count, &flags);
    int code = SQLITE_OK;

    if (name == NULL)
        return JS_EXCEPTION;
    function = new_function(context, connection, flags);
    if (function != NULL) {
        function->call = JS_DupValue(context, argv[4]);
        code = sqlite3_create_function_v2(connection->db, name, count,
                                          sqlite_flags(flags), function,
                                          call_function, NULL, NULL, NULL);
    }
    JS_FreeCString(context, name);
    return function == NULL ? JS_EXCEPTION
                            : defined(context, connection, function, code);
}

/* defineAggregate(database, name, count, flags, start, step, result or
 * undefined, inverse or undefined) */
static JSValue define_aggregate(JSContext *context, JSValueConst this_value,
                                int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection;
    struct weir__js_function *function;
    int32_t count, flags;
    const char *name =
        read_definition(context, argv, &connection, &count, &flags);
    bool is_window = !JS_IsUndefined(argv[7]);
    int code = SQLITE_OK;

    if (name == NULL)
        return JS_EXCEPTION;
    function = new_function(context, connection, flags);
    if (function != NULL) {
        function->start = JS_DupValue(context, argv[4]);
        function->step = JS_DupValue(context, argv[5]);
        function->result = JS_DupValue(context, argv[6]);
        function->inverse = JS_DupValue(context, argv[7]);
        code = sqlite3_create_window_function(
            connection->db, name, count, sqlite_flags(flags), function,
            step_aggregate, finish_aggregate, is_window ? read_window : NULL,
            is_window ? undo_aggregate : NULL, NULL);
    }
    JS_FreeCString(context, name);
    return function == NULL ? JS_EXCEPTION
                            : defined(context, connection, function, code);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("defineFunction", 5, define_function),
    JS_CFUNC_DEF("defineAggregate", 8, define_aggregate),
};

const struct weir__js_builtin weir__js_sqlite_function_builtin = {
    WEIR__JS_LIBS("sqlite/sqlite"),
    WEIR__JS_NATIVES(natives),
};
