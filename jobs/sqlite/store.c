/* SPDX-License-Identifier: MIT */
/*
 * store -- see store.h.
 *
 * Durability  WAL with synchronous=FULL: a commit returns when the log is on
 *             the disk.  One list of ops is one commit.
 * Others      A commit that may concern other processes writes to the wake-up
 *             file (os/wakeup.h).  A process that it wakes asks SQLite whether
 *             another connection has changed the file; it ignores its own by
 *             that.
 * Errors      An error of SQLite fails the whole list, and nothing of it has
 *             happened.  Claims that were made are freed.
 */
#include "sqlite/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/clock.h"
#include "sqlite/schema.h"
#include "weir/fd.h"
#include "weir/host/memory.h"

static const char *const texts[WEIR__STATEMENT_COUNT] = {
#define X(name, text) text,
    WEIR__STATEMENTS(X)
#undef X
};

/* ---- errors ---- */

static int status_of(sqlite3 *db, int rc)
{
    int system = db != NULL ? sqlite3_system_errno(db) : 0;

    switch (rc & 0xff) {
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return -EBUSY;
    case SQLITE_NOMEM:
        return -ENOMEM;
    case SQLITE_READONLY:
        return -EROFS;
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return -EACCES;
    case SQLITE_IOERR:
        return system == ENOSPC ? -ENOSPC : -EIO;
    case SQLITE_CANTOPEN:
        return system != 0 ? -system : -ENOENT;
    case SQLITE_SCHEMA:
        return WEIR_ESCHEMA;
    default:
        return WEIR_ESTORE;
    }
}

static const char *text_of(sqlite3 *db, int rc)
{
    switch (rc) {
    case SQLITE_MISMATCH:
        return "the file is a database of another program";
    case SQLITE_SCHEMA:
        return "the store has moved (weir jobs), or was written by a newer "
               "version of weir";
    default: /* the connection may have forgotten it in a rollback */
        return db != NULL && sqlite3_extended_errcode(db) == rc
                   ? sqlite3_errmsg(db)
                   : sqlite3_errstr(rc);
    }
}

void weir__store_fail(struct weir__engine *engine, int rc)
{
    if (engine->status != 0)
        return;
    engine->status = status_of(engine->db, rc);
    snprintf(engine->reason, sizeof(engine->reason), "%s",
             text_of(engine->db, rc));
}

/* ---- statements ---- */

sqlite3_stmt *weir__sql(struct weir__engine *engine, enum weir__statement name)
{
    sqlite3_stmt **statement = &engine->statements[name];
    int rc;

    if (engine->status != 0)
        return NULL;
    if (*statement == NULL) {
        rc = sqlite3_prepare_v3(engine->db, texts[name], -1,
                                SQLITE_PREPARE_PERSISTENT, statement, NULL);
        if (rc != SQLITE_OK) {
            weir__store_fail(engine, rc);
            return NULL;
        }
    }
    return *statement;
}

void weir__sql_end(sqlite3_stmt *statement)
{
    if (statement != NULL) {
        (void)sqlite3_reset(statement);
        (void)sqlite3_clear_bindings(statement);
    }
}

bool weir__sql_next(struct weir__engine *engine, sqlite3_stmt *statement)
{
    int rc;

    if (statement == NULL)
        return false;
    rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW)
        return true;
    if (rc != SQLITE_DONE)
        weir__store_fail(engine, rc);
    weir__sql_end(statement);
    return false;
}

int weir__sql_run(struct weir__engine *engine, sqlite3_stmt *statement)
{
    while (weir__sql_next(engine, statement))
        ;
    return engine->status == 0 ? sqlite3_changes(engine->db) : 0;
}

int64_t weir__sql_number(struct weir__engine *engine, sqlite3_stmt *statement,
                         int64_t otherwise)
{
    int64_t number = otherwise;

    if (!weir__sql_next(engine, statement))
        return otherwise;
    if (sqlite3_column_type(statement, 0) != SQLITE_NULL)
        number = sqlite3_column_int64(statement, 0);
    weir__sql_end(statement);
    return number;
}

void weir__bind_number(sqlite3_stmt *statement, int at, int64_t number)
{
    if (statement != NULL)
        (void)sqlite3_bind_int64(statement, at, number);
}

