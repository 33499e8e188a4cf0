/* SPDX-License-Identifier: MIT */
/*
 * statement -- a prepared statement and the object of JavaScript that has it.
 *
 * Data      Parameters are copied into SQLite, one by one.  A row is read column
 *           by column, directly or from a block that a job has filled.
 * Thread    The loop's.  A job steps the handle, and does not know this struct.
 *
 * A function of JavaScript that the statement calls may use other statements,
 * but not this one, and must not close the database.
 *
 * Tested by  test/js/sqlite/sqlite-statements.js, sqlite-errors.js
 */
#include "sqlite/statement.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/property.h"
#include "sqlite/cell.h"
#include "sqlite/failure.h"

/* ---- life ---- */

static void end_statement(struct weir__js_child *child)
{
    struct weir__js_statement *statement = (struct weir__js_statement *)child;
    struct weir__js_connection *connection = statement->connection;
    bool was_quiet = connection->is_quiet;

    connection->is_quiet = true;
    sqlite3_finalize(statement->handle);
    statement->handle = NULL;
    connection->is_quiet = was_quiet;
}

/* Give the execution up, or end it.  Returns a result code: that of the last
 * step, or of a commit that the end has caused. */
static int reset(struct weir__js_statement *statement)
{
    struct weir__js_connection *connection = statement->connection;
    bool was_quiet = connection->is_quiet;
    int code;

    connection->is_quiet = true;
    code = sqlite3_reset(statement->handle);
    connection->is_quiet = was_quiet;
    return code;
}

static void drop_names(JSRuntime *runtime, struct weir__js_statement *statement)
{
    for (int i = 0; i < statement->name_count; i++)
        JS_FreeAtomRT(runtime, statement->names[i]);
    free(statement->names);
    statement->names = NULL;
    statement->name_count = 0;
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;
    struct weir__js_statement *statement = JS_GetAnyOpaque(value, &id);
    struct weir__js_connection *connection;

    if (statement == NULL)
        return;
    connection = statement->connection;
    drop_names(runtime, statement);
    JS_FreeValueRT(runtime, statement->database);
    weir__js_list_remove(&statement->child.link);
    if (connection->is_busy) {
        weir__js_list_add(&connection->doomed, &statement->child.link);
    } else {
        end_statement(&statement->child);
        free(statement);
    }
    weir__js_connection_exit(connection);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *visit)
{
    JSClassID id;
    struct weir__js_statement *statement = JS_GetAnyOpaque(value, &id);

    if (statement != NULL)
        JS_MarkValue(runtime, statement->database, visit);
}

JSValue weir__js_statement_object(JSContext *context, JSValueConst database,
                                  JSValueConst prototype, sqlite3_stmt *handle,
                                  int flags)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_connection *connection =
        weir__js_any_connection(context, database);
    struct weir__js_statement *statement = calloc(1, sizeof(*statement));
    JSValue object = JS_NewObjectProtoClass(
        context, prototype, js->classes[WEIR__JS_SQLITE_STATEMENT]);

    if (statement == NULL || JS_IsException(object) ||
        weir_gate_enter(&connection->references) != 0) {
        sqlite3_finalize(handle);
        free(statement);
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    statement->child.end = end_statement;
    statement->connection = connection;
    statement->handle = handle;
    statement->database = JS_DupValue(context, database);
    statement->flags = flags;
    weir__js_list_add(&connection->children, &statement->child.link);
    JS_SetOpaque(object, statement);
    return object;
}

