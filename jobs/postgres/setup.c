/* SPDX-License-Identifier: MIT */
/*
 * setup -- a new connection: the session, the tables, the prepared statements.
 *
 * A store is made, or brought up to date, in one transaction under an advisory
 * lock, so of processes that start together one does it.  A version is a script
 * that makes it out of the one before; scripts that were released never change.
 */
#include <stdio.h>
#include <string.h>

#include "postgres/scripts.h"
#include "postgres/store.h"

enum { VERSION = 1 };

static const char *const scripts[VERSION] = {weir__script_1};

static const char *const names[WEIR__PG_COUNT] = {
#define X(name, text) #name,
    WEIR__PG_STATEMENTS(X)
#undef X
};

static const char *const texts[WEIR__PG_COUNT] = {
#define X(name, text) text,
    WEIR__PG_STATEMENTS(X)
#undef X
};

void weir__pg_send(struct weir__engine *engine, enum weir__pg_statement name,
                   const struct weir__params *params)
{
    weir__link_send(&engine->work, names[name], params);
}

static void query(struct weir__engine *engine, int setup, const char *text)
{
    engine->setup = (unsigned)setup;
    engine->found = -1;
    weir__link_query(&engine->work, text);
}

/* A look at the catalogue itself: to_regclass() could remember an answer from
 * before the wait for the lock. */
#define IS_THERE                                                               \
    "SELECT count(*) > 0 FROM pg_catalog.pg_class AS c"                        \
    " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"             \
    " WHERE n.nspname = 'weir_jobs' AND c.relname = 'store'"

void weir__setup_begin(struct weir__engine *engine)
{
    char text[1000];

    engine->status = 0;
    /* Added means durable, whatever the server's default is.  Each query of a
     * list has an index that is right for one job and for a million: to plan it
     * anew for each list took three times as long as to run it, and a plan that
     * was made for an empty table would be kept when it has become large. */
    snprintf(
        text, sizeof(text),
        "SET lock_timeout = %lld; SET client_min_messages = warning;"
        "SET default_transaction_isolation = 'read committed';"
        "SET plan_cache_mode = force_generic_plan;"
        "SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off;"
        "SELECT set_config('synchronous_commit', 'on', false)"
        " WHERE current_setting('synchronous_commit') = 'off';" IS_THERE,
        (long long)engine->host->busy_ms);
    query(engine, WEIR__SETUP_LOOK, text);
}

void weir__setup_result(struct weir__engine *engine, PGresult *result)
{
    const struct weir__libpq *pq = &engine->pq;
    char reason[WEIR__OP_REASON_BYTES];
    const char *value;

    switch (pq->PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
        return;
    case PGRES_TUPLES_OK:
        if (pq->PQntuples(result) == 0)
            return;
        value = pq->PQgetvalue(result, 0, 0);
        engine->found = value[0] == 't' ? 1 : 0;
        for (const char *at = value; *at >= '0' && *at <= '9'; at++)
            engine->found = engine->found * 10 + (*at - '0');
        return;
    default:
        if (engine->status == 0) {
            engine->status = weir__pg_status(engine, result, reason);
            memcpy(engine->reason, reason, sizeof(reason));
        }
    }
}

static void prepare(struct weir__engine *engine)
{
    engine->setup = WEIR__SETUP_PREPARE;
    weir__link_pipeline(&engine->work);
    for (int i = 0; i < WEIR__PG_COUNT; i++)
        weir__link_prepare(&engine->work, names[i], texts[i]);
    weir__link_sync(&engine->work);
}

static void check_version(struct weir__engine *engine)
{
    if (engine->found == VERSION)
        prepare(engine);
    else
        weir__store_opened(engine, WEIR_ESCHEMA,
                           "the store was written by a newer version of weir");
}

void weir__setup_synced(struct weir__engine *engine)
{
    if (engine->status != 0) {
        weir__store_opened(engine, engine->status, engine->reason);
        return;
    }
    switch (engine->setup) {
    case WEIR__SETUP_LOOK:
        if (engine->found == 1)
            query(engine, WEIR__SETUP_VERSION,
                  "SELECT version FROM weir_jobs.store");
        else
            query(engine, WEIR__SETUP_LOCK,
                  "BEGIN; DO 'BEGIN PERFORM"
                  " pg_advisory_xact_lock(2003134834); END'; " IS_THERE);
        return;
    case WEIR__SETUP_LOCK:
        if (engine->found == 1)
            query(engine, WEIR__SETUP_UNLOCK, "ROLLBACK");
        else
            query(engine, WEIR__SETUP_MAKE, scripts[0]);
        return;
    case WEIR__SETUP_MAKE:
        query(engine, WEIR__SETUP_UNLOCK, "COMMIT");
        return;
    case WEIR__SETUP_UNLOCK:
        query(engine, WEIR__SETUP_VERSION,
              "SELECT version FROM weir_jobs.store");
        return;
    case WEIR__SETUP_VERSION:
        check_version(engine);
        return;
    case WEIR__SETUP_PREPARE:
        engine->setup = WEIR__SETUP_DONE;
        weir__store_opened(engine, 0, "");
        return;
    default:
        return;
    }
}
