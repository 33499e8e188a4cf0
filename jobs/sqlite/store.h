/* SPDX-License-Identifier: MIT */
/*
 * store -- a connection to a database file, its statements and transactions.
 *
 * An error is sticky: after the first one of a transaction every step returns
 * false, and the transaction is rolled back.  So the functions that carry out
 * ops read like their good case.
 */
#ifndef WEIR_JOBS_SQLITE_STORE_H
#define WEIR_JOBS_SQLITE_STORE_H

#include <sqlite3.h>

#include "engine/engine.h"
#include "os/wakeup.h"
#include "sqlite/log.h"

/* name, text.  Each is prepared when it is used first. */
#define WEIR__STATEMENTS(X)                                                    \
    X(BEGIN, "BEGIN IMMEDIATE")                                                \
    X(COMMIT, "COMMIT")                                                        \
    X(ROLLBACK, "ROLLBACK")                                                    \
    X(VERSION, "PRAGMA user_version")                                          \
    X(DATA_VERSION, "PRAGMA data_version")                                     \
    X(TOKENS, "UPDATE store SET last_token = last_token + ?1"                  \
              " RETURNING last_token")                                         \
    X(FIND_UNIQUE, "SELECT id FROM job WHERE queue = ?1 AND \"unique\" = ?2"   \
                   " AND \"unique\" IS NOT NULL AND state < 5")                \
    X(FIND_QUEUED, "SELECT 1 FROM job WHERE queue = ?1 AND key = ?2"           \
                   " AND state > 2 AND state < 5 LIMIT 1")                     \
    X(COUNT_ACTIVE, "SELECT count(*) FROM job WHERE queue = ?1 AND key = ?2"   \
                    " AND state < 3")                                          \
    X(KEY_LIMIT, "SELECT key_concurrency FROM queue WHERE name = ?1")          \
    X(NEXT_KEY, "SELECT min(key) FROM job WHERE queue = ?1 AND key > ?2"       \
                " AND state = 3")                                              \
    X(FIRST_OF_KEY, "SELECT min(id) FROM job WHERE queue = ?1 AND key = ?2"    \
                    " AND state = ?3")                                         \
    X(LAST_ID, "SELECT seq FROM sqlite_sequence WHERE name = 'job'")           \
    X(ADD, "INSERT INTO job (queue, state, priority, run_at, attempts, key,"   \
           " \"unique\", backoff_ms, backoff_max_ms, timeout_ms, keep_ms,"     \
           " added_at, payload) VALUES"                                        \
           " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")        \
    X(DEPEND, "INSERT OR IGNORE INTO dependency VALUES (?1, ?2)")              \
    X(SET_WAITS, "UPDATE job SET waits = ?2, state = 4 WHERE id = ?1")         \
    X(STATE_OF, "SELECT state FROM job WHERE id = ?1")                         \
    X(DEPENDENT, "SELECT job FROM dependency WHERE needs = ?1 LIMIT 1")        \
    X(FORGET, "DELETE FROM dependency WHERE needs = ?1 AND job = ?2")          \
    X(FORGET_NEEDS, "DELETE FROM dependency WHERE needs = ?1")                 \
    X(ALL_DEPENDENTS, "WITH RECURSIVE later (id) AS (SELECT job"               \
                      " FROM dependency WHERE needs = ?1 UNION SELECT job"     \
                      " FROM dependency JOIN later ON needs = later.id)"       \
                      " SELECT id FROM later")                                 \
    X(ONE_LESS, "UPDATE job SET waits = waits - 1 WHERE id = ?1"               \
                " RETURNING waits, state")                                     \
    X(PLACE_OF, "SELECT queue, key, run_at, state, keep_ms, token FROM job"    \
                " WHERE id = ?1")                                              \
    X(SET_STATE, "UPDATE job SET state = ?2 WHERE id = ?1")                    \
    X(DUE, "UPDATE job SET state = 0 WHERE id IN (SELECT id FROM job"          \
           " WHERE queue = ?1 AND state = 2 AND run_at <= ?2 ORDER BY run_at"  \
           " LIMIT 1000)")                                                     \
    X(EXPIRED, "SELECT id, token, key, attempt, attempts, backoff_ms,"         \
               " backoff_max_ms FROM job WHERE queue = ?1 AND state = 1"       \
               " AND lease_until <= ?2 LIMIT 100")                             \
    X(LIMITS, "SELECT is_paused, concurrency, rate, rate_period_ms,"           \
              " rate_at_us, key_rate, key_rate_period_ms FROM queue"           \
              " WHERE name = ?1")                                              \
    X(RUNNING, "SELECT count(*) FROM job WHERE queue = ?1 AND state = 1")      \
    X(SET_RATE_AT, "UPDATE queue SET rate_at_us = ?2 WHERE name = ?1")         \
    X(READY, "SELECT id, attempt, attempts, priority, progress, added_at,"     \
             " run_at, timeout_ms, keep_ms, backoff_ms, backoff_max_ms, key,"  \
             " \"unique\", reason, payload FROM job WHERE queue = ?1"          \
             " AND state = 0 ORDER BY priority DESC, run_at, id LIMIT ?2")     \
    X(READY_KEYS, "SELECT id, key FROM job WHERE queue = ?1 AND state = 0"     \
                  " ORDER BY priority DESC, run_at, id")                       \
    X(PACE_OF, "SELECT at_us FROM pace WHERE queue = ?1 AND key = ?2")         \
    X(SET_PACE, "INSERT INTO pace VALUES (?1, ?2, ?3, 0)"                      \
                " ON CONFLICT DO UPDATE SET at_us = ?3, is_awaited = 0")       \
    X(AWAIT_PACE, "UPDATE pace SET is_awaited = 1 WHERE queue = ?1"            \
                  " AND key = ?2 AND is_awaited = 0")                          \
    X(DUE_PACE, "DELETE FROM pace WHERE (queue, key) IN (SELECT queue, key"    \
                " FROM pace WHERE queue = ?1 AND is_awaited = 1"               \
                " AND at_us <= ?2 LIMIT 1) RETURNING key")                     \
    X(FORGET_PACES, "DELETE FROM pace WHERE queue = ?1 AND is_awaited = 0"     \
                    " AND at_us <= ?2")                                        \
    X(END_PACES, "DELETE FROM pace WHERE queue = ?1")                          \
    X(NEXT_PACE, "SELECT min(at_us) FROM pace WHERE queue = ?1"                \
                 " AND is_awaited = 1")                                        \
    X(CLAIM, "UPDATE job SET state = 1, attempt = attempt + 1, token = ?2,"    \
             " lease_until = ?3, owner = ?4, progress = 0 WHERE id = ?1")      \
    X(NEXT_DUE, "SELECT min(run_at) FROM job WHERE queue = ?1 AND state = 2")  \
    X(NEXT_EXPIRED, "SELECT min(lease_until) FROM job WHERE queue = ?1"        \
                    " AND state = 1")                                          \
    X(PURGE, "DELETE FROM job WHERE id IN (SELECT id FROM job"                 \
             " WHERE expires_at IS NOT NULL AND expires_at <= ?1 LIMIT 100)")  \
    X(NEXT_PURGE, "SELECT min(expires_at) FROM job"                            \
                  " WHERE expires_at IS NOT NULL")                             \
    X(RENEW, "UPDATE job SET lease_until = ?3 WHERE id = ?1 AND token = ?2"    \
             " AND state = 1")                                                 \
    X(REMOVE_DONE, "DELETE FROM job WHERE id = ?1 AND token = ?2"              \
                   " AND state = 1")                                           \
    X(KEEP_DONE, "UPDATE job SET state = 5, result = ?3, finished_at = ?4,"    \
                 " expires_at = ?5, progress = 1 WHERE id = ?1 AND token = ?2" \
                 " AND state = 1")                                             \
    X(FAIL, "UPDATE job SET state = 2, reason = ?3, run_at = ?4"               \
            " WHERE id = ?1 AND token = ?2 AND state = 1")                     \
    X(BURY, "UPDATE job SET state = 6, reason = ?3, finished_at = ?4"          \
            " WHERE id = ?1 AND token = ?2 AND state = 1")                     \
    X(RELEASE, "UPDATE job SET state = ?3, run_at = coalesce(?4, run_at),"     \
               " attempt = attempt - 1, reason = coalesce(?5, reason)"         \
               " WHERE id = ?1 AND token = ?2 AND state = 1")                  \
    X(PROGRESS, "UPDATE job SET progress = ?3 WHERE id = ?1 AND token = ?2"    \
                " AND state = 1")                                              \
    X(LIMIT,                                                                   \
      "INSERT INTO queue (name, concurrency, rate, rate_period_ms,"            \
      " key_concurrency, key_rate, key_rate_period_ms)"                        \
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (name)"                \
      " DO UPDATE SET concurrency = ?2, rate = ?3, rate_period_ms = ?4,"       \
      " key_concurrency = ?5, key_rate = ?6, key_rate_period_ms = ?7")         \
    X(PAUSE, "INSERT INTO queue (name, is_paused) VALUES (?1, ?2)"             \
             " ON CONFLICT (name) DO UPDATE SET is_paused = ?2")               \
    X(CANCEL, "UPDATE job SET state = 7, finished_at = ?2, expires_at = ?3"    \
              " WHERE id = ?1 AND state < 5")                                  \
    X(RETRY, "UPDATE OR IGNORE job SET state = 2, attempt = 0, run_at = ?2,"   \
             " finished_at = 0 WHERE id = ?1 AND state = 6")                   \
    X(DEAD, "SELECT id FROM job WHERE queue = ?1 AND state = 6 AND id > ?2"    \
            " ORDER BY id LIMIT 1")                                            \
    X(GET, "SELECT id, attempt, attempts, priority, progress, added_at,"       \
           " run_at, timeout_ms, keep_ms, backoff_ms, backoff_max_ms, key,"    \
           " \"unique\", reason, payload, queue, token, state, finished_at,"   \
           " owner, result, lease_until FROM job WHERE id = ?1")               \
    X(LIST, "SELECT id, attempt, attempts, priority, progress, added_at,"      \
            " run_at, timeout_ms, keep_ms, backoff_ms, backoff_max_ms, key,"   \
            " \"unique\", reason, payload, queue, token, state, finished_at,"  \
            " owner, result, lease_until FROM job"                             \
            " WHERE queue = ?1 AND state = ?2 AND id > ?3"                     \
            " ORDER BY id LIMIT ?4")                                           \
    X(QUEUES, "SELECT name, is_paused, concurrency, rate, rate_period_ms,"     \
              " key_concurrency, key_rate, key_rate_period_ms FROM queue"      \
              " UNION SELECT queue, 0, 0, 0, 0, 1, 0, 0"                       \
              " FROM job WHERE queue NOT IN (SELECT name FROM queue)"          \
              " ORDER BY 1")                                                   \
    X(SCHEDULE, "INSERT OR REPLACE INTO schedule VALUES"                       \
                " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"    \
                " ?14)")                                                       \
    X(UNSCHEDULE, "DELETE FROM schedule WHERE queue = ?1 AND name = ?2")       \
    X(PLANNED, "SELECT next_at FROM schedule WHERE queue = ?1 AND name = ?2"   \
               " AND cron = ?3 AND zone = ?4")                                 \
    X(PLANS, "SELECT queue, name, cron, zone, next_at FROM schedule"           \
             " ORDER BY queue, name")                                          \
    X(NEXT_RUN, "SELECT min(next_at) FROM schedule")                           \
    X(NEXT_RUN_OF, "SELECT min(next_at) FROM schedule WHERE queue = ?1")       \
    X(DUE_RUN, "SELECT * FROM schedule WHERE next_at <= ?1 ORDER BY next_at"   \
               " LIMIT 1")                                                     \
    X(SET_NEXT_RUN, "UPDATE schedule SET next_at = ?3 WHERE queue = ?1"        \
                    " AND name = ?2")                                          \
    X(COUNT, "SELECT count(*) FILTER (WHERE state = 0),"                       \
             " count(*) FILTER (WHERE state = 1),"                             \
             " count(*) FILTER (WHERE state = 2),"                             \
             " count(*) FILTER (WHERE state = 3),"                             \
             " count(*) FILTER (WHERE state = 4),"                             \
             " count(*) FILTER (WHERE state = 5),"                             \
             " count(*) FILTER (WHERE state = 6),"                             \
             " count(*) FILTER (WHERE state = 7),"                             \
             " min(run_at) FILTER (WHERE state = 0)"                           \
             " FROM job WHERE queue = ?1")

