/* SPDX-License-Identifier: MIT */
/*
 * session -- a record of the changes that are made to a database, and their
 * application to another one.
 *
 * Data      A session belongs to its object.  Closing the database closes it, so
 *           that it needs no reference to the connection.
 * Thread    The loop's.
 *
 * Tested by  test/js/sqlite/sqlite-sessions.js
 */
#include <limits.h>
#include <stdlib.h>

#include "bytes/block.h"
#include "bytes/bytes.h"
#include "core/builtin.h"
#include "sqlite/connection.h"
#include "sqlite/failure.h"

struct session {
    struct weir__js_child child; /* first */
    sqlite3_session *handle;     /* NULL: closed */
    bool is_closed;              /* by itself, not with the database */
};

static void end_session(struct weir__js_child *child)
{
    struct session *session = (struct session *)child;

    if (session->handle != NULL)
        sqlite3session_delete(session->handle);
    session->handle = NULL;
}

/* A closed session is in no list. */
static void close_session(struct session *session)
{
    weir__js_list_remove(&session->child.link);
    weir__js_list_init(&session->child.link);
    end_session(&session->child);
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;
    struct session *session = JS_GetAnyOpaque(value, &id);

    if (session != NULL)
        close_session(session);
    free(session);
}

/* The text of a value, or NULL if it is undefined; -1 with an exception. */
static int optional_text(JSContext *context, JSValueConst value,
                         const char **text)
{
    *text = NULL;
    if (JS_IsUndefined(value))
        return 0;
    *text = JS_ToCString(context, value);
    return *text != NULL ? 0 : -1;
}

/* Returns a result code. */
static int begin_session(struct weir__js_connection *connection,
                         struct session *session, const char *table,
                         const char *name)
{
    int code = sqlite3session_create(
        connection->db, name != NULL ? name : "main", &session->handle);

    if (code == SQLITE_OK) {
        session->child.end = end_session;
        weir__js_list_add(&connection->children, &session->child.link);
        code = sqlite3session_attach(session->handle, table);
    }
    return code;
}

/* createSession(database, prototype, table or undefined, name or undefined) */
static JSValue create_session(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);
    const char *table = NULL, *name = NULL;
    struct session *session;
    JSValue object = JS_EXCEPTION;
    int code;

    if (connection == NULL || optional_text(context, argv[2], &table) < 0 ||
        optional_text(context, argv[3], &name) < 0)
        goto done;
    object = JS_NewObjectProtoClass(context, argv[1],
                                    js->classes[WEIR__JS_SQLITE_SESSION]);
    if (JS_IsException(object))
        goto done;
    session = calloc(1, sizeof(*session));
    if (session != NULL)
        weir__js_list_init(&session->child.link);
    JS_SetOpaque(object, session);
    code = session != NULL ? begin_session(connection, session, table, name)
                           : SQLITE_NOMEM;
    if (code != SQLITE_OK) {
        weir__js_sqlite_fail(context, code, sqlite3_errstr(code));
        JS_FreeValue(context, object);
        object = JS_EXCEPTION;
    }
done:
    JS_FreeCString(context, table);
    JS_FreeCString(context, name);
    return object;
}

static struct session *session_of(JSContext *context, JSValueConst value)
{
    struct session *session =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_SQLITE_SESSION);

    if (session == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    else if (session->handle == NULL)
        weir__js_sqlite_bad_state(context, session->is_closed
                                               ? "session is not open"
                                               : "database is not open");
    else
        return session;
    return NULL;
}

/* changes(session, is a patchset) */
static JSValue session_changes(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct session *session = session_of(context, argv[0]);
    void *bytes = NULL;
    int size = 0, code;
    JSValue result;

    if (session == NULL)
        return JS_EXCEPTION;
    code = JS_ToBool(context, argv[1])
               ? sqlite3session_patchset(session->handle, &size, &bytes)
               : sqlite3session_changeset(session->handle, &size, &bytes);
    result = code == SQLITE_OK
                 ? JS_NewUint8ArrayCopy(context, bytes, (size_t)size)
                 : weir__js_sqlite_fail(context, code, sqlite3_errstr(code));
    sqlite3_free(bytes);
    return result;
}

