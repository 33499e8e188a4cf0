/* SPDX-License-Identifier: MIT */
/*
 * pace -- see pace.h.
 */
#include "sqlite/pace.h"

#include <stdio.h>

#include "sqlite/ids.h"
#include "sqlite/place.h"

/* Take a row out of the table whose jobs may go on.  Returns whether there is
 * one. */
static bool take_due(struct weir__engine *engine, const char *queue, char *key)
{
    sqlite3_stmt *due = weir__sql(engine, WEIR__SQL_DUE_PACE);
    bool is_found = false;

    weir__bind_text(due, 1, queue);
    weir__bind_number(due, 2, engine->uptime_us);
    while (weir__sql_next(engine, due)) {
        snprintf(key, WEIR_JOBS_NAME_LIMIT + 1, "%s",
                 (const char *)sqlite3_column_text(due, 0));
        is_found = true;
    }
    return is_found;
}

void weir__pace_pass(struct weir__engine *engine, const char *queue)
{
    char key[WEIR_JOBS_NAME_LIMIT + 1];
    sqlite3_stmt *forget;

    while (take_due(engine, queue, key))
        weir__place_next(engine, queue, key);
    forget = weir__sql(engine, WEIR__SQL_FORGET_PACES);
    weir__bind_text(forget, 1, queue);
    weir__bind_number(forget, 2, engine->uptime_us);
    (void)weir__sql_run(engine, forget);
}

/* Whether a job of a key may begin.  If so the key is paid for, and if not it is
 * awaited. */
static bool begin(struct weir__engine *engine, const char *queue,
                  const char *key, int64_t interval_us)
{
    sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_PACE_OF);
    sqlite3_stmt *change;
    bool is_paid;

    weir__bind_text(find, 1, queue);
    weir__bind_text(find, 2, key);
    is_paid = weir__sql_number(engine, find, 0) <= engine->uptime_us;
    change =
        weir__sql(engine, is_paid ? WEIR__SQL_SET_PACE : WEIR__SQL_AWAIT_PACE);
    weir__bind_text(change, 1, queue);
    weir__bind_text(change, 2, key);
    if (is_paid)
        weir__bind_number(change, 3, engine->uptime_us + interval_us);
    (void)weir__sql_run(engine, change);
    return is_paid;
}

static void put_behind(struct weir__engine *engine, struct weir__ids *held)
{
    for (size_t i = 0; i < held->count; i++) {
        sqlite3_stmt *set = weir__sql(engine, WEIR__SQL_SET_STATE);

        weir__bind_number(set, 1, held->ids[i]);
        weir__bind_number(set, 2, WEIR_JOBS_BEHIND);
        (void)weir__sql_run(engine, set);
    }
    weir__ids_drop(held);
}

int64_t weir__pace_hold(struct weir__engine *engine, const char *queue,
                        int64_t interval_us, int64_t most)
{
    sqlite3_stmt *ready = weir__sql(engine, WEIR__SQL_READY_KEYS);
    struct weir__ids held = {0}; /* not changed while the index is read */
    int64_t count = 0;

    weir__bind_text(ready, 1, queue);
    while (count < most && weir__sql_next(engine, ready)) {
        const char *key = (const char *)sqlite3_column_text(ready, 1);

        if (key == NULL || begin(engine, queue, key, interval_us))
            count++;
        else if (!weir__ids_push(&held, sqlite3_column_int64(ready, 0)))
            weir__store_fail(engine, SQLITE_NOMEM);
    }
    weir__sql_end(ready);
    put_behind(engine, &held);
    return count;
}

int64_t weir__pace_due_us(struct weir__engine *engine, const char *queue)
{
    sqlite3_stmt *next = weir__sql(engine, WEIR__SQL_NEXT_PACE);

    weir__bind_text(next, 1, queue);
    return weir__sql_number(engine, next, INT64_MAX);
}

void weir__pace_end(struct weir__engine *engine, const char *queue)
{
    sqlite3_stmt *end = weir__sql(engine, WEIR__SQL_END_PACES);

    weir__bind_text(end, 1, queue);
    (void)weir__sql_run(engine, end);
}
