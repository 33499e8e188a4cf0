/* SPDX-License-Identifier: MIT */
/*
 * backup -- a copy of a database, some pages at a time.
 *
 * Data      The state of a backup: the connection that is copied, which it has
 *           entered, and its own connection to the copy.
 * Owner     The object, or the job while one is under way, as with codecs
 *           (js/zlib/handle.c).
 * Thread    A job for each step.  SQLite's own lock lets the loop use the source
 *           meanwhile; it waits for one step at most.
 *
 * Tested by  test/js/sqlite/sqlite-backup.js
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/async.h"
#include "core/builtin.h"
#include "core/error.h"
#include "core/permission.h"
#include "core/property.h"
#include "sqlite/connection.h"
#include "sqlite/failure.h"

enum { BUSY_TIMEOUT_MS = 5000 };

struct state {
    struct weir__js_connection *connection; /* entered */
    sqlite3 *source;                        /* its database */
    sqlite3_stmt *keeper;                   /* keeps it if it is closed */
    sqlite3 *target;                        /* opened by the first step */
    sqlite3_backup *handle;
    char *path, *source_name, *target_name; /* from strdup */
};

struct handle {
    struct state *state; /* NULL: a job has it, or it is over */
};

struct job {
    struct weir__js_work work; /* first */
    struct handle *handle;     /* loop only, in finish_job */
    struct state *state;
    int rate;
    int code;      /* SQLITE_OK, SQLITE_DONE or an error */
    char *message; /* of the error, from strdup */
    int remaining, total;
    bool is_busy; /* the source was being written: try again */
};

/* Any thread, with no step under way. */
static void free_state(struct state *state)
{
    if (state == NULL)
        return;
    sqlite3_backup_finish(state->handle);
    sqlite3_finalize(state->keeper);
    sqlite3_close_v2(state->target);
    if (state->connection != NULL)
        weir__js_connection_exit(state->connection);
    free(state->path);
    free(state->source_name);
    free(state->target_name);
    free(state);
}

/* ---- a step, on the pool ---- */

static int open_target(struct state *state)
{
    int code = sqlite3_open_v2(state->path, &state->target,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                   (weir__js_is_confined ? 0 : SQLITE_OPEN_URI),
                               NULL);

    if (code != SQLITE_OK)
        return code;
    (void)sqlite3_busy_timeout(state->target, BUSY_TIMEOUT_MS);
    state->handle = sqlite3_backup_init(state->target, state->target_name,
                                        state->source, state->source_name);
    return state->handle != NULL ? SQLITE_OK
                                 : sqlite3_extended_errcode(state->target);
}

/* Whether a step that has failed can be repeated.  The first one cannot, as in
 * Node: nothing is known to remain. */
static bool is_busy(int code, int remaining)
{
    return ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) &&
           remaining > 0;
}

static void run_job(struct weir__js_work *work, int status)
{
    struct job *job = (struct job *)work;
    struct state *state = job->state;

    job->code = status != 0 ? SQLITE_INTERRUPT : SQLITE_OK;
    if (job->code == SQLITE_OK && state->handle == NULL) {
        job->code = open_target(state);
        if (job->code != SQLITE_OK && state->target != NULL)
            job->message = strdup(sqlite3_errmsg(state->target));
    }
    if (job->code == SQLITE_OK) { /* the target has no message of a step */
        job->code = sqlite3_backup_step(state->handle, job->rate);
        job->remaining = sqlite3_backup_remaining(state->handle);
        job->total = sqlite3_backup_pagecount(state->handle);
        job->is_busy = is_busy(job->code, job->remaining);
        if (job->is_busy)
            job->code = SQLITE_OK;
    }
    if (job->code == SQLITE_DONE) {
        job->code = sqlite3_backup_finish(state->handle);
        state->handle = NULL;
        job->remaining = 0;
    }
}

/* [remaining pages, total pages, is busy], or an exception */
static JSValue finish_job(struct weir__js_work *work, JSContext *context)
{
    struct job *job = (struct job *)work;
    JSValue parts[3];

    if (job->code != SQLITE_OK)
        return weir__js_sqlite_fail(
            context, job->code,
            job->message != NULL ? job->message : sqlite3_errstr(job->code));
    if (job->remaining > 0) {
        job->handle->state = job->state;
        job->state = NULL;
    }
    parts[0] = JS_NewInt32(context, job->remaining);
    parts[1] = JS_NewInt32(context, job->total);
    parts[2] = JS_NewBool(context, job->is_busy);
    return weir__js_new_array(context, 3, parts);
}