void weir__bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    if (statement != NULL && text != NULL)
        (void)sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

void weir__bind_bytes(sqlite3_stmt *statement, int at, const void *bytes,
                      size_t size)
{
    if (statement == NULL)
        return;
    if (size == 0)
        (void)sqlite3_bind_zeroblob(statement, at, 0);
    else
        (void)sqlite3_bind_blob64(statement, at, bytes, size, SQLITE_STATIC);
}

/* ---- transactions ---- */

static void refuse_transfer(struct weir__engine *engine, struct weir__op *op)
{
    weir__op_fail(op, -ENOTSUP, "a file of SQLite is read and written itself");
}

/* NULL: the dispatcher's. */
static void (*const carry_out[])(struct weir__engine *, struct weir__op *) = {
    [WEIR__OP_ADD] = weir__store_add,
    [WEIR__OP_CLAIM] = weir__store_claim,
    [WEIR__OP_RENEW] = weir__store_renew,
    [WEIR__OP_SETTLE] = weir__store_settle,
    [WEIR__OP_PROGRESS] = weir__store_progress,
    [WEIR__OP_LIMIT] = weir__store_limit,
    [WEIR__OP_PAUSE] = weir__store_pause,
    [WEIR__OP_LOOK] = weir__store_look,
    [WEIR__OP_GET] = weir__store_get,
    [WEIR__OP_CANCEL] = weir__store_cancel,
    [WEIR__OP_RETRY] = weir__store_retry,
    [WEIR__OP_LIST] = weir__store_list,
    [WEIR__OP_SCHEDULE] = weir__store_schedule,
    [WEIR__OP_UNSCHEDULE] = weir__store_unschedule,
    [WEIR__OP_PLANS] = weir__store_plans,
    [WEIR__OP_TRANSFER] = refuse_transfer,
};

static void begin(struct weir__engine *engine)
{
    engine->status = 0;
    engine->reason[0] = '\0';
    engine->is_changed = false;
    (void)weir__sql_run(engine, weir__sql(engine, WEIR__SQL_BEGIN));
    /* A newer program may have migrated the file since it was opened. */
    if (weir__sql_number(engine, weir__sql(engine, WEIR__SQL_VERSION), 0) !=
        WEIR__SCHEMA_VERSION)
        weir__store_fail(engine, SQLITE_SCHEMA);
    /* After the wait for the lock. */
    engine->date_ms = weir__clock_date_ms();
    engine->uptime_us = weir__clock_uptime_us();
}

static void roll_back(struct weir__engine *engine)
{
    if (sqlite3_get_autocommit(engine->db))
        return;
    (void)sqlite3_step(engine->statements[WEIR__SQL_ROLLBACK]);
    (void)sqlite3_reset(engine->statements[WEIR__SQL_ROLLBACK]);
}

static void run(struct weir__engine *engine, struct weir__op *first)
{
    begin(engine);
    weir__store_run_schedules(engine); /* before the claims, which come last */
    for (struct weir__op *op = first; op != NULL && engine->status == 0;
         op = op->next)
        if (op->kind < sizeof(carry_out) / sizeof(*carry_out) &&
            carry_out[op->kind] != NULL)
            carry_out[op->kind](engine, op);
    if (engine->status == 0)
        weir__log_reserve(&engine->log, engine->db);
    (void)weir__sql_run(engine, weir__sql(engine, WEIR__SQL_COMMIT));
    if (engine->status != 0) {
        roll_back(engine);
        for (struct weir__op *op = first; op != NULL; op = op->next)
            weir__op_undo(op, engine->status, engine->reason);
    } else if (engine->is_changed && engine->is_watching) {
        weir__wakeup_send(&engine->wakeup);
    }
    engine->host->ran(engine->host, first);
}

/* ---- watching ---- */

static int64_t read_data_version(struct weir__engine *engine)
{
    engine->status = 0;
    return weir__sql_number(engine, weir__sql(engine, WEIR__SQL_DATA_VERSION),
                            -1);
}

static void on_wakeup(void *arg, int status, int fd, unsigned events)
{
    struct weir__engine *engine = arg;
    int64_t version;

    if (status != 0)
        return;
    weir__wakeup_receive(&engine->wakeup);
    version = read_data_version(engine);
    if (version == engine->data_version && version != -1)
        return;
    engine->data_version = version;
    engine->host->changed(engine->host, NULL);
}

