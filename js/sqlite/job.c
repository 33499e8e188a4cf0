/* SPDX-License-Identifier: MIT */
/*
 * job -- what a database does on the pool.
 *
 * Data      A job has the connection, which it has entered, and the handle of a
 *           statement.  Rows are collected in a block, whose memory is charged to
 *           the host.
 * Owner     From start_job until finish_job the connection is busy: only the job
 *           may use it.  js/lib/sqlite/async.js starts one job at a time.
 * Thread    Parameters are bound by the loop's thread before, rows become objects
 *           there afterwards, and everything between is the pool's.
 *
 * If the host ends first, the job is interrupted (connection.c), and finish_job
 * is never called: the connection stays busy, and the last exit closes it.
 *
 * Tested by  test/js/sqlite/sqlite-async.mjs, sqlite-workers.mjs
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/block.h"
#include "core/async.h"
#include "core/builtin.h"
#include "core/error.h"
#include "core/property.h"
#include "sqlite/cell.h"
#include "sqlite/connection.h"
#include "sqlite/failure.h"
#include "sqlite/statement.h"

/* The numbers are those of js/lib/sqlite/async.js. */
enum operation { OPEN, EXEC, PREPARE, RUN, ROWS, RESET, CLOSE };

struct job {
    struct weir__js_work work; /* first */
    enum operation operation;
    struct weir__js_connection *connection; /* entered */
    struct weir__js_statement *statement;   /* loop only, in finish_job */
    sqlite3_stmt *handle; /* its handle; of PREPARE: the new one */
    /* Loop only, and not counted: the functions of the work refer to them, and
     * so keep them (js/lib/sqlite/async.js). */
    JSValueConst database, prototype;
    char *text; /* the path or SQL, from malloc */
    int flags, timeout_ms;
    uint32_t most_rows; /* 0: all of them, and then it is reset */
    int column_count;
    struct weir__js_block rows;
    bool is_done; /* there is no other row */
    int64_t rowid, changes;
    int code;      /* SQLITE_OK or an error */
    char *message; /* of the error, from strdup */
};

/* ---- on the pool ---- */

static void note(struct job *job, int code)
{
    sqlite3 *db = job->connection->db;

    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return;
    job->code = db != NULL ? sqlite3_extended_errcode(db) : code;
    job->message =
        strdup(db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(code));
}

/* Returns a result code. */
static int append_row(struct job *job)
{
    job->column_count = sqlite3_data_count(job->handle);
    for (int i = 0; i < job->column_count; i++) {
        struct weir__js_cell cell = weir__js_cell_column(job->handle, i);

        if (weir__js_cell_append(&job->rows, &cell) != 0)
            return SQLITE_NOMEM;
    }
    return SQLITE_OK;
}

static void collect_rows(struct job *job)
{
    uint32_t count = 0;
    int code = SQLITE_ROW;

    while (job->most_rows == 0 || count < job->most_rows) {
        code = sqlite3_step(job->handle);
        note(job, code);
        if (code != SQLITE_ROW)
            break;
        count++;
        if (append_row(job) != SQLITE_OK) {
            job->code = code = SQLITE_NOMEM;
            break;
        }
    }
    job->is_done = code != SQLITE_ROW;
    if (job->is_done)
        sqlite3_reset(job->handle);
}

static void run_statement(struct job *job)
{
    sqlite3 *db = job->connection->db;
    int code;

    note(job, sqlite3_step(job->handle));
    /* With RETURNING, only the end counts the changes and commits them. */
    code = sqlite3_reset(job->handle);
    if (job->code == SQLITE_OK)
        note(job, code);
    job->rowid = sqlite3_last_insert_rowid(db);
    job->changes = sqlite3_changes64(db);
}

static void run_job(struct weir__js_work *work, int status)
{
    struct job *job = (struct job *)work;
    sqlite3 *db = job->connection->db;

    if (status != 0) { /* the pool was closed */
        job->code = SQLITE_INTERRUPT;
        return;
    }
    switch (job->operation) {
    case OPEN:
        note(job, weir__js_connection_open(job->connection, job->text,
                                           job->flags, job->timeout_ms, false));
        if (job->code != SQLITE_OK)
            weir__js_connection_shut(job->connection);
        break;
    case EXEC:
        note(job, sqlite3_exec(db, job->text, NULL, NULL, NULL));
        break;
    case PREPARE:
        note(job, sqlite3_prepare_v2(db, job->text, -1, &job->handle, NULL));
        break;
    case RUN:
        run_statement(job);
        break;
    case ROWS:
        collect_rows(job);
        break;
    case RESET:
        note(job, sqlite3_reset(job->handle)); /* it may fail to commit */
        break;
    case CLOSE:
        weir__js_connection_shut(job->connection);
        break;
    }
}

/* ---- back on the loop ---- */

static JSValue result_of(JSContext *context, struct job *job)
{
    sqlite3_stmt *handle = job->handle;
    JSValue parts[2];

    switch (job->operation) {
    case PREPARE:
        job->handle = NULL;
        return weir__js_statement_object(context, job->database, job->prototype,
                                         handle, job->flags);
    case RUN:
        return weir__js_statement_changes(context, job->rowid, job->changes,
                                          job->statement->flags &
                                              WEIR__JS_BIG_INTS);
    case ROWS:
        parts[0] = weir__js_statement_rows(context, job->statement, &job->rows,
                                           job->column_count);
        parts[1] = JS_NewBool(context, job->is_done);
        return weir__js_new_array(context, 2, parts);
    default:
        return JS_UNDEFINED;
    }
}