enum weir__statement {
#define X(name, text) WEIR__SQL_##name,
    WEIR__STATEMENTS(X)
#undef X
        WEIR__STATEMENT_COUNT
};

struct weir__engine {
    sqlite3 *db;
    sqlite3_stmt *statements[WEIR__STATEMENT_COUNT];
    struct weir__engine_host *host;
    struct weir__log log;
    struct weir__wakeup wakeup;
    int64_t data_version; /* when this process has last looked */
    bool is_watching, is_watching_clock;
    int clock_fd;
    /* of the transaction */
    int status; /* 0, or the first error */
    char reason[WEIR__OP_REASON_BYTES];
    int64_t date_ms, uptime_us;
    bool is_changed; /* other processes want to know */
};

/* ---- statements ---- */

/* Get a statement whose parameters are NULL; or NULL, after an error. */
sqlite3_stmt *weir__sql(struct weir__engine *engine, enum weir__statement name);

/* Step to the next row.  Returns whether there is one; at the end, and after an
 * error, the statement is reset. */
bool weir__sql_next(struct weir__engine *engine, sqlite3_stmt *statement);

/* Finish a statement of which not all rows were read. */
void weir__sql_end(sqlite3_stmt *statement);

/* Run a statement that returns no rows.  Returns the number of rows that it has
 * changed. */