static void free_job(struct weir__js_work *work)
{
    struct job *job = (struct job *)work;

    free_state(job->state);
    free(job->message);
    free(job);
}

static const struct weir__js_work_kind job_kind = {"sqlite backup", run_job,
                                                   finish_job, free_job};

/* stepBackup(backup, rate, resolve, reject).  The functions refer to the
 * backup, and so keep it. */
static JSValue step_backup(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct handle *handle =
        weir__js_opaque(js, argv[0], WEIR__JS_SQLITE_BACKUP);
    struct job *job;
    int32_t rate;
    int err;

    if (JS_ToInt32(context, &rate, argv[1]) < 0)
        return JS_EXCEPTION;
    if (handle == NULL || handle->state == NULL)
        return JS_ThrowTypeError(context, "not a backup");
    job = calloc(1, sizeof(*job));
    if (job == NULL)
        return JS_ThrowOutOfMemory(context);
    job->handle = handle;
    job->state = handle->state;
    job->rate = rate;
    err =
        weir__js_work_start(js, &job->work, &job_kind, NULL, argv[2], argv[3]);
    if (err == 0) {
        handle->state = NULL;
        return JS_UNDEFINED;
    }
    free(job);
    return weir__js_throw_status_as(
        context, err, err == -ENOTSUP ? "the host has no pool" : NULL);
}

/* ---- objects ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;
    struct handle *handle = JS_GetAnyOpaque(value, &id);

    if (handle != NULL)
        free_state(handle->state);
    free(handle);
}

/* A copy of a string for another thread, or NULL with an exception. */
static char *copy_text(JSContext *context, JSValueConst value)
{
    const char *text = JS_ToCString(context, value);
    char *copy = text != NULL ? strdup(text) : NULL;

    if (text != NULL && copy == NULL)
        JS_ThrowOutOfMemory(context);
    JS_FreeCString(context, text);
    return copy;
}

/* Returns NULL with an exception. */
static struct state *new_state(JSContext *context, JSValueConst *argv)
{
    struct weir__js_connection *connection =
        weir__js_connection_of(context, argv[0]);
    struct state *state = connection != NULL ? calloc(1, sizeof(*state)) : NULL;

    if (connection == NULL)
        return NULL;
    if (state == NULL || weir_gate_enter(&connection->references) != 0) {
        free(state);
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    state->connection = connection;
    state->source = connection->db;
    if (sqlite3_prepare_v2(state->source, "select 1", -1, &state->keeper,
                           NULL) != SQLITE_OK)
        weir__js_sqlite_fail_last(context, state->source);
    else
        state->path = copy_text(context, argv[1]);
    /* It is opened later, when the working directory may be another one. */
    if (state->path != NULL && weir__js_sqlite_check(context, state->path, 0) &&
        weir__js_sqlite_resolve(context, &state->path) == 0)
        state->source_name = copy_text(context, argv[2]);
    if (state->source_name != NULL)
        state->target_name = copy_text(context, argv[3]);
    if (state->target_name != NULL)
        return state;
    free_state(state);
    return NULL;
}

/* newBackup(database, path, source, target) */
static JSValue new_backup(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct state *state = new_state(context, argv);
    struct handle *handle;
    JSValue object;

    if (state == NULL)
        return JS_EXCEPTION;
    handle = calloc(1, sizeof(*handle));
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_SQLITE_BACKUP]);
    if (handle == NULL || JS_IsException(object)) {
        free_state(state);
        free(handle);
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    handle->state = state;
    JS_SetOpaque(object, handle);
    return object;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newBackup", 4, new_backup),
    JS_CFUNC_DEF("stepBackup", 4, step_backup),
};

static const JSClassDef class_definition = {"Backup", .finalizer = finalize};

const struct weir__js_builtin weir__js_sqlite_backup_builtin = {
    WEIR__JS_LIBS("sqlite/backup"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};
