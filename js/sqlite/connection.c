/* SPDX-License-Identifier: MIT */
/*
 * connection -- an open database, and what JavaScript does with it as a whole.
 *
 * A long statement on the loop's thread checks now and then whether the host was
 * terminated.  One on the pool is interrupted when the host ends.
 *
 * Tested by  test/js/sqlite
 */
#include "sqlite/connection.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/interrupt.h"
#include "core/place.h"
#include "sqlite/failure.h"

enum { OPERATIONS_BETWEEN_CHECKS = 10000 };

/* ---- life ---- */

static void free_doomed(struct weir__js_connection *connection)
{
    while (!weir__js_list_is_empty(&connection->doomed)) {
        struct weir__js_link *link = connection->doomed.next;

        weir__js_list_remove(link);
        ((struct weir__js_child *)link)->end((struct weir__js_child *)link);
        free(link);
    }
}

void weir__js_connection_returned(struct weir__js_connection *connection)
{
    connection->is_busy = false;
    free_doomed(connection);
}

/* Nobody is left: any thread. */
static void on_nobody_left(void *arg)
{
    struct weir__js_connection *connection = arg;

    free_doomed(connection);
    weir__js_connection_shut(connection);
    free(connection);
}

static struct weir__js_link *connections(weir_js *js)
{
    return js->states[WEIR__JS_SQLITE];
}

struct weir__js_connection *weir__js_connection_new(JSContext *context)
{
    struct weir__js_connection *connection = calloc(1, sizeof(*connection));

    if (connection == NULL ||
        weir_gate_init(&connection->references, on_nobody_left, connection,
                       NULL) != 0 ||
        weir_gate_start(&connection->references) != 0 ||
        weir_gate_enter(&connection->references) != 0) {
        free(connection);
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    connection->js = weir__js_of(context);
    weir__js_list_init(&connection->children);
    weir__js_list_init(&connection->functions);
    weir__js_list_init(&connection->doomed);
    weir__js_list_add(connections(connection->js), &connection->link);
    return connection;
}

/* Called in the middle of a statement on the loop's thread. */
static int check_entry(void *arg)
{
    struct weir__js_connection *connection = arg;

    if (connection->has_thrown)
        return 1;
    connection->has_thrown = !weir__js_may_go_on(connection->js->context);
    return connection->has_thrown;
}

/* Called in the middle of a statement on the pool. */
static int check_end(void *arg)
{
    struct weir__js_connection *connection = arg;
    bool is_ended;

    weir_lock_acquire(&connection->lock);
    is_ended = connection->is_ended;
    weir_lock_release(&connection->lock);
    return is_ended;
}

/* Returns a result code. */
static int configure(sqlite3 *db, int flags, int timeout_ms)
{
    bool is_quoted = (flags & WEIR__JS_DOUBLE_QUOTED) != 0;
    int code = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, is_quoted, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, is_quoted, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY,
                                 (flags & WEIR__JS_FOREIGN_KEYS) != 0, NULL);
    if (code == SQLITE_OK && (flags & WEIR__JS_EXTENSIONS) != 0)
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1,
                                 NULL);
    return code == SQLITE_OK ? sqlite3_busy_timeout(db, timeout_ms) : code;
}

static bool is_in_memory(const char *path)
{
    return *path == '\0' || strcmp(path, ":memory:") == 0;
}

bool weir__js_sqlite_check(JSContext *context, const char *path, int flags)
{
    if ((flags & WEIR__JS_EXTENSIONS) != 0 &&
        !weir__js_check_may(context, WEIR__JS_MAY_LOAD))
        return false;
    return is_in_memory(path) ||
           weir__js_check_path(context,
                               (flags & WEIR__JS_READ_ONLY) != 0
                                   ? WEIR__JS_MAY_READ
                                   : WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE,
                               path);
}

int weir__js_sqlite_resolve(JSContext *context, char **path)
{
    char *name;

    if (!weir__js_is_confined || is_in_memory(*path))
        return 0;
    name = weir__js_resolve_path(*path);
    if (name == NULL) {
        JS_ThrowOutOfMemory(context);
        return -1;
    }
    free(*path);
    *path = name;
    return 0;
}

static bool is_granted(const char *path, int wanted)
{
    return is_in_memory(path) || weir__js_missing_for_path(wanted, path) == 0;
}

/* SQL can open other files: by ATTACH, and by VACUUM INTO, which attaches.  And
 * fts3_tokenizer(name, address) calls any address that is bound to it. */