static void on_clock(void *arg, int status, int fd, unsigned events)
{
    struct weir__engine *engine = arg;

    if (status != 0)
        return;
    (void)weir__clock_watch_again(fd);
    engine->host->changed(engine->host, NULL);
}

static int watch(struct weir__engine *engine, const char *path)
{
    bool is_file = path != NULL && path[0] != '\0'; /* not ":memory:" */
    int err = is_file ? weir__wakeup_open(&engine->wakeup, path) : 0;

    if (err != 0)
        return err;
    engine->clock_fd = weir__clock_watch();
    if (engine->clock_fd < 0)
        return engine->clock_fd;
    if (is_file)
        err = weir_fd_add(engine->host->loop, engine->wakeup.fd,
                          WEIR_FD_READABLE, on_wakeup, engine);
    if (err != 0)
        return err;
    engine->is_watching = is_file;
    err = weir_fd_add(engine->host->loop, engine->clock_fd, WEIR_FD_READABLE,
                      on_clock, engine);
    engine->is_watching_clock = err == 0;
    return err;
}

/* ---- open and close ---- */

static void close_store(struct weir__engine *engine)
{
    if (engine->is_watching)
        (void)!weir_fd_remove(engine->host->loop, engine->wakeup.fd, NULL,
                              NULL);
    if (engine->is_watching_clock)
        (void)!weir_fd_remove(engine->host->loop, engine->clock_fd, NULL, NULL);
    for (int i = 0; i < WEIR__STATEMENT_COUNT; i++)
        sqlite3_finalize(engine->statements[i]);
    (void)sqlite3_close(engine->db);
    if (engine->clock_fd >= 0)
        close(engine->clock_fd);
    weir__wakeup_close(&engine->wakeup);
    weir_memory_free(engine, sizeof(*engine));
}

/* Prepare the tables.  If two processes create a file at once, one of them gets
 * SQLITE_BUSY without SQLite's usual wait: this waits as SQLite does. */
static int prepare(struct weir__engine *engine)
{
    int64_t waited_ms = 0;
    int rc = weir__schema_prepare(engine->db);

    while ((rc & 0xff) == SQLITE_BUSY && waited_ms < engine->host->busy_ms) {
        waited_ms += sqlite3_sleep(5);
        rc = weir__schema_prepare(engine->db);
    }
    return rc;
}

static int open_file(struct weir__engine *engine, const char *path)
{
    char boot[WEIR__BOOT_ID_BYTES];
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
    int rc = sqlite3_open_v2(path, &engine->db, flags, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_busy_timeout(engine->db, (int)engine->host->busy_ms);
    if (rc == SQLITE_OK)
        rc = prepare(engine);
    if (rc == SQLITE_OK) {
        int err = weir__clock_boot_id(boot);

        if (err != 0)
            return err;
        rc = weir__schema_note_boot(engine->db, boot);
    }
    if (rc != SQLITE_OK)
        weir__store_fail(engine, rc);
    else /* rolling back must not fail for want of memory */
        (void)weir__sql(engine, WEIR__SQL_ROLLBACK);
    return engine->status;
}

static struct weir__engine *open_store(struct weir__engine_host *host,
                                       const char *path)
{
    struct weir__engine *engine = weir_memory_alloc(sizeof(*engine));
    int err;

    if (engine == NULL) {
        host->opened(host, -ENOMEM, "");
        return NULL;
    }
    memset(engine, 0, sizeof(*engine));
    engine->host = host;
    engine->clock_fd = -1;
    engine->wakeup = (struct weir__wakeup){.fd = -1, .file_fd = -1};
    err = open_file(engine, path);
    if (err == 0)
        err = watch(engine, sqlite3_db_filename(engine->db, "main"));
    if (err != 0) {
        host->opened(host, err,
                     engine->reason[0] != '\0' ? engine->reason
                                               : weir_error_text(err));
        close_store(engine);
        return NULL;
    }
    engine->data_version = read_data_version(engine);
    weir__log_watch(&engine->log, engine->db);
    host->opened(host, 0, "");
    return engine;
}

const struct weir__engine_class weir__sqlite_engine = {
    .open = open_store, .run = run, .close = close_store};