struct weir__js_statement *weir__js_statement_of(JSContext *context,
                                                 JSValueConst object)
{
    struct weir__js_statement *statement = weir__js_opaque(
        weir__js_of(context), object, WEIR__JS_SQLITE_STATEMENT);

    if (statement == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    else if (statement->handle == NULL)
        weir__js_sqlite_bad_state(context, "statement has been finalized");
    else if (statement->connection->is_busy)
        weir__js_sqlite_bad_state(context, "database is busy");
    else if (statement->is_running)
        weir__js_sqlite_bad_state(context, "statement is running");
    else
        return statement;
    return NULL;
}

/* ---- parameters ---- */

/* Returns 0, or -1 with an exception. */
static int bind_value(JSContext *context, struct weir__js_statement *statement,
                      int index, JSValueConst value)
{
    struct weir__js_cell cell;
    enum weir__js_cell_outcome outcome =
        weir__js_cell_from(context, value, &cell);
    int code = SQLITE_OK;

    if (outcome == WEIR__JS_CELL_FOREIGN)
        weir__js_sqlite_refuse(
            context, WEIR__JS_TYPE_ERROR, "ERR_INVALID_ARG_TYPE",
            "Provided value cannot be bound to SQLite parameter %d.", index);
    else if (outcome == WEIR__JS_CELL_TOO_LARGE)
        weir__js_sqlite_refuse(context, WEIR__JS_TYPE_ERROR,
                               "ERR_INVALID_ARG_VALUE",
                               "BigInt value is too large to bind.");
    else if (outcome == WEIR__JS_CELL_OK)
        code = weir__js_cell_bind(statement->handle, index, &cell);
    weir__js_cell_free(context, &cell);
    if (code != SQLITE_OK)
        weir__js_sqlite_fail_last(context, statement->connection->db);
    return outcome == WEIR__JS_CELL_OK && code == SQLITE_OK ? 0 : -1;
}

/* Two parameters that differ only in their first character have no bare name.
 * Returns 0, or -1 with an exception. */
static int check_bare_names(JSContext *context,
                            struct weir__js_statement *statement)
{
    int count = sqlite3_bind_parameter_count(statement->handle);

    if (statement->has_checked_names)
        return 0;
    for (int i = 1; i <= count; i++) {
        const char *name = sqlite3_bind_parameter_name(statement->handle, i);

        for (int j = 1; name != NULL && j < i; j++) {
            const char *other =
                sqlite3_bind_parameter_name(statement->handle, j);

            if (other == NULL || strcmp(name + 1, other + 1) != 0)
                continue;
            weir__js_sqlite_refuse(
                context, WEIR__JS_ERROR, "ERR_INVALID_STATE",
                "Cannot create bare named parameter '%s' because of "
                "conflicting names '%s' and '%s'.",
                name + 1, other, name);
            return -1;
        }
    }
    statement->has_checked_names = true;
    return 0;
}

/* The number of a named parameter, or 0. */
static int find_parameter(const struct weir__js_statement *statement,
                          const char *key)
{
    sqlite3_stmt *handle = statement->handle;
    int index = sqlite3_bind_parameter_index(handle, key);
    int count = sqlite3_bind_parameter_count(handle);

    if (!(statement->flags & WEIR__JS_BARE_NAMES))
        return index;
    for (int i = 1; index == 0 && i <= count; i++) {
        const char *name = sqlite3_bind_parameter_name(handle, i);

        if (name != NULL && strcmp(name + 1, key) == 0)
            index = i;
    }
    return index;
}

/* Returns 0, or -1 with an exception. */
static int bind_property(JSContext *context,
                         struct weir__js_statement *statement,
                         JSValueConst object, JSAtom name)
{
    const char *key = JS_AtomToCString(context, name);
    int index = key != NULL ? find_parameter(statement, key) : 0, status = -1;
    JSValue value;

    if (index > 0) {
        value = JS_GetProperty(context, object, name);
        if (!JS_IsException(value))
            status = bind_value(context, statement, index, value);
        JS_FreeValue(context, value);
    } else if (key != NULL && (statement->flags & WEIR__JS_UNKNOWN_NAMES)) {
        status = 0;
    } else if (key != NULL) {
        weir__js_sqlite_refuse(context, WEIR__JS_ERROR, "ERR_INVALID_STATE",
                               "Unknown named parameter '%s'", key);
    }
    JS_FreeCString(context, key);
    return status;
}

static int bind_object(JSContext *context, struct weir__js_statement *statement,
                       JSValueConst object)
{
    JSPropertyEnum *properties;
    uint32_t count;
    int status = 0;

    if ((statement->flags & WEIR__JS_BARE_NAMES) &&
        check_bare_names(context, statement) < 0)
        return -1;
    if (JS_GetOwnPropertyNames(context, &properties, &count, object,
                               JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
        return -1;
    for (uint32_t i = 0; i < count && status == 0; i++)
        status = bind_property(context, statement, object, properties[i].atom);
    JS_FreePropertyEnum(context, properties, count);
    return status;
}

static bool is_anonymous(sqlite3_stmt *handle, int index)
{
    const char *name = sqlite3_bind_parameter_name(handle, index);

    return name == NULL || name[0] == '?';
}

static int bind_all(JSContext *context, struct weir__js_statement *statement,
                    int argc, JSValueConst *argv)
{
    int first = 0, index = 1;

    if (argc > 0 && JS_IsObject(argv[0]) && !JS_IsDataView(argv[0]) &&
        JS_GetTypedArrayType(argv[0]) < 0) {
        if (bind_object(context, statement, argv[0]) < 0)
            return -1;
        first = 1;
    }
    for (int i = first; i < argc; i++, index++) {
        while (!is_anonymous(statement->handle, index))
            index++;
        if (bind_value(context, statement, index, argv[i]) < 0)
            return -1;
    }
    return 0;
}

int weir__js_statement_bind(JSContext *context,
                            struct weir__js_statement *statement, int argc,
                            JSValueConst *argv)
{
    int status;

    statement->run++;
    reset(statement);
    sqlite3_clear_bindings(statement->handle);
    statement->is_running = true; /* a getter may call anything */
    statement->connection->depth++;
    status = bind_all(context, statement, argc, argv);
    statement->connection->depth--;
    statement->is_running = false;
    return status;
}

/* ---- rows ---- */

/* Returns 0, or -1 with an exception. */
static int read_names(JSContext *context, struct weir__js_statement *statement)
{
    int count = sqlite3_column_count(statement->handle);
    int prepared =
        sqlite3_stmt_status(statement->handle, SQLITE_STMTSTATUS_REPREPARE, 0);

    if (statement->names != NULL && statement->prepared == prepared)
        return 0;
    drop_names(JS_GetRuntime(context), statement);
    statement->names = calloc((size_t)count + 1, sizeof(JSAtom));
    statement->prepared = prepared;
    for (int i = 0; statement->names != NULL && i < count; i++) {
        const char *name = sqlite3_column_name(statement->handle, i);
        JSAtom atom = name != NULL ? JS_NewAtom(context, name) : JS_ATOM_NULL;

        if (atom == JS_ATOM_NULL) {
            drop_names(JS_GetRuntime(context), statement);
            break;
        }
        statement->names[statement->name_count++] = atom;
    }
    if (statement->names != NULL)
        return 0;
    JS_ThrowOutOfMemory(context);
    return -1;
}

/* A row without values.  The names must have been read. */
static JSValue new_row(JSContext *context,
                       const struct weir__js_statement *statement)
{
    return statement->flags & WEIR__JS_ARRAYS
               ? JS_NewArray(context)
               : JS_NewObjectProto(context, JS_NULL);
}

/* Returns 0, or -1 with an exception. */
static int set_column(JSContext *context,
                      const struct weir__js_statement *statement,
                      JSValueConst row, int index,
                      const struct weir__js_cell *cell)
{
    JSValue value = weir__js_cell_value(context, cell,
                                        statement->flags & WEIR__JS_BIG_INTS);

    if (JS_IsException(value))
        return -1;
    return statement->flags & WEIR__JS_ARRAYS
               ? JS_DefinePropertyValueUint32(context, row, (uint32_t)index,
                                              value, JS_PROP_C_W_E)
               : JS_DefinePropertyValue(context, row, statement->names[index],
                                        value, JS_PROP_C_W_E);
}

/* The row that the statement has reached, or an exception. */
static JSValue read_row(JSContext *context,
                        struct weir__js_statement *statement)
{
    int count = sqlite3_data_count(statement->handle);
    JSValue row;

    if (read_names(context, statement) < 0)
        return JS_EXCEPTION;
    row = new_row(context, statement);
    for (int i = 0; !JS_IsException(row) && i < count; i++) {
        struct weir__js_cell cell = weir__js_cell_column(statement->handle, i);

        if (set_column(context, statement, row, i, &cell) < 0) {
            JS_FreeValue(context, row);
            row = JS_EXCEPTION;
        }
    }
    return row;
}

static JSValue decode_row(JSContext *context,
                          struct weir__js_statement *statement, const char **at,
                          int column_count)
{
    JSValue row = new_row(context, statement);

    for (int i = 0; !JS_IsException(row) && i < column_count; i++) {
        struct weir__js_cell cell;

        *at = weir__js_cell_read(*at, &cell);
        if (set_column(context, statement, row, i, &cell) < 0) {
            JS_FreeValue(context, row);
            row = JS_EXCEPTION;
        }
    }
    return row;
}

JSValue weir__js_statement_rows(JSContext *context,
                                struct weir__js_statement *statement,
                                const struct weir__js_block *block,
                                int column_count)
{
    const char *at = block->bytes;
    const char *end = block->size > 0 ? at + block->size : at;
    JSValue rows = read_names(context, statement) < 0 ? JS_EXCEPTION
                                                      : JS_NewArray(context);

    for (uint32_t i = 0; !JS_IsException(rows) && at < end; i++)
        if (weir__js_set_element(
                context, rows, i,
                decode_row(context, statement, &at, column_count)) < 0) {
            JS_FreeValue(context, rows);
            rows = JS_EXCEPTION;
        }
    return rows;
}

JSValue weir__js_statement_changes(JSContext *context, int64_t rowid,
                                   int64_t changes, bool is_big)
{
    JSValue object = JS_NewObject(context);

    if (JS_IsException(object))
        return object;
    if (weir__js_set_property(context, object, "lastInsertRowid",
                              is_big ? JS_NewBigInt64(context, rowid)
                                     : JS_NewInt64(context, rowid)) < 0 ||
        weir__js_set_property(context, object, "changes",
                              is_big ? JS_NewBigInt64(context, changes)
                                     : JS_NewInt64(context, changes)) < 0) {
        JS_FreeValue(context, object);
        return JS_EXCEPTION;
    }
    return object;
}

/* ---- execution on this thread ---- */

/* Returns SQLITE_ROW, SQLITE_DONE, or another code, with an exception. */
static int step(JSContext *context, struct weir__js_statement *statement)
{
    struct weir__js_connection *connection = statement->connection;
    int code;

    statement->is_running = true;
    connection->depth++;
    code = sqlite3_step(statement->handle);
    connection->depth--;
    statement->is_running = false;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        weir__js_connection_failed(context, connection);
    return code;
}

/* The statement of a call, with its arguments bound; or NULL with an
 * exception. */
static struct weir__js_statement *begin(JSContext *context, JSValueConst object,
                                        int argc, JSValueConst *argv)
{
    struct weir__js_statement *statement =
        weir__js_statement_of(context, object);

    return statement == NULL ||
                   weir__js_statement_bind(context, statement, argc, argv) < 0
               ? NULL
               : statement;
}

static JSValue statement_run(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__js_statement *statement =
        begin(context, this_value, argc, argv);
    sqlite3 *db;
    int code, end;

    if (statement == NULL)
        return JS_EXCEPTION;
    db = statement->connection->db;
    code = step(context, statement);
    /* With RETURNING, only the end counts the changes and commits them. */
    end = reset(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return JS_EXCEPTION;
    if (end != SQLITE_OK)
        return weir__js_sqlite_fail_last(context, db);
    return weir__js_statement_changes(context, sqlite3_last_insert_rowid(db),
                                      sqlite3_changes64(db),
                                      statement->flags & WEIR__JS_BIG_INTS);
}

static JSValue statement_get(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__js_statement *statement =
        begin(context, this_value, argc, argv);
    JSValue row;
    int code;

    if (statement == NULL)
        return JS_EXCEPTION;
    code = step(context, statement);
    row = code == SQLITE_ROW    ? read_row(context, statement)
          : code == SQLITE_DONE ? JS_UNDEFINED
                                : JS_EXCEPTION;
    reset(statement);
    return row;
}

static JSValue statement_all(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__js_statement *statement =
        begin(context, this_value, argc, argv);
    JSValue rows = statement == NULL ? JS_EXCEPTION : JS_NewArray(context);
    int code = SQLITE_DONE;

    for (uint32_t i = 0; !JS_IsException(rows); i++) {
        code = step(context, statement);
        if (code == SQLITE_DONE)
            break;
        if (code != SQLITE_ROW ||
            weir__js_set_element(context, rows, i,
                                 read_row(context, statement)) < 0) {
            JS_FreeValue(context, rows);
            rows = JS_EXCEPTION;
        }
    }
    if (statement != NULL)
        reset(statement);
    return rows;
}

/* ---- natives: js/lib/sqlite/sqlite.js has the iterator ---- */

/* prepare(database, prototype, sql, flags) */
static JSValue prepare_statement(JSContext *context, JSValueConst this_value,
                                 int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);
    sqlite3_stmt *handle = NULL;
    const char *sql;
    int32_t flags;
    int code;

    if (connection == NULL || JS_ToInt32(context, &flags, argv[3]) < 0)
        return JS_EXCEPTION;
    sql = JS_ToCString(context, argv[2]);
    if (sql == NULL)
        return JS_EXCEPTION;
    connection->depth++;
    code = sqlite3_prepare_v2(connection->db, sql, -1, &handle, NULL);
    connection->depth--;
    JS_FreeCString(context, sql);
    if (code != SQLITE_OK)
        return weir__js_connection_failed(context, connection);
    return weir__js_statement_object(context, argv[0], argv[1], handle, flags);
}

/* begin(statement, ...parameters): the number of this execution */
static JSValue statement_begin(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct weir__js_statement *statement =
        begin(context, argv[0], argc - 1, argv + 1);

    return statement == NULL ? JS_EXCEPTION
                             : JS_NewUint32(context, statement->run);
}

/* The statement of an iterator, if it is still that execution; NULL with an
 * exception. */
static struct weir__js_statement *same_run(JSContext *context,
                                           JSValueConst *argv)
{
    struct weir__js_statement *statement =
        weir__js_statement_of(context, argv[0]);
    uint32_t run;

    if (statement == NULL || JS_ToUint32(context, &run, argv[1]) < 0)
        return NULL;
    if (run == statement->run)
        return statement;
    weir__js_sqlite_bad_state(context, "iterator was invalidated");
    return NULL;
}

/* next(statement, execution): a row, or undefined at the end */
static JSValue statement_next(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    struct weir__js_statement *statement = same_run(context, argv);
    JSValue row = JS_EXCEPTION;
    int code;

    if (statement == NULL)
        return JS_EXCEPTION;
    code = step(context, statement);
    if (code == SQLITE_ROW)
        row = read_row(context, statement);
    else if (code == SQLITE_DONE)
        row = JS_UNDEFINED;
    if (code != SQLITE_ROW || JS_IsException(row))
        reset(statement);
    return row;
}

/* end(statement, execution) */
static JSValue statement_end(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__js_statement *statement = same_run(context, argv);

    if (statement == NULL)
        return JS_EXCEPTION;
    reset(statement);
    return JS_UNDEFINED;
}

/* ---- what it is ---- */

static JSValue text_or_null(JSContext *context, const char *text)
{
    return text == NULL ? JS_NULL
                        : weir__js_utf8_string(context, text, strlen(text));
}

static JSValue source_sql(JSContext *context, JSValueConst this_value)
{
    struct weir__js_statement *statement =
        weir__js_statement_of(context, this_value);

    return statement == NULL
               ? JS_EXCEPTION
               : text_or_null(context, sqlite3_sql(statement->handle));
}

static JSValue expanded_sql(JSContext *context, JSValueConst this_value)
{
    struct weir__js_statement *statement =
        weir__js_statement_of(context, this_value);
    char *text;
    JSValue result;

    if (statement == NULL)
        return JS_EXCEPTION;
    text = sqlite3_expanded_sql(statement->handle);
    if (text == NULL) /* it would be longer than the limit, too */
        return weir__js_sqlite_fail(context, SQLITE_TOOBIG,
                                    "Expanded SQL text would exceed "
                                    "configured limits");
    result = text_or_null(context, text);
    sqlite3_free(text);
    return result;
}

static JSValue describe_column(JSContext *context, sqlite3_stmt *handle,
                               int index)
{
    const struct {
        const char *key, *value;
    } parts[] = {
        {"column", sqlite3_column_origin_name(handle, index)},
        {"database", sqlite3_column_database_name(handle, index)},
        {"name", sqlite3_column_name(handle, index)},
        {"table", sqlite3_column_table_name(handle, index)},
        {"type", sqlite3_column_decltype(handle, index)},
    };
    JSValue object = JS_NewObjectProto(context, JS_NULL);

    for (size_t i = 0;
         !JS_IsException(object) && i < sizeof(parts) / sizeof(*parts); i++)
        if (weir__js_set_property(context, object, parts[i].key,
                                  text_or_null(context, parts[i].value)) < 0) {
            JS_FreeValue(context, object);
            object = JS_EXCEPTION;
        }
    return object;
}

static JSValue statement_columns(JSContext *context, JSValueConst this_value,
                                 int argc, JSValueConst *argv)
{
    struct weir__js_statement *statement =
        weir__js_statement_of(context, this_value);
    JSValue list = statement == NULL ? JS_EXCEPTION : JS_NewArray(context);
    int count = statement == NULL ? 0 : sqlite3_column_count(statement->handle);

    for (int i = 0; !JS_IsException(list) && i < count; i++)
        if (weir__js_set_element(
                context, list, (uint32_t)i,
                describe_column(context, statement->handle, i)) < 0) {
            JS_FreeValue(context, list);
            list = JS_EXCEPTION;
        }
    return list;
}

/* setFlag(statement, flag, whether) */
static JSValue set_flag(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct weir__js_statement *statement =
        weir__js_statement_of(context, argv[0]);
    int32_t flag;

    if (statement == NULL || JS_ToInt32(context, &flag, argv[1]) < 0)
        return JS_EXCEPTION;
    if (JS_ToBool(context, argv[2]))
        statement->flags |= flag;
    else
        statement->flags &= ~flag;
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("prepare", 4, prepare_statement),
    JS_CFUNC_DEF("begin", 1, statement_begin),
    JS_CFUNC_DEF("next", 2, statement_next),
    JS_CFUNC_DEF("end", 2, statement_end),
    JS_CFUNC_DEF("setFlag", 3, set_flag),
};

/* Methods: sqlite/sqlite.js puts them into the prototype. */
static const JSCFunctionListEntry methods[] = {
    JS_CFUNC_DEF("run", 0, statement_run),
    JS_CFUNC_DEF("get", 0, statement_get),
    JS_CFUNC_DEF("all", 0, statement_all),
    JS_CFUNC_DEF("columns", 0, statement_columns),
    JS_CGETSET_DEF("sourceSQL", source_sql, NULL),
    JS_CGETSET_DEF("expandedSQL", expanded_sql, NULL),
};

static int add_methods(JSContext *context, JSValueConst native)
{
    JSValue object = JS_NewObject(context);

    if (!JS_IsException(object) &&
        WEIR__JS_SET_FUNCTIONS(context, object, methods) < 0) {
        JS_FreeValue(context, object);
        return -1;
    }
    return weir__js_set_property(context, native, "methods", object);
}

static const JSClassDef class_definition = {
    .class_name = "StatementSync", .finalizer = finalize, .gc_mark = mark};

const struct weir__js_builtin weir__js_sqlite_statement_builtin = {
    WEIR__JS_LIBS("sqlite/sqlite", "sqlite/async"),
    WEIR__JS_NATIVES(natives),
    .add = add_methods,
    .class_definition = &class_definition,
};