static int authorize(void *arg, int action, const char *first,
                     const char *second, const char *database,
                     const char *trigger)
{
    if (action == SQLITE_ATTACH)
        return first != NULL &&
                       is_granted(first, WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE)
                   ? SQLITE_OK
                   : SQLITE_DENY;
    if (action == SQLITE_FUNCTION && second != NULL &&
        sqlite3_stricmp(second, "fts3_tokenizer") == 0)
        return SQLITE_DENY;
    if (action == SQLITE_PRAGMA && first != NULL &&
        (sqlite3_stricmp(first, "temp_store_directory") == 0 ||
         sqlite3_stricmp(first, "data_store_directory") == 0))
        return SQLITE_DENY;
    return SQLITE_OK;
}

/* ---- files, in a confined process ---- */

/* SQLite opens and deletes files whose names it reads from other files: the end
 * of a journal names one that is removed after a crash.  So the default VFS
 * checks each name.  (A URI could choose another VFS, and is refused.) */
static sqlite3_vfs *unconfined, checked;

/* What SQLite keeps beside a database is granted with it. */
static bool may_touch(const char *name, int wanted)
{
    const char *end = strrchr(name, '-');
    char database[PATH_MAX];

    if (weir__js_missing_for_path(wanted, name) == 0)
        return true;
    if (end == NULL || (size_t)(end - name) >= sizeof(database) ||
        (strcmp(end, "-journal") != 0 && strcmp(end, "-wal") != 0 &&
         strncmp(end, "-mj", 3) != 0))
        return false;
    memcpy(database, name, (size_t)(end - name));
    database[end - name] = '\0';
    return weir__js_missing_for_path(wanted, database) == 0;
}

static int open_checked(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
                        int flags, int *opened)
{
    enum { WRITES = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE };

    file->pMethods = NULL;
    if (name != NULL && (flags & SQLITE_OPEN_READWRITE) != 0 &&
        !may_touch(name, WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE))
        flags = (flags & ~WRITES) | SQLITE_OPEN_READONLY;
    if (name != NULL && !may_touch(name, WEIR__JS_MAY_READ))
        return SQLITE_PERM;
    return unconfined->xOpen(unconfined, name, file, flags, opened);
}

static int delete_checked(sqlite3_vfs *vfs, const char *name, int syncs)
{
    return may_touch(name, WEIR__JS_MAY_WRITE)
               ? unconfined->xDelete(unconfined, name, syncs)
               : SQLITE_IOERR_DELETE;
}

static bool replace_vfs(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);

    if (vfs == NULL)
        return false;
    checked = *vfs;
    checked.zName = "weir-confined";
    checked.xOpen = open_checked;
    checked.xDelete = delete_checked;
    unconfined = vfs;
    return sqlite3_vfs_register(&checked, true) == SQLITE_OK;
}

bool weir__js_sqlite_is_safe(void)
{
    static weir_lock lock = WEIR_LOCK_INIT;
    static bool is_replaced;
    bool is_safe;

    if (!weir__js_is_confined)
        return true;
    weir_lock_acquire(&lock);
    is_replaced = is_replaced || replace_vfs();
    is_safe = is_replaced;
    weir_lock_release(&lock);
    return is_safe;
}

/* In a confined process: look again at what was opened.  Returns a result
 * code. */
static int confine(sqlite3 *db, int wanted)
{
    const char *file = sqlite3_db_filename(db, "main");

    if (file != NULL && !is_granted(file, wanted))
        return SQLITE_PERM;
    return sqlite3_set_authorizer(db, authorize, NULL);
}

int weir__js_connection_open(struct weir__js_connection *connection,
                             const char *path, int flags, int timeout_ms,
                             bool is_here)
{
    int mode = flags & WEIR__JS_READ_ONLY
                   ? SQLITE_OPEN_READONLY
                   : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    /* A URI could name another VFS. */
    int uri = weir__js_is_confined ? 0 : SQLITE_OPEN_URI;
    sqlite3 *db = NULL;
    int code = weir__js_sqlite_is_safe()
                   ? sqlite3_open_v2(path, &db,
                                     mode | uri | SQLITE_OPEN_FULLMUTEX, NULL)
                   : SQLITE_NOMEM;

    weir_lock_acquire(&connection->lock);
    connection->db = db;
    weir_lock_release(&connection->lock);
    if (code == SQLITE_OK && weir__js_is_confined)
        code = confine(db, (flags & WEIR__JS_READ_ONLY) != 0
                               ? WEIR__JS_MAY_READ
                               : WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE);
    if (code == SQLITE_OK)
        code = configure(db, flags, timeout_ms);
    if (code == SQLITE_OK)
        sqlite3_progress_handler(db, OPERATIONS_BETWEEN_CHECKS,
                                 is_here ? check_entry : check_end, connection);
    return code;
}

void weir__js_connection_shut(struct weir__js_connection *connection)
{
    sqlite3 *db;

    weir_lock_acquire(&connection->lock);
    db = connection->db;
    connection->db = NULL;
    weir_lock_release(&connection->lock);
    sqlite3_close_v2(db); /* an unfinished backup keeps it until its end */
}

