/* SPDX-License-Identifier: MIT */
/*
 * place -- see place.h.
 */
#include "sqlite/place.h"

#include <stdio.h>
#include <string.h>

#include "sqlite/ids.h"

enum { CANCELLED_KEPT_MS = 24 * 3600 * 1000 };

/* What decides the place of a job. */
struct place {
    char queue[WEIR_JOBS_NAME_LIMIT + 1], key[WEIR_JOBS_NAME_LIMIT + 1];
    bool has_key;
    int64_t run_at, keep_ms;
    int state;
};

static void copy_text(char *to, const unsigned char *from)
{
    snprintf(to, WEIR_JOBS_NAME_LIMIT + 1, "%s",
             from != NULL ? (const char *)from : "");
}

static bool find_place(struct weir__engine *engine, int64_t id,
                       struct place *place)
{
    sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_PLACE_OF);

    weir__bind_number(find, 1, id);
    if (!weir__sql_next(engine, find))
        return false;
    copy_text(place->queue, sqlite3_column_text(find, 0));
    copy_text(place->key, sqlite3_column_text(find, 1));
    place->has_key = sqlite3_column_type(find, 1) != SQLITE_NULL;
    place->run_at = sqlite3_column_int64(find, 2);
    place->state = sqlite3_column_int(find, 3);
    place->keep_ms = sqlite3_column_int64(find, 4);
    weir__sql_end(find);
    return true;
}

static void set_state(struct weir__engine *engine, int64_t id, int state)
{
    sqlite3_stmt *set = weir__sql(engine, WEIR__SQL_SET_STATE);

    weir__bind_number(set, 1, id);
    weir__bind_number(set, 2, state);
    (void)weir__sql_run(engine, set);
}

static int64_t first_of_key(struct weir__engine *engine, const char *queue,
                            const char *key, int state)
{
    sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_FIRST_OF_KEY);

    weir__bind_text(find, 1, queue);
    weir__bind_text(find, 2, key);
    weir__bind_number(find, 3, state);
    return weir__sql_number(engine, find, INT64_MAX);
}

bool weir__place_is_full(struct weir__engine *engine, const char *queue,
                         const char *key)
{
    sqlite3_stmt *count = weir__sql(engine, WEIR__SQL_COUNT_ACTIVE);
    sqlite3_stmt *limit = weir__sql(engine, WEIR__SQL_KEY_LIMIT);
    int64_t active;

    weir__bind_text(count, 1, queue);
    weir__bind_text(count, 2, key);
    active = weir__sql_number(engine, count, 0);
    if (active == 0)
        return false;
    weir__bind_text(limit, 1, queue);
    return active >= weir__sql_number(engine, limit, 1);
}

static bool is_behind(struct weir__engine *engine, int64_t id,
                      const struct place *place)
{
    if (!place->has_key)
        return false;
    return weir__place_is_full(engine, place->queue, place->key) ||
           first_of_key(engine, place->queue, place->key, WEIR_JOBS_BEHIND) <
               id ||
           first_of_key(engine, place->queue, place->key, WEIR_JOBS_WAITING) <
               id;
}

static int state_at(const struct weir__engine *engine, int64_t run_at)
{
    return run_at > engine->date_ms ? WEIR_JOBS_SCHEDULED : WEIR_JOBS_READY;
}

void weir__place_job(struct weir__engine *engine, int64_t id)
{
    struct place place;

    if (!find_place(engine, id, &place))
        return;
    /* Out of the way of its own comparisons. */
    set_state(engine, id, WEIR_JOBS_CANCELLED);
    if (is_behind(engine, id, &place))
        set_state(engine, id, WEIR_JOBS_BEHIND);
    else
        set_state(engine, id, state_at(engine, place.run_at));
    /* Those behind it may have waited for it only because it was WAITING. */
    weir__place_next(engine, place.queue, place.has_key ? place.key : NULL);
}

void weir__place_next(struct weir__engine *engine, const char *queue,
                      const char *key)
{
    struct place place;
    int64_t next;

    while (key != NULL && engine->status == 0) {
        next = first_of_key(engine, queue, key, WEIR_JOBS_BEHIND);
        if (next == INT64_MAX ||
            first_of_key(engine, queue, key, WEIR_JOBS_WAITING) < next ||
            !find_place(engine, next, &place) ||
            weir__place_is_full(engine, queue, key))
            return;
        set_state(engine, next, state_at(engine, place.run_at));
    }
}

