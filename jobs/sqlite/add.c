/* SPDX-License-Identifier: MIT */
/*
 * add -- new jobs.
 */
#include <errno.h>

#include "sqlite/place.h"

static int64_t find_unique(struct weir__engine *engine,
                           const weir_jobs_spec *spec)
{
    sqlite3_stmt *find;

    if (spec->unique == NULL)
        return 0;
    find = weir__sql(engine, WEIR__SQL_FIND_UNIQUE);
    weir__bind_text(find, 1, spec->queue);
    weir__bind_text(find, 2, spec->unique);
    return weir__sql_number(engine, find, 0);
}

static bool is_key_busy(struct weir__engine *engine, const weir_jobs_spec *spec)
{
    sqlite3_stmt *find;

    if (spec->key == NULL)
        return false;
    if (weir__place_is_full(engine, spec->queue, spec->key))
        return true;
    find = weir__sql(engine, WEIR__SQL_FIND_QUEUED);
    weir__bind_text(find, 1, spec->queue);
    weir__bind_text(find, 2, spec->key);
    return weir__sql_number(engine, find, 0) != 0;
}

/* When a job is due.  One without a delay is due since it was added. */
static int64_t run_at(const struct weir__engine *engine,
                      const weir_jobs_spec *spec)
{
    return spec->run_at_ms > 0 ? spec->run_at_ms
                               : engine->date_ms + spec->delay_ms;
}

static int64_t insert(struct weir__engine *engine, const weir_jobs_spec *spec)
{
    sqlite3_stmt *add = weir__sql(engine, WEIR__SQL_ADD);
    int64_t at = run_at(engine, spec);
    int state = at > engine->date_ms ? WEIR_JOBS_SCHEDULED : WEIR_JOBS_READY;

    if (is_key_busy(engine, spec))
        state = WEIR_JOBS_BEHIND;
    weir__bind_text(add, 1, spec->queue);
    weir__bind_number(add, 2, state);
    weir__bind_number(add, 3, spec->priority);
    weir__bind_number(add, 4, at);
    weir__bind_number(add, 5, spec->attempts);
    weir__bind_text(add, 6, spec->key);
    weir__bind_text(add, 7, spec->unique);
    weir__bind_number(add, 8, spec->backoff_ms);
    weir__bind_number(add, 9, spec->backoff_max_ms);
    weir__bind_number(add, 10, spec->timeout_ms);
    weir__bind_number(add, 11, spec->keep_ms);
    weir__bind_number(add, 12, engine->date_ms);
    weir__bind_bytes(add, 13, spec->payload, spec->payload_size);
    (void)weir__sql_run(engine, add);
    return sqlite3_last_insert_rowid(engine->db);
}

/* Whether every job of `after` was added at some time, and none was
 * cancelled. */
static int check_after(struct weir__engine *engine, const weir_jobs_spec *spec)
{
    int64_t last;

    if (spec->after_count == 0)
        return 0;
    last = weir__sql_number(engine, weir__sql(engine, WEIR__SQL_LAST_ID), 0);
    for (size_t i = 0; i < spec->after_count; i++) {
        sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_STATE_OF);

        if (spec->after[i] == 0 || spec->after[i] > (uint64_t)last)
            return -ENOENT;
        weir__bind_number(find, 1, (int64_t)spec->after[i]);
        if (weir__sql_number(engine, find, 0) == WEIR_JOBS_CANCELLED)
            return WEIR_ECANCELED;
    }
    return 0;
}

static void wait_for(struct weir__engine *engine, int64_t id,
                     const weir_jobs_spec *spec)
{
    int64_t waits = 0;

    for (size_t i = 0; i < spec->after_count; i++) {
        sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_STATE_OF);
        sqlite3_stmt *depend = weir__sql(engine, WEIR__SQL_DEPEND);
        int64_t needs = (int64_t)spec->after[i];

        weir__bind_number(find, 1, needs);
        if (weir__sql_number(engine, find, WEIR_JOBS_DONE) == WEIR_JOBS_DONE)
            continue;
        weir__bind_number(depend, 1, needs);
        weir__bind_number(depend, 2, id);
        waits += weir__sql_run(engine, depend);
    }
    if (waits > 0) {
        sqlite3_stmt *set = weir__sql(engine, WEIR__SQL_SET_WAITS);

        weir__bind_number(set, 1, id);
        weir__bind_number(set, 2, waits);
        (void)weir__sql_run(engine, set);
    }
}

void weir__store_add(struct weir__engine *engine, struct weir__op *op)
{
    const weir_jobs_spec *spec = &op->in.add.spec;
    int64_t id = find_unique(engine, spec);

    if (id == 0) {
        int err = check_after(engine, spec);

        if (err != 0) {
            weir__op_fail(op, err,
                          err == -ENOENT
                              ? "a job that this one should run after was "
                                "never added"
                              : "a job that this one should run after was "
                                "cancelled");
            return;
        }
        id = insert(engine, spec);
        wait_for(engine, id, spec);
        op->reply.is_new = true;
        engine->is_changed = true;
    }
    op->reply.id = (uint64_t)id;
}