void weir__js_connection_interrupt(struct weir__js_connection *connection)
{
    weir_lock_acquire(&connection->lock);
    if (connection->db != NULL)
        sqlite3_interrupt(connection->db);
    weir_lock_release(&connection->lock);
}

void weir__js_connection_strip(struct weir__js_connection *connection)
{
    JSRuntime *runtime = connection->js->runtime;

    free_doomed(connection);
    while (!weir__js_list_is_empty(&connection->children)) {
        struct weir__js_child *child =
            (struct weir__js_child *)connection->children.next;

        weir__js_list_remove(&child->link);
        weir__js_list_init(&child->link); /* its object still removes it */
        child->end(child);
    }
    while (!weir__js_list_is_empty(&connection->functions)) {
        struct weir__js_function *function =
            (struct weir__js_function *)connection->functions.next;

        weir__js_list_remove(&function->link);
        weir__js_function_free(runtime, function);
    }
}

/* ---- objects ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;
    struct weir__js_connection *connection = JS_GetAnyOpaque(value, &id);

    if (connection == NULL)
        return;
    weir__js_list_remove(&connection->link);
    if (!connection->is_busy)
        weir__js_connection_strip(connection);
    (void)!weir_gate_drain(&connection->references); /* the first and only */
    weir__js_connection_exit(connection);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *visit)
{
    JSClassID id;
    struct weir__js_connection *connection = JS_GetAnyOpaque(value, &id);

    if (connection == NULL)
        return;
    for (struct weir__js_link *link = connection->functions.next;
         link != &connection->functions; link = link->next) {
        struct weir__js_function *function = (struct weir__js_function *)link;

        JS_MarkValue(runtime, function->call, visit);
        JS_MarkValue(runtime, function->start, visit);
        JS_MarkValue(runtime, function->step, visit);
        JS_MarkValue(runtime, function->result, visit);
        JS_MarkValue(runtime, function->inverse, visit);
    }
}

struct weir__js_connection *weir__js_any_connection(JSContext *context,
                                                    JSValueConst object)
{
    struct weir__js_connection *connection =
        weir__js_opaque(weir__js_of(context), object, WEIR__JS_SQLITE);

    if (connection == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return connection;
}

struct weir__js_connection *weir__js_connection_of(JSContext *context,
                                                   JSValueConst object)
{
    struct weir__js_connection *connection =
        weir__js_any_connection(context, object);

    if (connection == NULL)
        return NULL;
    if (!connection->is_busy && connection->db != NULL)
        return connection;
    weir__js_sqlite_bad_state(context, connection->is_busy
                                           ? "database is busy"
                                           : "database is not open");
    return NULL;
}

JSValue weir__js_connection_object(JSContext *context,
                                   struct weir__js_connection *connection)
{
    weir_js *js = connection->js;
    JSValue object = JS_NewObjectClass(context, js->classes[WEIR__JS_SQLITE]);

    if (JS_IsException(object)) {
        weir__js_list_remove(&connection->link);
        (void)!weir_gate_drain(&connection->references);
        weir__js_connection_exit(connection);
        return object;
    }
    JS_SetOpaque(object, connection);
    return object;
}

JSValue weir__js_connection_failed(JSContext *context,
                                   struct weir__js_connection *connection)
{
    if (!connection->has_thrown)
        return weir__js_sqlite_fail_last(context, connection->db);
    connection->has_thrown = false;
    return JS_EXCEPTION;
}

/* ---- natives ---- */

/* open(path, flags, timeout): on this thread */
static JSValue sqlite_open(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection;
    const char *path = JS_ToCString(context, argv[0]);
    int32_t flags, timeout_ms;
    JSValue object = JS_EXCEPTION;

    if (path == NULL || JS_ToInt32(context, &flags, argv[1]) < 0 ||
        JS_ToInt32(context, &timeout_ms, argv[2]) < 0 ||
        !weir__js_sqlite_check(context, path, flags))
        goto done;
    connection = weir__js_connection_new(context);
    if (connection == NULL)
        goto done;
    object = weir__js_connection_object(context, connection);
    if (JS_IsException(object))
        goto done;
    if (weir__js_connection_open(connection, path, flags, timeout_ms, true) !=
        SQLITE_OK) {
        weir__js_sqlite_fail_last(context, connection->db);
        JS_FreeValue(context, object);
        object = JS_EXCEPTION;
    }
done:
    JS_FreeCString(context, path);
    return object;
}

/* close(database) */
static JSValue sqlite_close(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);

    if (connection == NULL)
        return JS_EXCEPTION;
    if (connection->depth > 0)
        return weir__js_sqlite_bad_state(context, "database is in use");
    weir__js_connection_strip(connection);
    weir__js_connection_shut(connection);
    return JS_UNDEFINED;
}