void weir__place_all_next(struct weir__engine *engine, const char *queue)
{
    char key[WEIR_JOBS_NAME_LIMIT + 1] = "";
    bool has_key = true;

    while (has_key && engine->status == 0) {
        sqlite3_stmt *next = weir__sql(engine, WEIR__SQL_NEXT_KEY);
        char last[sizeof(key)];

        memcpy(last, key, sizeof(key));
        weir__bind_text(next, 1, queue);
        weir__bind_text(next, 2, last);
        has_key = weir__sql_next(engine, next) &&
                  sqlite3_column_type(next, 0) != SQLITE_NULL;
        if (has_key)
            copy_text(key, sqlite3_column_text(next, 0));
        weir__sql_end(next);
        if (has_key)
            weir__place_next(engine, queue, key);
    }
}

/* Take one job that needs `id` out of the table.  Returns it, or 0. */
static int64_t take_dependent(struct weir__engine *engine, int64_t id)
{
    sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_DEPENDENT);
    sqlite3_stmt *forget = weir__sql(engine, WEIR__SQL_FORGET);
    int64_t dependent;

    weir__bind_number(find, 1, id);
    dependent = weir__sql_number(engine, find, 0);
    if (dependent != 0) {
        weir__bind_number(forget, 1, id);
        weir__bind_number(forget, 2, dependent);
        (void)weir__sql_run(engine, forget);
    }
    return dependent;
}

static void one_less(struct weir__engine *engine, int64_t id)
{
    sqlite3_stmt *less = weir__sql(engine, WEIR__SQL_ONE_LESS);
    bool is_free = false;

    weir__bind_number(less, 1, id);
    while (weir__sql_next(engine, less))
        is_free = sqlite3_column_int64(less, 0) == 0 &&
                  sqlite3_column_int(less, 1) == WEIR_JOBS_WAITING;
    if (is_free)
        weir__place_job(engine, id);
}

void weir__place_dependents(struct weir__engine *engine, int64_t id)
{
    int64_t dependent;

    while ((dependent = take_dependent(engine, id)) != 0)
        one_less(engine, dependent);
}

/* ---- cancelling ---- */

/* Cancel one job.  Returns whether it was not finished. */
static bool cancel_one(struct weir__engine *engine, int64_t id)
{
    sqlite3_stmt *set, *forget;
    struct place place;
    int64_t kept_ms;

    if (!find_place(engine, id, &place) || place.state >= WEIR_JOBS_DONE)
        return false;
    set = weir__sql(engine, WEIR__SQL_CANCEL);
    kept_ms = place.keep_ms > 0 ? place.keep_ms : CANCELLED_KEPT_MS;
    weir__bind_number(set, 1, id);
    weir__bind_number(set, 2, engine->date_ms);
    if (place.keep_ms >= 0)
        weir__bind_number(set, 3, engine->date_ms + kept_ms);
    (void)weir__sql_run(engine, set);
    forget = weir__sql(engine, WEIR__SQL_FORGET_NEEDS);
    weir__bind_number(forget, 1, id);
    (void)weir__sql_run(engine, forget);
    weir__place_next(engine, place.queue, place.has_key ? place.key : NULL);
    return true;
}

/* The jobs that wait for another, directly or not. */
static struct weir__ids find_later(struct weir__engine *engine, int64_t id)
{
    sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_ALL_DEPENDENTS);
    struct weir__ids later = {0};

    weir__bind_number(find, 1, id);
    while (weir__sql_next(engine, find))
        if (!weir__ids_push(&later, sqlite3_column_int64(find, 0))) {
            weir__store_fail(engine, SQLITE_NOMEM);
            weir__sql_end(find);
            break;
        }
    return later;
}

bool weir__place_cancel(struct weir__engine *engine, int64_t id)
{
    struct weir__ids later = find_later(engine, id);
    bool is_cancelled = cancel_one(engine, id);

    for (size_t i = 0; i < later.count && is_cancelled; i++)
        (void)cancel_one(engine, later.ids[i]);
    weir__ids_drop(&later);
    return is_cancelled;
}
