/* SPDX-License-Identifier: MIT */
/*
 * claim -- jobs are handed to workers, under a lease and with a new token.
 *
 * Before that, whatever else the passing of time asks for is done: jobs become
 * due, leases of dead workers end, results expire.  So no process needs to do
 * it at a particular time: one that claims has done it, and the claim tells when
 * it is worth the next look.
 */
#include <string.h>

#include "sqlite/pace.h"
#include "sqlite/settle.h"
#include "weir/host/memory.h"

/* ---- the passing of time ---- */

static void promote(struct weir__engine *engine, const char *queue)
{
    int count;

    do {
        sqlite3_stmt *due = weir__sql(engine, WEIR__SQL_DUE);

        weir__bind_text(due, 1, queue);
        weir__bind_number(due, 2, engine->date_ms);
        count = weir__sql_run(engine, due);
    } while (count == 1000);
}

enum { EXPIRED_AT_ONCE = 100 };

static size_t find_expired(struct weir__engine *engine, const char *queue,
                           struct weir__failed *failed,
                           char keys[][WEIR_JOBS_NAME_LIMIT + 1])
{
    sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_EXPIRED);
    size_t count = 0;

    weir__bind_text(find, 1, queue);
    weir__bind_number(find, 2, engine->uptime_us / 1000);
    while (weir__sql_next(engine, find)) {
        const char *key = (const char *)sqlite3_column_text(find, 2);

        if (key != NULL)
            strncpy(keys[count], key, WEIR_JOBS_NAME_LIMIT);
        failed[count] = (struct weir__failed){
            .id = sqlite3_column_int64(find, 0),
            .token = sqlite3_column_int64(find, 1),
            .queue = queue,
            .key = key != NULL ? keys[count] : NULL,
            .reason = "the lease ended: the process of the worker died, or "
                      "did not run",
            .attempt = (uint32_t)sqlite3_column_int(find, 3),
            .attempts = (uint32_t)sqlite3_column_int(find, 4),
            .backoff_ms = sqlite3_column_int64(find, 5),
            .backoff_max_ms = sqlite3_column_int64(find, 6),
        };
        count++;
    }
    return count;
}

/* End the leases that were not renewed. */
static void expire(struct weir__engine *engine, const char *queue)
{
    char keys[EXPIRED_AT_ONCE][WEIR_JOBS_NAME_LIMIT + 1];
    struct weir__failed failed[EXPIRED_AT_ONCE];
    size_t count;

    do {
        memset(keys, 0, sizeof(keys));
        count = find_expired(engine, queue, failed, keys);
        for (size_t i = 0; i < count; i++)
            (void)weir__settle_failed(engine, &failed[i]);
    } while (count == EXPIRED_AT_ONCE && engine->status == 0);
}

static void purge(struct weir__engine *engine)
{
    sqlite3_stmt *purge = weir__sql(engine, WEIR__SQL_PURGE);

    weir__bind_number(purge, 1, engine->date_ms);
    (void)weir__sql_run(engine, purge);
}

/* ---- limits ---- */

/* A batch may begin when the last one has been paid for: each of its jobs costs
 * an interval.  Of `rate` jobs, at most `burst` begin together, and the interval
 * makes up for it: in a period there are the jobs of all batches but the last,
 * at most rate - burst of them, and the last batch. */
struct rate {
    int64_t burst, interval_us;
};

enum { QUANTUM_MS = 10 };

static struct rate rate_of(int64_t rate, int64_t period_ms)
{
    int64_t burst = rate * QUANTUM_MS / period_ms;
    int64_t slots;

    if (burst < 1)
        burst = 1;
    if (burst > rate)
        burst = rate;
    slots = rate - burst + 1;
    return (struct rate){burst, (period_ms * 1000 + slots - 1) / slots};
}

struct allowance {
    int64_t most;
    int64_t interval_us;     /* 0: no rate */
    int64_t key_interval_us; /* likewise, of each key */
    int64_t due_us; /* of the next one, by the uptime; INT64_MAX: unknown */
};

static int64_t count_running(struct weir__engine *engine, const char *queue)
{
    sqlite3_stmt *count = weir__sql(engine, WEIR__SQL_RUNNING);

    weir__bind_text(count, 1, queue);
    return weir__sql_number(engine, count, 0);
}