/* exec(database, sql) */
static JSValue sqlite_exec(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);
    const char *sql =
        connection != NULL ? JS_ToCString(context, argv[1]) : NULL;
    int code;

    if (sql == NULL)
        return JS_EXCEPTION;
    connection->depth++;
    code = sqlite3_exec(connection->db, sql, NULL, NULL, NULL);
    connection->depth--;
    JS_FreeCString(context, sql);
    return code == SQLITE_OK ? JS_UNDEFINED
                             : weir__js_connection_failed(context, connection);
}

/* location(database, name): the file, or null */
static JSValue sqlite_location(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);
    const char *name =
                   connection != NULL ? JS_ToCString(context, argv[1]) : NULL,
               *file;

    if (name == NULL)
        return JS_EXCEPTION;
    file = sqlite3_db_filename(connection->db, name);
    JS_FreeCString(context, name);
    return file == NULL || *file == '\0'
               ? JS_NULL
               : weir__js_utf8_string(context, file, strlen(file));
}

/* isTransaction(database) */
static JSValue is_transaction(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);

    return connection == NULL
               ? JS_EXCEPTION
               : JS_NewBool(context, !sqlite3_get_autocommit(connection->db));
}

/* enableExtensions(database, whether) */
static JSValue enable_extensions(JSContext *context, JSValueConst this_value,
                                 int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);

    if (connection == NULL || !weir__js_check_may(context, WEIR__JS_MAY_LOAD))
        return JS_EXCEPTION;
    if (sqlite3_db_config(connection->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
                          JS_ToBool(context, argv[1]), NULL) != SQLITE_OK)
        return weir__js_sqlite_fail_last(context, connection->db);
    return JS_UNDEFINED;
}

/* loadExtension(database, path, entry or undefined) */
static JSValue load_extension(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);
    const char *path =
        connection != NULL ? JS_ToCString(context, argv[1]) : NULL;
    const char *entry = NULL;
    char *message = NULL;
    JSValue result = JS_UNDEFINED;

    if (path != NULL && !weir__js_check_may(context, WEIR__JS_MAY_LOAD)) {
        JS_FreeCString(context, path);
        return JS_EXCEPTION;
    }
    if (path != NULL && !JS_IsUndefined(argv[2]))
        entry = JS_ToCString(context, argv[2]);
    if (path == NULL || (entry == NULL && !JS_IsUndefined(argv[2]))) {
        JS_FreeCString(context, path);
        return JS_EXCEPTION;
    }
    if (sqlite3_load_extension(connection->db, path, entry, &message) !=
        SQLITE_OK)
        result = weir__js_sqlite_refuse(
            context, WEIR__JS_ERROR, "ERR_LOAD_SQLITE_EXTENSION", "%s",
            message != NULL ? message : sqlite3_errmsg(connection->db));
    sqlite3_free(message);
    JS_FreeCString(context, entry);
    JS_FreeCString(context, path);
    return result;
}

/* interrupt(database) */
static JSValue sqlite_stop(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_any_connection(context, argv[0]);

    if (connection == NULL)
        return JS_EXCEPTION;
    weir__js_connection_interrupt(connection);
    return JS_UNDEFINED;
}

static int init_connections(weir_js *js)
{
    weir__js_list_init(connections(js));
    return 0;
}

/* The host ends: its jobs should, too. */
static void drop_connections(weir_js *js)
{
    for (struct weir__js_link *link = connections(js)->next;
         link != connections(js); link = link->next) {
        struct weir__js_connection *connection =
            (struct weir__js_connection *)((char *)link -
                                           offsetof(struct weir__js_connection,
                                                    link));

        weir_lock_acquire(&connection->lock);
        connection->is_ended = true;
        weir_lock_release(&connection->lock);
        weir__js_connection_interrupt(connection);
    }
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("open", 3, sqlite_open),
    JS_CFUNC_DEF("close", 1, sqlite_close),
    JS_CFUNC_DEF("exec", 2, sqlite_exec),
    JS_CFUNC_DEF("location", 2, sqlite_location),
    JS_CFUNC_DEF("isTransaction", 1, is_transaction),
    JS_CFUNC_DEF("enableExtensions", 2, enable_extensions),
    JS_CFUNC_DEF("loadExtension", 3, load_extension),
    JS_CFUNC_DEF("interrupt", 1, sqlite_stop),
};

static const JSClassDef class_definition = {
    .class_name = "Database", .finalizer = finalize, .gc_mark = mark};

const struct weir__js_builtin weir__js_sqlite_builtin = {
    WEIR__JS_LIBS("sqlite/sqlite", "sqlite/async"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
    .state_bytes = sizeof(struct weir__js_link),
    .init = init_connections,
    .drop = drop_connections,
};
