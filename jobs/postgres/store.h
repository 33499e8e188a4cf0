/* SPDX-License-Identifier: MIT */
/*
 * store -- a store on a server: two connections, and the list that is running.
 *
 * `work` carries out the lists.  `watch` listens for changes of others and
 * renews leases: neither can be kept from it by a list that waits for a lock.
 * It is made with the first claim, so that a process that only adds jobs has one
 * connection.
 */
#ifndef WEIR_JOBS_POSTGRES_STORE_H
#define WEIR_JOBS_POSTGRES_STORE_H

#include "engine/engine.h"
#include "postgres/link.h"

/* What GET and LIST read; CLAIM has the first 16. */
#define WEIR__PG_JOB                                                           \
    "id, attempt, attempts, priority, progress, added_at, run_at, timeout_ms," \
    " keep_ms, backoff_ms, backoff_max_ms, key, \"unique\", reason, payload,"  \
    " token, queue, state, finished_at, owner, result,"                        \
    " CASE WHEN state = 1 THEN greatest(0, lease_until - weir_jobs.date_ms())" \
    " ELSE 0 END"

/* name, text: what is prepared on `work`. */
#define WEIR__PG_STATEMENTS(X)                                                 \
    X(BEGIN, "BEGIN")                                                          \
    X(START, "SELECT weir_jobs.start($1, $2, $3, $4)")                         \
    X(COMMIT, "COMMIT")                                                        \
    X(ROLLBACK, "ROLLBACK")                                                    \
    X(LAST_LIST, "INSERT INTO weir_jobs.client AS c (id, list) VALUES ($1, 0)" \
                 " ON CONFLICT (id) DO UPDATE SET seen_at = now()"             \
                 " RETURNING c.list")                                          \
    X(ADD, "SELECT id, is_new, problem FROM weir_jobs.insert_job("             \
           "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)")          \
    X(TIDY, "SELECT weir_jobs.tidy($1)")                                       \
    X(CLAIM, "SELECT * FROM weir_jobs.claim($1, $2, $3, $4)")                  \
    X(DUE, "SELECT weir_jobs.due($1)")                                         \
    X(DONE, "SELECT weir_jobs.settle_done($1, $2, $3)")                        \
    X(FAILED, "SELECT weir_jobs.settle_failed($1, $2, $3, $4, $5)")            \
    X(RELEASED, "SELECT weir_jobs.settle_released($1, $2, $3, $4)")            \
    X(PROGRESS, "SELECT weir_jobs.set_progress($1, $2, $3)")                   \
    X(LIMIT, "SELECT weir_jobs.set_limits($1, $2, $3, $4, $5, $6, $7)")        \
    X(PAUSE, "SELECT weir_jobs.set_paused($1, $2)")                            \
    X(CANCEL, "SELECT weir_jobs.cancel($1)")                                   \
    X(TRANSFER, "SELECT weir_jobs.transfer($1, $2)")                           \
    X(RETRY, "SELECT weir_jobs.retry($1)")                                     \
    X(RETRY_ALL, "SELECT weir_jobs.retry_all($1)")                             \
    X(RUNS, "SELECT * FROM weir_jobs.runs()")                                  \
    X(FIRE, "SELECT weir_jobs.fire($1, $2, $3)")                               \
    X(SCHEDULE, "SELECT weir_jobs.set_schedule($1, $2, $3, $4, $5, $6, $7,"    \
                " $8, $9, $10, $11, $12, $13, $14)")                           \
    X(UNSCHEDULE, "WITH gone AS (DELETE FROM weir_jobs.schedule WHERE queue =" \
                  " $1 AND name = $2 RETURNING name)"                          \
                  " SELECT count(*) > 0 FROM gone")                            \
    X(PLANS, "SELECT queue, name, cron, zone, next_at FROM weir_jobs.schedule" \
             " ORDER BY queue COLLATE \"C\", name COLLATE \"C\"")              \
    X(GET, "SELECT " WEIR__PG_JOB " FROM weir_jobs.job WHERE id = $1")         \
    X(LIST, "SELECT " WEIR__PG_JOB                                             \
            " FROM weir_jobs.list($1, $2, $3, $4) ORDER BY id")                \
    X(LOOK, "SELECT * FROM weir_jobs.look()")

enum weir__pg_statement {
#define X(name, text) WEIR__PG_##name,
    WEIR__PG_STATEMENTS(X)
#undef X
        WEIR__PG_COUNT
};

/* What a result belongs to. */
struct weir__step {
    enum weir__pg_statement statement;
    struct weir__op *op; /* NULL: the list's */
};