static JSValue finish_job(struct weir__js_work *work, JSContext *context)
{
    struct job *job = (struct job *)work;

    weir__js_connection_returned(job->connection);
    if (job->code != SQLITE_OK)
        return weir__js_sqlite_fail(
            context, job->code,
            job->message != NULL ? job->message : sqlite3_errstr(job->code));
    return result_of(context, job);
}

static void free_job(struct weir__js_work *work)
{
    struct job *job = (struct job *)work;

    if (job->operation == PREPARE)
        sqlite3_finalize(job->handle);
    weir__js_connection_exit(job->connection);
    weir__js_block_free(&job->rows);
    free(job->text);
    free(job->message);
    free(job);
}

static const struct weir__js_work_kind job_kind = {"sqlite", run_job,
                                                   finish_job, free_job};

/* ---- starting ---- */

/* Submit a job that has entered the connection, and take it. */
static JSValue start_job(JSContext *context, struct job *job,
                         JSValueConst resolve, JSValueConst reject)
{
    weir_js *js = weir__js_of(context);
    int err;

    if (job->operation == CLOSE) /* while it may still be used here */
        weir__js_connection_strip(job->connection);
    job->connection->is_busy = true;
    err = weir__js_work_start(js, &job->work, &job_kind, NULL, resolve, reject);
    if (err == 0)
        return JS_UNDEFINED;
    job->connection->is_busy = false;
    free_job(&job->work);
    return weir__js_throw_status_as(
        context, err, err == -ENOTSUP ? "the host has no pool" : NULL);
}

/* A job for a connection that no other job has; NULL with an exception. */
static struct job *new_job(JSContext *context,
                           struct weir__js_connection *connection,
                           enum operation operation)
{
    struct job *job = NULL;

    if (connection->depth > 0) { /* a getter of parameters starts another */
        weir__js_sqlite_bad_state(context, "database is in use");
        return NULL;
    }
    job = calloc(1, sizeof(*job));
    if (job == NULL || weir_gate_enter(&connection->references) != 0) {
        free(job);
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    job->operation = operation;
    job->connection = connection;
    job->rows = weir__js_block_of(weir__js_of(context));
    return job;
}

/* Copy a text for the pool.  Returns -1 with an exception. */
static int take_text(JSContext *context, struct job *job, JSValueConst value)
{
    const char *text = JS_ToCString(context, value);

    if (text == NULL)
        return -1;
    job->text = strdup(text);
    JS_FreeCString(context, text);
    if (job->text != NULL)
        return 0;
    JS_ThrowOutOfMemory(context);
    return -1;
}

/* newDatabase(): nothing is open yet */
static JSValue new_database(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct weir__js_connection *connection = weir__js_connection_new(context);

    return connection == NULL ? JS_EXCEPTION
                              : weir__js_connection_object(context, connection);
}

/* startOpen(resolve, reject, database, path, flags, timeout) */
static JSValue start_open(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_any_connection(context, argv[2]);
    int32_t flags, timeout_ms;
    struct job *job;

    if (connection == NULL || JS_ToInt32(context, &flags, argv[4]) < 0 ||
        JS_ToInt32(context, &timeout_ms, argv[5]) < 0)
        return JS_EXCEPTION;
    if (connection->is_busy || connection->db != NULL)
        return weir__js_sqlite_bad_state(context, "database is already open");
    job = new_job(context, connection, OPEN);
    if (job == NULL)
        return JS_EXCEPTION;
    job->flags = flags;
    job->timeout_ms = timeout_ms;
    if (take_text(context, job, argv[3]) == 0 &&
        weir__js_sqlite_check(context, job->text, flags) &&
        weir__js_sqlite_resolve(context, &job->text) == 0)
        return start_job(context, job, argv[0], argv[1]);
    free_job(&job->work);
    return JS_EXCEPTION;
}

/* startText(resolve, reject, database, operation, text or undefined, prototype,
 * flags): EXEC, PREPARE or CLOSE */
static JSValue start_text(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[2]);
    int32_t operation, flags;
    struct job *job;

    if (connection == NULL || JS_ToInt32(context, &operation, argv[3]) < 0 ||
        JS_ToInt32(context, &flags, argv[6]) < 0)
        return JS_EXCEPTION;
    job = new_job(context, connection, (enum operation)operation);
    if (job == NULL)
        return JS_EXCEPTION;
    job->database = argv[2];
    job->prototype = argv[5];
    job->flags = flags;
    if (operation == CLOSE || take_text(context, job, argv[4]) == 0)
        return start_job(context, job, argv[0], argv[1]);
    free_job(&job->work);
    return JS_EXCEPTION;
}

/* startStatement(resolve, reject, statement, operation, most rows): RUN, ROWS or
 * RESET.  native.begin has bound the parameters. */
static JSValue start_statement(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct weir__js_statement *statement =
        weir__js_statement_of(context, argv[2]);
    int32_t operation;
    uint32_t most_rows;
    struct job *job;

    if (statement == NULL || JS_ToInt32(context, &operation, argv[3]) < 0 ||
        JS_ToUint32(context, &most_rows, argv[4]) < 0)
        return JS_EXCEPTION;
    job = new_job(context, statement->connection, (enum operation)operation);
    if (job == NULL)
        return JS_EXCEPTION;
    job->statement = statement;
    job->handle = statement->handle;
    job->most_rows = most_rows;
    return start_job(context, job, argv[0], argv[1]);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newDatabase", 0, new_database),
    JS_CFUNC_DEF("startOpen", 6, start_open),
    JS_CFUNC_DEF("startText", 7, start_text),
    JS_CFUNC_DEF("startStatement", 5, start_statement),
};

const struct weir__js_builtin weir__js_sqlite_job_builtin = {
    WEIR__JS_LIBS("sqlite/async"),
    WEIR__JS_NATIVES(natives),
};
