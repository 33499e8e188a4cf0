/* SPDX-License-Identifier: MIT */
/*
 * watch -- the connection that listens, and renews leases.
 *
 * A renewal is one statement with a deadline of a third of the shortest lease:
 * if the server has not answered by then, the renewal has failed, and the
 * connection is given up.  While nothing is renewed, a ping a minute finds out
 * whether the server is still there: a peer that has vanished says nothing, and
 * neither does one that has nothing to say.
 *
 * A worker that is busy makes no lists, so it learns from its renewals that a
 * schedule is due.
 *
 * LISTEN comes before the look that follows each new connection, so a change
 * that was committed before it is seen, and one that comes later is heard.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "postgres/store.h"
#include "weir/clock.h"
#include "weir/host/memory.h"

enum { PING_MS = 60000, PING_DEADLINE_MS = 10000 };

static struct weir__engine *engine_of(struct weir__link *link)
{
    return (struct weir__engine *)((char *)link -
                                   offsetof(struct weir__engine, watch));
}

static void stop_timer(struct weir__engine *engine, weir_timer *timer)
{
    if (*timer != 0)
        (void)!weir_timer_cancel(engine->host->loop, *timer);
    *timer = 0;
}

static void start_timer(struct weir__engine *engine, weir_timer *timer,
                        int64_t delay_ms, weir_fn *fn)
{
    stop_timer(engine, timer);
    if (weir_timer_start(engine->host->loop, timer, WEIR_MS(delay_ms),
                         WEIR_TIMER_ONCE, fn, engine) != 0)
        *timer = 0;
}

/* ---- renewing ---- */

static void finish_renewal(struct weir__engine *engine)
{
    struct weir__op *op = engine->renewal;

    stop_timer(engine, &engine->renewal_deadline);
    engine->renewal = NULL;
    engine->is_renewing = false;
    engine->host->renewed(engine->host, op);
}

static void miss_renewal(void *arg, int status)
{
    struct weir__engine *engine = arg;

    engine->renewal_deadline = 0;
    if (status != 0)
        return;
    weir__op_fail(engine->renewal, WEIR_ESTORE,
                  "the server has not answered a renewal in time");
    engine->is_listening = engine->is_pinging = false;
    if (engine->watch.is_up)
        weir__link_restart(&engine->watch);
    finish_renewal(engine);
}

/* The columns of RENEW: arrays of numbers, as text. */
struct columns {
    char *ids, *tokens, *leases;
    size_t bytes; /* of all three, from ids on */
};

static bool write_columns(const struct weir__op *op, struct columns *columns)
{
    size_t room = (size_t)op->in.renew.count * 21 + 3;
    char *at[3];

    columns->bytes = room * 3;
    columns->ids = weir_memory_alloc(columns->bytes);
    if (columns->ids == NULL)
        return false;
    at[0] = columns->ids;
    at[1] = columns->tokens = columns->ids + room;
    at[2] = columns->leases = columns->tokens + room;
    for (int i = 0; i < 3; i++)
        *at[i]++ = '{';
    for (uint32_t i = 0; i < op->in.renew.count; i++) {
        const struct weir__renewal *row = &op->in.renew.rows[i];
        const long long numbers[3] = {(long long)row->id, (long long)row->token,
                                      (long long)row->lease_ms};

        for (int j = 0; j < 3; j++)
            at[j] += sprintf(at[j], i > 0 ? ",%lld" : "%lld", numbers[j]);
    }
    for (int i = 0; i < 3; i++)
        memcpy(at[i], "}", 2);
    return true;
}

static void send_renewal(struct weir__engine *engine)
{
    struct weir__params params = {0};
    struct columns columns;

    if (engine->renewal == NULL || engine->is_renewing || !engine->is_listening)
        return;
    if (!write_columns(engine->renewal, &columns))
        return; /* then the deadline ends it */
    engine->is_renewing = true;
    engine->renewing_ms = weir__clock_uptime_us() / 1000;
    weir__param_text(&params, columns.ids);
    weir__param_text(&params, columns.tokens);
    weir__param_text(&params, columns.leases);
    weir__param_date(&params);
    weir__link_send(&engine->watch, "RENEW", &params);
    weir_memory_free(columns.ids, columns.bytes);
    weir__link_sync(&engine->watch);
}

static void ping(void *arg, int status);