static struct allowance allow(struct weir__engine *engine, const char *queue,
                              uint32_t most)
{
    struct allowance allowance = {.most = most, .due_us = INT64_MAX};
    sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_LIMITS);
    int64_t concurrency, rate, period_ms, rate_at_us, key_rate;
    bool is_paused;

    weir__bind_text(find, 1, queue);
    if (!weir__sql_next(engine, find))
        return allowance;
    is_paused = sqlite3_column_int(find, 0) != 0;
    concurrency = sqlite3_column_int64(find, 1);
    rate = sqlite3_column_int64(find, 2);
    period_ms = sqlite3_column_int64(find, 3);
    rate_at_us = sqlite3_column_int64(find, 4);
    key_rate = sqlite3_column_int64(find, 5);
    if (key_rate > 0)
        allowance.key_interval_us =
            (sqlite3_column_int64(find, 6) * 1000 + key_rate - 1) / key_rate;
    weir__sql_end(find);
    if (is_paused)
        allowance.most = 0;
    if (concurrency > 0) {
        int64_t room = concurrency - count_running(engine, queue);

        if (room < allowance.most)
            allowance.most = room > 0 ? room : 0;
    }
    if (rate > 0 && allowance.most > 0) {
        struct rate at = rate_of(rate, period_ms);

        allowance.interval_us = at.interval_us;
        if (allowance.most > at.burst)
            allowance.most = at.burst;
        if (engine->uptime_us < rate_at_us) {
            allowance.most = 0;
            allowance.due_us = rate_at_us;
        }
    }
    return allowance;
}

/* Leave out the jobs whose keys must wait, and find out for how long. */
static void allow_keys(struct weir__engine *engine, const char *queue,
                       struct allowance *allowance)
{
    int64_t due_us;

    if (allowance->key_interval_us == 0)
        return;
    weir__pace_pass(engine, queue);
    if (allowance->most > 0)
        allowance->most = weir__pace_hold(
            engine, queue, allowance->key_interval_us, allowance->most);
    due_us = weir__pace_due_us(engine, queue);
    if (due_us < allowance->due_us)
        allowance->due_us = due_us;
}

static void pay(struct weir__engine *engine, const char *queue,
                struct allowance *allowance, uint32_t count)
{
    sqlite3_stmt *set;
    int64_t paid_us;

    if (allowance->interval_us == 0 || count == 0)
        return;
    paid_us = engine->uptime_us + count * allowance->interval_us;
    if (paid_us < allowance->due_us)
        allowance->due_us = paid_us;
    set = weir__sql(engine, WEIR__SQL_SET_RATE_AT);
    weir__bind_text(set, 1, queue);
    weir__bind_number(set, 2, paid_us);
    (void)weir__sql_run(engine, set);
}

/* ---- claiming ---- */

static size_t text_bytes(const char *text)
{
    return text != NULL ? strlen(text) + 1 : 0;
}

static const char *keep_text(char **at, const char *text)
{
    size_t bytes = text_bytes(text);
    char *kept = *at;

    if (bytes == 0)
        return NULL;
    memcpy(kept, text, bytes);
    *at += bytes;
    return kept;
}

/* Make a claim of a row of READY. */
static weir_jobs_claim *make_claim(const struct weir__claiming *claiming,
                                   sqlite3_stmt *row)
{
    const char *key = (const char *)sqlite3_column_text(row, 11);
    const char *unique = (const char *)sqlite3_column_text(row, 12);
    const char *reason = (const char *)sqlite3_column_text(row, 13);
    const void *payload = sqlite3_column_blob(row, 14);
    size_t payload_size = (size_t)sqlite3_column_bytes(row, 14);
    size_t bytes = sizeof(weir_jobs_claim) + text_bytes(key) +
                   text_bytes(unique) + text_bytes(reason) + payload_size;
    weir_jobs_claim *claim = weir_memory_alloc(bytes);
    char *at = (char *)(claim + 1);

    if (claim == NULL)
        return NULL;
    memset(claim, 0, sizeof(*claim));
    claim->bytes = bytes;
    claim->worker = claiming->worker;
    claim->keep_ms = sqlite3_column_int64(row, 8);
    claim->backoff_ms = sqlite3_column_int64(row, 9);
    claim->backoff_max_ms = sqlite3_column_int64(row, 10);
    claim->info = (weir_jobs_info){
        .id = (uint64_t)sqlite3_column_int64(row, 0),
        .state = WEIR_JOBS_RUNNING,
        .attempt = (uint32_t)sqlite3_column_int(row, 1) + 1,
        .attempts = (uint32_t)sqlite3_column_int(row, 2),
        .priority = sqlite3_column_int(row, 3),
        .added_ms = sqlite3_column_int64(row, 5),
        .run_at_ms = sqlite3_column_int64(row, 6),
        .timeout_ms = sqlite3_column_int64(row, 7),
        .queue = claiming->queue,
        .owner = claiming->owner,
        .key = keep_text(&at, key),
        .unique = keep_text(&at, unique),
        .reason = keep_text(&at, reason),
        .payload = at,
        .payload_size = payload_size,
    };
    if (payload_size > 0)
        memcpy(at, payload, payload_size);
    return claim;
}