/* closeSession(session) */
static JSValue native_close(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct session *session = session_of(context, argv[0]);

    if (session == NULL)
        return JS_EXCEPTION;
    close_session(session);
    session->is_closed = true;
    return JS_UNDEFINED;
}

/* ---- applying changes ---- */

struct application {
    struct weir__js_connection *connection;
    JSValueConst filter, on_conflict; /* or undefined */
};

/* Call a function with one argument and take the argument.  An exception stays
 * pending, and the rest is refused. */
static JSValue ask(struct application *application, JSValueConst function,
                   JSValue argument)
{
    JSContext *context = application->connection->js->context;
    JSValue answer = JS_IsException(argument)
                         ? JS_EXCEPTION
                         : JS_Call(context, function, JS_UNDEFINED, 1,
                                   (JSValueConst *)&argument);

    JS_FreeValue(context, argument);
    application->connection->has_thrown |= JS_IsException(answer);
    return answer;
}

static int filter_table(void *arg, const char *table)
{
    struct application *application = arg;
    JSContext *context = application->connection->js->context;
    JSValue answer;
    int is_wanted;

    if (application->connection->has_thrown)
        return 0;
    answer =
        ask(application, application->filter, JS_NewString(context, table));
    is_wanted = !JS_IsException(answer) && JS_ToBool(context, answer) > 0;
    JS_FreeValue(context, answer);
    return is_wanted;
}

static int solve_conflict(void *arg, int kind, sqlite3_changeset_iter *at)
{
    struct application *application = arg;
    JSContext *context = application->connection->js->context;
    JSValue answer;
    int32_t decision = -1; /* SQLite refuses it */

    if (application->connection->has_thrown ||
        JS_IsUndefined(application->on_conflict))
        return SQLITE_CHANGESET_ABORT;
    answer =
        ask(application, application->on_conflict, JS_NewInt32(context, kind));
    if (JS_IsException(answer))
        return SQLITE_CHANGESET_ABORT;
    if (JS_VALUE_GET_TAG(answer) == JS_TAG_INT)
        decision = JS_VALUE_GET_INT(answer);
    JS_FreeValue(context, answer);
    return decision;
}

/* applyChanges(database, bytes, filter or undefined, onConflict or undefined):
 * whether nothing stopped it */
static JSValue apply_changes(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);
    struct application application = {connection, argv[2], argv[3]};
    struct weir__js_block copy = weir__js_block_of(weir__js_of(context));
    struct weir__js_bytes bytes;
    int code;

    if (connection == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    /* The functions may detach or change the original. */
    if (bytes.size > INT_MAX ||
        weir__js_block_append(&copy, bytes.data, bytes.size) != 0)
        return JS_ThrowOutOfMemory(context);
    connection->depth++;
    code = sqlite3changeset_apply(connection->db, (int)copy.size, copy.bytes,
                                  JS_IsUndefined(argv[2]) ? NULL : filter_table,
                                  solve_conflict, &application);
    connection->depth--;
    weir__js_block_free(&copy);
    if (connection->has_thrown) {
        connection->has_thrown = false;
        return JS_EXCEPTION;
    }
    if (code == SQLITE_OK || code == SQLITE_ABORT)
        return JS_NewBool(context, code == SQLITE_OK);
    return weir__js_sqlite_fail(context, code, sqlite3_errstr(code));
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("createSession", 4, create_session),
    JS_CFUNC_DEF("changes", 2, session_changes),
    JS_CFUNC_DEF("closeSession", 1, native_close),
    JS_CFUNC_DEF("applyChanges", 4, apply_changes),
};

static const JSClassDef class_definition = {"Session", .finalizer = finalize};

const struct weir__js_builtin weir__js_sqlite_session_builtin = {
    WEIR__JS_LIBS("sqlite/sqlite"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};