int weir__sql_run(struct weir__engine *engine, sqlite3_stmt *statement);

/* Read the number that a statement returns; `otherwise` if it is NULL, or there
 * is no row. */
int64_t weir__sql_number(struct weir__engine *engine, sqlite3_stmt *statement,
                         int64_t otherwise);

/* Bind a parameter.  A statement of NULL has no effect.  Text and bytes must
 * live until the statement was run; NULL binds NULL. */
void weir__bind_number(sqlite3_stmt *statement, int at, int64_t number);
void weir__bind_text(sqlite3_stmt *statement, int at, const char *text);
void weir__bind_bytes(sqlite3_stmt *statement, int at, const void *bytes,
                      size_t size);

/* Record an error of SQLite as the transaction's, unless there is one. */
void weir__store_fail(struct weir__engine *engine, int rc);

/* ---- ops: one file each ---- */

void weir__store_add(struct weir__engine *engine, struct weir__op *op);
void weir__store_claim(struct weir__engine *engine, struct weir__op *op);
void weir__store_renew(struct weir__engine *engine, struct weir__op *op);
void weir__store_settle(struct weir__engine *engine, struct weir__op *op);
void weir__store_progress(struct weir__engine *engine, struct weir__op *op);
void weir__store_limit(struct weir__engine *engine, struct weir__op *op);
void weir__store_pause(struct weir__engine *engine, struct weir__op *op);
void weir__store_look(struct weir__engine *engine, struct weir__op *op);
void weir__store_get(struct weir__engine *engine, struct weir__op *op);
void weir__store_cancel(struct weir__engine *engine, struct weir__op *op);
void weir__store_retry(struct weir__engine *engine, struct weir__op *op);
void weir__store_list(struct weir__engine *engine, struct weir__op *op);
void weir__store_schedule(struct weir__engine *engine, struct weir__op *op);
void weir__store_unschedule(struct weir__engine *engine, struct weir__op *op);
void weir__store_plans(struct weir__engine *engine, struct weir__op *op);

/* Add the jobs of the schedules that are due. */
void weir__store_run_schedules(struct weir__engine *engine);

#endif /* WEIR_JOBS_SQLITE_STORE_H */