static void find_ready(struct weir__engine *engine,
                       struct weir__claiming *claiming, int64_t most)
{
    sqlite3_stmt *ready = weir__sql(engine, WEIR__SQL_READY);
    weir_jobs_claim **end = &claiming->claims;

    weir__bind_text(ready, 1, claiming->queue);
    weir__bind_number(ready, 2, most);
    while (weir__sql_next(engine, ready)) {
        weir_jobs_claim *claim = make_claim(claiming, ready);

        if (claim == NULL) {
            weir__store_fail(engine, SQLITE_NOMEM);
            weir__sql_end(ready);
            return;
        }
        *end = claim;
        end = &claim->next;
        claiming->count++;
    }
}

static void take(struct weir__engine *engine, struct weir__claiming *claiming)
{
    int64_t now_ms = engine->uptime_us / 1000;
    sqlite3_stmt *tokens = weir__sql(engine, WEIR__SQL_TOKENS);
    uint64_t token;

    weir__bind_number(tokens, 1, claiming->count);
    token = (uint64_t)weir__sql_number(engine, tokens, 0) - claiming->count;
    for (weir_jobs_claim *claim = claiming->claims; claim != NULL;
         claim = claim->next) {
        sqlite3_stmt *update = weir__sql(engine, WEIR__SQL_CLAIM);

        claim->info.token = ++token;
        claim->claimed_ms = now_ms;
        claim->lease_until_ms = now_ms + claiming->lease_ms;
        claim->info.lease_ms = claiming->lease_ms;
        weir__bind_number(update, 1, (int64_t)claim->info.id);
        weir__bind_number(update, 2, (int64_t)token);
        weir__bind_number(update, 3, claim->lease_until_ms);
        weir__bind_text(update, 4, claiming->owner);
        (void)weir__sql_run(engine, update);
    }
}

/* Results that expire one after the other wake an idle worker at most this
 * often. */
enum { PURGE_SLACK_MS = 1000 };

static void find_due(struct weir__engine *engine,
                     struct weir__claiming *claiming,
                     const struct allowance *allowance)
{
    sqlite3_stmt *due = weir__sql(engine, WEIR__SQL_NEXT_DUE);
    sqlite3_stmt *run = weir__sql(engine, WEIR__SQL_NEXT_RUN_OF);
    sqlite3_stmt *expired = weir__sql(engine, WEIR__SQL_NEXT_EXPIRED);
    sqlite3_stmt *purge = weir__sql(engine, WEIR__SQL_NEXT_PURGE);
    int64_t run_ms, purge_ms;
    int64_t rate_ms = allowance->due_us == INT64_MAX
                          ? INT64_MAX
                          : (allowance->due_us + 999) / 1000;

    weir__bind_text(due, 1, claiming->queue);
    claiming->due_date_ms = weir__sql_number(engine, due, INT64_MAX);
    weir__bind_text(run, 1, claiming->queue);
    run_ms = weir__sql_number(engine, run, INT64_MAX);
    if (run_ms < claiming->due_date_ms)
        claiming->due_date_ms = run_ms;
    purge_ms = weir__sql_number(engine, purge, INT64_MAX);
    if (purge_ms < claiming->due_date_ms - PURGE_SLACK_MS)
        claiming->due_date_ms = purge_ms + PURGE_SLACK_MS;
    weir__bind_text(expired, 1, claiming->queue);
    claiming->due_uptime_ms = weir__sql_number(engine, expired, INT64_MAX);
    if (rate_ms < claiming->due_uptime_ms)
        claiming->due_uptime_ms = rate_ms;
}

void weir__store_claim(struct weir__engine *engine, struct weir__op *op)
{
    struct weir__claiming *claiming = &op->in.claim;
    struct allowance allowance;

    purge(engine);
    expire(engine, claiming->queue);
    promote(engine, claiming->queue);
    allowance = allow(engine, claiming->queue, claiming->most);
    allow_keys(engine, claiming->queue, &allowance);
    if (allowance.most > 0)
        find_ready(engine, claiming, allowance.most);
    if (claiming->count > 0)
        take(engine, claiming);
    pay(engine, claiming->queue, &allowance, claiming->count);
    find_due(engine, claiming, &allowance);
}
