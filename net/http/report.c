/* SPDX-License-Identifier: MIT */
/*
 * report -- what an HTTP server has done, and what it is doing.
 *
 * Any thread may ask.  The counters are atomic.  The word of a connection keeps
 * its request from changing while the report reads it (weir/host/connection.h).
 *
 * Tested by  test/net/http/server.c
 */
#include <errno.h>
#include <string.h>

#include "http/conn.h"
#include "weir/host/sized.h"

/* ---- counts ---- */

int weir_http_server_counts(const weir_http_server *server,
                            weir_http_counts *counts)
{
    weir_http_counts sum = {.size = sizeof(sum)};

    if (server == NULL || counts == NULL)
        return -EINVAL;
    for (size_t i = 0; i < server->shard_count; i++) {
        const struct weir__http_counters *counters =
            &server->shards[i].counters;

        sum.connections += weir_counter_read(&counters->connections);
        sum.requests += weir_counter_read(&counters->requests);
        sum.responses += weir_counter_read(&counters->responses);
        sum.refused += weir_counter_read(&counters->refused);
        sum.cut += weir_counter_read(&counters->cut);
        sum.crossed += weir_counter_read(&counters->crossed);
    }
    return weir_sized_write(counts, &sum, sizeof(sum));
}

/* ---- the report ---- */

struct report {
    char *rows;
    size_t capacity, size, count;
    bool wants_busy;
    int64_t now_ns;
};

static void fill_holder(weir_http_holder *holder,
                        const struct weir__http_conn *conn,
                        weir_connection_phase phase, bool is_busy,
                        int64_t now_ns)
{
    static const char *const phases[] = {
        [WEIR_CONNECTION_NEW] = "new",
        [WEIR_CONNECTION_IDLE] = "idle",
        [WEIR_CONNECTION_READING] = "reading",
        [WEIR_CONNECTION_BUSY] = "busy",
        [WEIR_CONNECTION_UPGRADED] = "upgraded",
        [WEIR_CONNECTION_CLOSING] = "closing",
    };
    weir_address peer;

    memset(holder, 0, sizeof(*holder));
    holder->phase = phases[phase];
    holder->age_ns = now_ns - conn->since_ns;
    holder->received_bytes = weir_counter_read(&conn->received);
    holder->sent_bytes = weir_counter_read(&conn->sent);
    if (conn->peer_size > 0 &&
        weir_address_from(&peer, conn->peer, conn->peer_size) == 0)
        weir_address_format(&peer, holder->peer, sizeof(holder->peer));
    if (!is_busy)
        return;
    holder->age_ns = now_ns - conn->request->since_ns;
    memcpy(holder->method, conn->request->shown_method, sizeof(holder->method));
    memcpy(holder->target, conn->request->shown_target, sizeof(holder->target));
}

static void add_row(void *arg, weir_connection *word,
                    weir_connection_phase phase, bool is_busy)
{
    struct report *report = arg;
    weir_http_holder holder;
    size_t size = report->size < sizeof(holder) ? report->size : sizeof(holder);

    if (is_busy != report->wants_busy)
        return;
    if (report->count++ >= report->capacity)
        return;
    fill_holder(&holder, (struct weir__http_conn *)word, phase, is_busy,
                report->now_ns);
    memset(report->rows, 0, report->size);
    memcpy(report->rows, &holder, size);
    report->rows += report->size;
}

size_t weir_http_server_report(weir_http_server *server,
                               weir_http_holder *holders, size_t capacity,
                               size_t size)
{
    struct report report = {.rows = (char *)holders,
                            .capacity = holders != NULL ? capacity : 0,
                            .size = size,
                            .wants_busy = true,
                            .now_ns = weir_clock_now()};

    if (server == NULL)
        return 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < server->shard_count; i++)
            weir_connections_report(&server->shards[i].connections, add_row,
                                    &report);
        report.wants_busy = false;
    }
    return report.count;
}
