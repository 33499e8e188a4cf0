/* SPDX-License-Identifier: MIT */
/*
 * schema -- see schema.h.
 *
 * A version is a script that makes it out of the one before.  Scripts that were
 * released never change: a new version appends one.
 */
#include "sqlite/schema.h"

#include <stdint.h>
#include <stdio.h>

/* A job that can be claimed is in job_ready, in the order of claiming, and
 * nothing else is: so a claim takes as long with a million jobs as with ten.
 * job_unique makes `unique` so. */
static const char version_1[] =
    "CREATE TABLE store ("
    "    one INTEGER PRIMARY KEY CHECK (one = 1),"
    "    last_token INTEGER NOT NULL,"
    "    boot TEXT NOT NULL"
    ") STRICT;"
    "INSERT INTO store VALUES (1, 0, '');"
    "CREATE TABLE queue ("
    "    name TEXT PRIMARY KEY,"
    "    is_paused INTEGER NOT NULL DEFAULT 0,"
    "    concurrency INTEGER NOT NULL DEFAULT 0,"
    "    rate INTEGER NOT NULL DEFAULT 0,"
    "    rate_period_ms INTEGER NOT NULL DEFAULT 1000,"
    "    rate_at_us INTEGER NOT NULL DEFAULT 0"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE job ("
    "    id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "    queue TEXT NOT NULL,"
    "    state INTEGER NOT NULL,"
    "    priority INTEGER NOT NULL,"
    "    run_at INTEGER NOT NULL,"
    "    attempt INTEGER NOT NULL DEFAULT 0,"
    "    attempts INTEGER NOT NULL,"
    "    token INTEGER NOT NULL DEFAULT 0,"
    "    lease_until INTEGER NOT NULL DEFAULT 0,"
    "    owner TEXT,"
    "    key TEXT,"
    "    \"unique\" TEXT,"
    "    waits INTEGER NOT NULL DEFAULT 0,"
    "    backoff_ms INTEGER NOT NULL,"
    "    backoff_max_ms INTEGER NOT NULL,"
    "    timeout_ms INTEGER NOT NULL,"
    "    keep_ms INTEGER NOT NULL,"
    "    progress REAL NOT NULL DEFAULT 0,"
    "    added_at INTEGER NOT NULL,"
    "    finished_at INTEGER NOT NULL DEFAULT 0,"
    "    expires_at INTEGER,"
    "    reason TEXT,"
    "    result BLOB,"
    "    payload BLOB NOT NULL"
    ") STRICT;"
    "CREATE INDEX job_ready ON job (queue, priority DESC, run_at)"
    "    WHERE state = 0;"
    "CREATE INDEX job_running ON job (queue, lease_until) WHERE state = 1;"
    "CREATE INDEX job_due ON job (queue, run_at) WHERE state = 2;"
    "CREATE INDEX job_key ON job (queue, key, state)"
    "    WHERE key IS NOT NULL AND state < 5;"
    "CREATE UNIQUE INDEX job_unique ON job (queue, \"unique\")"
    "    WHERE \"unique\" IS NOT NULL AND state < 5;"
    "CREATE INDEX job_dead ON job (queue) WHERE state = 6;"
    "CREATE INDEX job_expiry ON job (expires_at)"
    "    WHERE expires_at IS NOT NULL;"
    "CREATE TABLE dependency ("
    "    needs INTEGER NOT NULL,"
    "    job INTEGER NOT NULL,"
    "    PRIMARY KEY (needs, job)"
    ") STRICT, WITHOUT ROWID;";

static const char version_2[] =
    "CREATE TABLE schedule ("
    "    queue TEXT NOT NULL,"
    "    name TEXT NOT NULL,"
    "    cron TEXT NOT NULL,"
    "    zone TEXT NOT NULL,"
    "    missed INTEGER NOT NULL,"
    "    next_at INTEGER NOT NULL,"
    "    priority INTEGER NOT NULL,"
    "    attempts INTEGER NOT NULL,"
    "    key TEXT,"
    "    backoff_ms INTEGER NOT NULL,"
    "    backoff_max_ms INTEGER NOT NULL,"
    "    timeout_ms INTEGER NOT NULL,"
    "    keep_ms INTEGER NOT NULL,"
    "    payload BLOB NOT NULL,"
    "    PRIMARY KEY (queue, name)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE INDEX schedule_due ON schedule (next_at);"
    "ALTER TABLE queue ADD COLUMN key_concurrency INTEGER NOT NULL DEFAULT 1;";

static const char version_3[] =
    "ALTER TABLE queue ADD COLUMN key_rate INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE queue ADD COLUMN"
    "    key_rate_period_ms INTEGER NOT NULL DEFAULT 1000;"
    "CREATE TABLE pace ("
    "    queue TEXT NOT NULL,"
    "    key TEXT NOT NULL,"
    "    at_us INTEGER NOT NULL,"
    "    is_awaited INTEGER NOT NULL DEFAULT 0,"
    "    PRIMARY KEY (queue, key)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE INDEX pace_due ON pace (queue, is_awaited, at_us);"
    /* SQLite used a part of the condition in place of a part of the index. */
    "DROP INDEX job_key;"
    "CREATE INDEX job_key ON job (queue, key, state) WHERE key IS NOT NULL;";

static const char *const versions[WEIR__SCHEMA_VERSION] = {version_1, version_2,
                                                           version_3};

static int read_number(sqlite3 *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    if (rc != SQLITE_OK)
        return rc;
    rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* Find the version of the tables: 0 for an empty file. */
static int find_version(sqlite3 *db, int64_t *version)
{
    int64_t application = 0, tables = 0;
    int rc = read_number(db, "PRAGMA application_id", &application);

    if (rc == SQLITE_OK)
        rc = read_number(db, "PRAGMA user_version", version);
    if (rc == SQLITE_OK)
        rc = read_number(db, "SELECT count(*) FROM sqlite_schema", &tables);
    if (rc != SQLITE_OK)
        return rc;
    if (application == 0 && *version == 0 && tables == 0)
        return SQLITE_OK;
    if (application != WEIR__SCHEMA_APPLICATION || *version < 1)
        return SQLITE_MISMATCH;
    return *version > WEIR__SCHEMA_VERSION ? SQLITE_SCHEMA : SQLITE_OK;
}

static int migrate(sqlite3 *db)
{
    int64_t version = 0;
    int rc = find_version(db, &version); /* again: now nobody else writes */
    char pragmas[100];

    for (; rc == SQLITE_OK && version < WEIR__SCHEMA_VERSION; version++)
        rc = sqlite3_exec(db, versions[version], NULL, NULL, NULL);
    snprintf(pragmas, sizeof(pragmas),
             "PRAGMA application_id = %d; PRAGMA user_version = %d",
             WEIR__SCHEMA_APPLICATION, WEIR__SCHEMA_VERSION);
    return rc == SQLITE_OK ? sqlite3_exec(db, pragmas, NULL, NULL, NULL) : rc;
}

/* Look at one state of the file: another process may be making it. */
static int look(sqlite3 *db, int64_t *version)
{
    int rc = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);

    if (rc == SQLITE_OK)
        rc = find_version(db, version);
    if (!sqlite3_get_autocommit(db))
        (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int weir__schema_prepare(sqlite3 *db)
{
    int64_t version = 0;
    int rc = look(db, &version);

    if (rc == SQLITE_OK) /* from here on the file is ours */
        rc = sqlite3_exec(db,
                          "PRAGMA journal_mode = WAL;"
                          "PRAGMA synchronous = FULL",
                          NULL, NULL, NULL);
    if (rc != SQLITE_OK || version == WEIR__SCHEMA_VERSION)
        return rc;
    rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return rc;
    rc = migrate(db);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    if (!sqlite3_get_autocommit(db))
        (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int weir__schema_note_boot(sqlite3 *db, const char *boot)
{
    int64_t version = 0;
    char *sql = sqlite3_mprintf(
        "UPDATE job SET lease_until = 0"
        "    WHERE state = 1 AND (SELECT boot <> %Q FROM store);"
        "UPDATE queue SET rate_at_us = 0"
        "    WHERE (SELECT boot <> %Q FROM store);"
        "UPDATE pace SET at_us = 0 WHERE (SELECT boot <> %Q FROM store);"
        "UPDATE store SET boot = %Q WHERE boot <> %Q;"
        "COMMIT",
        boot, boot, boot, boot, boot);
    int rc = sql != NULL ? sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL)
                         : SQLITE_NOMEM;

    if (rc == SQLITE_OK) /* it may have moved during the wait for the lock */
        rc = find_version(db, &version);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    if (!sqlite3_get_autocommit(db))
        (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}