/* A schedule that is due, and when it is due next. */
struct weir__run {
    const char *queue, *name;
    int64_t next_ms;
};

struct weir__engine {
    struct weir__engine_host *host;
    struct weir__libpq pq;
    struct weir__link work, watch;
    char *url;
    size_t url_bytes;
    char client[37]; /* a UUID: the row of the table client */
    bool is_open;    /* the host was told */
    weir_task end;   /* frees the engine */
    /* setting up a connection of `work` */
    enum {
        WEIR__SETUP_LOOK,    /* is there a store? */
        WEIR__SETUP_LOCK,    /* no: again, when nobody else makes one */
        WEIR__SETUP_MAKE,    /* make it */
        WEIR__SETUP_UNLOCK,  /* somebody else has made it */
        WEIR__SETUP_VERSION, /* of which version is it? */
        WEIR__SETUP_PREPARE, /* the statements */
        WEIR__SETUP_DONE,
    } setup;
    int64_t found; /* by the last query of the set-up */
    /* the list */
    struct weir__op *first;
    uint64_t number;
    enum {
        WEIR__LIST_NONE,
        WEIR__LIST_WAITING,    /* for the connection, or another attempt */
        WEIR__LIST_STARTING,   /* it asks for the runs that are due */
        WEIR__LIST_RUNNING,    /* its statements */
        WEIR__LIST_COMMITTING, /* from here on it may have happened, ... */
        WEIR__LIST_UNDOING,
        WEIR__LIST_IN_DOUBT, /* ... and the connection is lost */
        WEIR__LIST_ASKING,   /* the server knows */
    } phase;
    bool is_changing; /* it changes the store */
    bool is_firing;   /* it begins with the runs that are due */
    bool is_due;      /* it should have */
    int64_t date_ms;  /* of the server, when it asked for them */
    struct weir__run *runs;
    size_t run_count, run_bytes;
    struct weir__step *steps;
    size_t step_count, step_room, step_at;
    int64_t sent_ms; /* by the uptime */
    int status;      /* the first error, and its reason */
    char reason[WEIR__OP_REASON_BYTES];
    bool is_passing; /* the same list may succeed if it is run again */
    weir_timer deadline, again;
    /* the watch */
    bool is_listening;
    struct weir__op *renewal; /* NULL: none */
    bool is_renewing;         /* it was sent */
    bool is_pinging;          /* and so was a ping, before it */
    int64_t renewing_ms;
    weir_timer renewal_deadline, ping;
};

/* Record the first error of a list. */
void weir__pg_fail(struct weir__engine *engine, int status, const char *reason);

/* setup.c: one step for each result of the set-up. */
void weir__setup_begin(struct weir__engine *engine);
void weir__setup_result(struct weir__engine *engine, PGresult *result);
void weir__setup_synced(struct weir__engine *engine);
/* The connection is set up, or cannot be. */
void weir__store_opened(struct weir__engine *engine, int status,
                        const char *reason);

/* list.c: a list of ops becomes one transaction. */
void weir__list_run(struct weir__engine *engine, struct weir__op *first);
/* The connection is ready. */
void weir__list_connected(struct weir__engine *engine);
void weir__list_stop(struct weir__engine *engine);
/* A list that waits for the connection fails. */
void weir__list_fail(struct weir__engine *engine, int status,
                     const char *reason);
void weir__list_lost(struct weir__engine *engine, const char *reason);
void weir__list_result(struct weir__engine *engine, PGresult *result);
void weir__list_synced(struct weir__engine *engine);

/* ops.c: send an op's statement, and read its result. */
void weir__pg_send(struct weir__engine *engine, enum weir__pg_statement name,
                   const struct weir__params *params);
enum weir__pg_statement weir__ops_send(struct weir__engine *engine,
                                       const struct weir__op *op);
void weir__ops_read(struct weir__engine *engine, struct weir__op *op,
                    const PGresult *result);
void weir__ops_read_due(struct weir__engine *engine, struct weir__op *op,
                        const PGresult *result);

/* watch.c: the second connection. */
extern const struct weir__link_class weir__watch_class;
void weir__watch_start(struct weir__engine *engine);
void weir__watch_renew(struct weir__engine *engine, struct weir__op *op);
void weir__watch_stop(struct weir__engine *engine);

/* What a test has set the clock to, as a parameter; else NULL. */
void weir__param_date(struct weir__params *params);

/* The status of a failed result, and its reason. */
int weir__pg_status(const struct weir__engine *engine, const PGresult *result,
                    char reason[WEIR__OP_REASON_BYTES]);

#endif /* WEIR_JOBS_POSTGRES_STORE_H */
