/* SPDX-License-Identifier: MIT */
/*
 * metrics -- see metrics.h.
 *
 * The servers are copied under the lock of their list, and written afterwards:
 * the lines of a family must be together.
 *
 * Tested by  test/net/monitor/monitor.c, test/api/live.py (promtool)
 */
#include "monitor/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "weir/host/http.h"
#include "weir/host/memory.h"
#include "weir/metrics.h"

enum { MOST_SERVERS = 64 };

struct seen {
    char label[WEIR_ADDRESS_TEXT]; /* its address */
    uint64_t connections, in_flight;
    weir_http_counts counts;
    weir_http_times times;
};

struct seen_all {
    const weir_http_server *without;
    bool is_short; /* of memory */
    size_t count;
    struct seen servers[MOST_SERVERS];
};

static struct seen *find(struct seen_all *all, const char *label)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->servers[i].label, label) == 0)
            return &all->servers[i];
    return NULL;
}

/* Servers of several threads share an address, and so do one that drains and
 * its successor. */
static void add(struct seen *to, const struct seen *more)
{
    to->connections += more->connections;
    to->in_flight += more->in_flight;
    to->counts.connections += more->counts.connections;
    to->counts.requests += more->counts.requests;
    to->counts.refused += more->counts.refused;
    to->counts.cut += more->counts.cut;
    for (size_t i = 0; i <= WEIR_HTTP_TIMES; i++)
        to->times.counts[i] += more->times.counts[i];
    for (size_t i = 0; i < 5; i++)
        to->times.statuses[i] += more->times.statuses[i];
    to->times.sum_ns += more->times.sum_ns;
}

/* A path may have any characters. */
static void make_plain(char *label)
{
    for (; *label != '\0'; label++)
        if (*label == '"' || *label == '\\' || *label == '\n')
            *label = '_';
}

/* The busy connections come first.  Connections that came after they were counted
 * are left out. */
static void count_in_flight(struct seen_all *all, struct seen *seen,
                            weir_http_server *server)
{
    size_t room = (size_t)seen->connections, count;
    weir_http_holder *rows;

    if (room == 0)
        return;
    rows = weir_memory_alloc(room * sizeof(*rows));
    if (rows == NULL) {
        all->is_short = true;
        return;
    }
    count = weir_http_server_report(server, rows, room, sizeof(*rows));
    for (size_t i = 0; i < count && i < room; i++) {
        if (strcmp(rows[i].phase, "busy") != 0)
            break;
        seen->in_flight++;
    }
    weir_memory_free(rows, room * sizeof(*rows));
}

static void look(void *arg, weir_http_server *server, const char *name)
{
    struct seen_all *all = arg;
    struct seen *seen = &all->servers[all->count], *same;
    weir_address address;

    if (server == all->without || all->count == MOST_SERVERS)
        return;
    memset(seen, 0, sizeof(*seen));
    if (weir_http_server_address(server, 0, &address) != 0)
        return; /* it does not listen */
    weir_address_format(&address, seen->label, sizeof(seen->label));
    make_plain(seen->label);
    seen->counts.size = sizeof(seen->counts);
    seen->times.size = sizeof(seen->times);
    (void)!weir_http_server_counts(server, &seen->counts);
    (void)!weir_http_server_times(server, &seen->times);
    seen->connections = weir_http_server_report(server, NULL, 0, 0);
    count_in_flight(all, seen, server);
    same = find(all, seen->label);
    if (same != NULL)
        add(same, seen);
    else
        all->count++;
}

/* ---- families ---- */

static void begin(struct weir__text *text, const char *name, const char *type,
                  const char *help)
{
    weir__text_add(text, "# HELP weir_http_%s %s\n# TYPE weir_http_%s %s\n",
                   name, help, name, type);
}

static const struct {
    const char *name, *type, *help;
    size_t place; /* in struct seen */
} families[] = {
    {"connections", "gauge", "Open connections of a server.",
     offsetof(struct seen, connections)},
    {"requests_in_flight", "gauge", "Requests whose response has not ended.",
     offsetof(struct seen, in_flight)},
    {"connections_total", "counter", "Connections that were accepted.",
     offsetof(struct seen, counts.connections)},
    {"requests_total", "counter", "Requests that were passed to a handler.",
     offsetof(struct seen, counts.requests)},
    {"refused_total", "counter",
     "Requests that were malformed or beyond a limit.",
     offsetof(struct seen, counts.refused)},
    {"cut_total", "counter", "Requests whose response was cut off.",
     offsetof(struct seen, counts.cut)},
};

static void write_counts(struct weir__text *text, const struct seen_all *all)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
        begin(text, families[i].name, families[i].type, families[i].help);
        for (size_t k = 0; k < all->count; k++) {
            uint64_t value;

            memcpy(&value, (const char *)&all->servers[k] + families[i].place,
                   sizeof(value));
            weir__text_add(text, "weir_http_%s{server=\"%s\"} %" PRIu64 "\n",
                           families[i].name, all->servers[k].label, value);
        }
    }
}

static void write_statuses(struct weir__text *text, const struct seen_all *all)
{
    begin(text, "responses_total", "counter",
          "Responses that have ended, by the class of their status.");
    for (size_t k = 0; k < all->count; k++)
        for (unsigned i = 0; i < 5; i++)
            weir__text_add(text,
                           "weir_http_responses_total{server=\"%s\",code=\"%"
                           "uxx\"} %" PRIu64 "\n",
                           all->servers[k].label, i + 1,
                           all->servers[k].times.statuses[i]);
}

static void write_times(struct weir__text *text, const struct seen *seen)
{
    static const char name[] = "weir_http_request_duration_seconds";
    uint64_t total = 0;

    for (size_t i = 0; i <= WEIR_HTTP_TIMES; i++) {
        char bound[32] = "+Inf";

        total += seen->times.counts[i];
        if (i < WEIR_HTTP_TIMES)
            snprintf(bound, sizeof(bound), "%g",
                     (double)weir_http_time_bound(i) / 1e9);
        weir__text_add(text, "%s_bucket{server=\"%s\",le=\"%s\"} %" PRIu64 "\n",
                       name, seen->label, bound, total);
    }
    weir__text_add(text, "%s_sum{server=\"%s\"} %.9f\n", name, seen->label,
                   (double)seen->times.sum_ns / 1e9);
    weir__text_add(text, "%s_count{server=\"%s\"} %" PRIu64 "\n", name,
                   seen->label, total);
}

static int append(void *arg, const char *bytes, size_t size)
{
    struct weir__text *text = arg;

    weir__text_put(text, bytes, size);
    return text->is_short ? -ENOMEM : 0;
}

void weir__metrics_write(struct weir__text *text, const weir_pool *pool,
                         const weir_http_server *without)
{
    const weir_metrics_source source = {.name = "pool", .pool = pool};
    struct seen_all all = {.without = without};

    (void)!weir_http_server_each(look, &all);
    if (all.is_short ||
        weir_metrics_text_all(&source, pool != NULL, append, text) != 0)
        text->is_short = true;
    if (all.count == 0)
        return;
    write_counts(text, &all);
    write_statuses(text, &all);
    begin(text, "request_duration_seconds", "histogram",
          "Time from the first byte of a request to the end of its response.");
    for (size_t k = 0; k < all.count; k++)
        write_times(text, &all.servers[k]);
}