void weir__watch_renew(struct weir__engine *engine, struct weir__op *op)
{
    int64_t lease_ms = INT64_MAX;

    for (uint32_t i = 0; i < op->in.renew.count; i++)
        if (op->in.renew.rows[i].lease_ms < lease_ms)
            lease_ms = op->in.renew.rows[i].lease_ms;
    engine->renewal = op;
    start_timer(engine, &engine->renewal_deadline, lease_ms / 3 + 1,
                miss_renewal);
    start_timer(engine, &engine->ping, PING_MS, ping);
    send_renewal(engine);
}

/* Rows of a result are the stale tokens.  0, the last one, is not a token: it
 * says that schedules are due. */
static void read_lost(struct weir__engine *engine, const PGresult *result)
{
    int count = engine->pq.PQntuples(result);
    struct weir__op *op = engine->renewal;

    if (count > 0 &&
        weir__link_number(&engine->watch, result, count - 1, 0, -1) == 0) {
        engine->host->due(engine->host);
        count--;
    }

    for (uint32_t i = 0; i < op->in.renew.count; i++) {
        struct weir__renewal *row = &op->in.renew.rows[i];

        row->until_ms = engine->renewing_ms + row->lease_ms;
        row->is_lost = false;
        for (int j = 0; j < count && !row->is_lost; j++)
            row->is_lost = (uint64_t)weir__link_number(&engine->watch, result,
                                                       j, 0, 0) == row->token;
    }
}

/* ---- the connection ---- */

static void miss_ping(void *arg, int status)
{
    struct weir__engine *engine = arg;

    engine->ping = 0;
    if (status != 0)
        return;
    engine->is_listening = engine->is_pinging = false;
    weir__link_restart(&engine->watch);
}

static void ping(void *arg, int status)
{
    static const struct weir__params none;
    struct weir__engine *engine = arg;

    engine->ping = 0;
    if (status != 0 || !engine->is_listening || engine->is_renewing)
        return;
    engine->is_pinging = true;
    weir__link_send(&engine->watch, "PING", &none);
    weir__link_sync(&engine->watch);
    start_timer(engine, &engine->ping, PING_DEADLINE_MS, miss_ping);
}

static void ready(struct weir__link *link)
{
    static const struct weir__params none;

    weir__link_pipeline(link);
    weir__link_prepare(link, "LISTEN", "LISTEN weir_jobs");
    weir__link_prepare(link, "PING", "SELECT 1");
    weir__link_prepare(link, "RENEW",
                       "SELECT * FROM weir_jobs.renew($1, $2, $3, $4)");
    weir__link_send(link, "LISTEN", &none);
    weir__link_sync(link);
}

static void take_result(struct weir__link *link, PGresult *result)
{
    struct weir__engine *engine = engine_of(link);
    char reason[WEIR__OP_REASON_BYTES];

    if (engine->is_pinging)
        return;
    switch (link->pq->PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_PIPELINE_ABORTED:
        return;
    case PGRES_TUPLES_OK:
        if (engine->is_renewing)
            read_lost(engine, result);
        return;
    default:
        if (engine->is_renewing)
            weir__op_fail(engine->renewal,
                          weir__pg_status(engine, result, reason), reason);
    }
}

static void synced(struct weir__link *link)
{
    struct weir__engine *engine = engine_of(link);

    start_timer(engine, &engine->ping, PING_MS, ping);
    if (engine->is_pinging) {
        engine->is_pinging = false;
        return;
    }
    if (!engine->is_listening) {
        engine->is_listening = true;
        engine->host->changed(engine->host, NULL);
    } else if (engine->is_renewing) {
        finish_renewal(engine);
    }
    send_renewal(engine);
}

static void lost(struct weir__link *link, const char *reason, bool is_final)
{
    struct weir__engine *engine = engine_of(link);

    stop_timer(engine, &engine->ping);
    engine->is_listening = false;
    engine->is_pinging = false;
    engine->is_renewing = false; /* it is sent again, if its time allows */
}

static void notified(struct weir__link *link, const PGnotify *notify)
{
    struct weir__engine *engine = engine_of(link);

    if (notify->be_pid != engine->work.pid)
        engine->host->changed(engine->host,
                              notify->extra[0] != '\0' ? notify->extra : NULL);
}

const struct weir__link_class weir__watch_class = {
    .ready = ready,
    .result = take_result,
    .synced = synced,
    .lost = lost,
    .notified = notified,
};

void weir__watch_start(struct weir__engine *engine)
{
    if (engine->watch.connection == NULL && engine->watch.wait == 0)
        weir__link_start(&engine->watch);
}

void weir__watch_stop(struct weir__engine *engine)
{
    stop_timer(engine, &engine->renewal_deadline);
    stop_timer(engine, &engine->ping);
    weir__link_stop(&engine->watch);
}
