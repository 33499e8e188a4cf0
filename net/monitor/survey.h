/* SPDX-License-Identifier: MIT */
/*
 * survey -- what the process does now, and has done since the last look.
 *
 *     weir__survey_init(&survey, own_loop, own_server);
 *     weir__survey_look(&survey, &options);         every half second
 *     weir__survey_write(&survey, &text);           as JSON
 *     weir__survey_fini(&survey);
 *
 * Everything belongs to the monitor's thread.
 */
#ifndef WEIR_NET_MONITOR_SURVEY_H
#define WEIR_NET_MONITOR_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/recent.h"
#include "monitor/text.h"
#include "weir/host/http.h"
#include "weir/live.h"
#include "weir/metrics.h"
#include "weir/net/monitor.h"

enum {
    WEIR__SURVEY_NAME = 96,
    WEIR__SURVEY_HOLDERS = 64,
    WEIR__SURVEY_SERVERS = 16,
    WEIR__SURVEY_CONNECTIONS = 200,
    WEIR__SURVEY_LANES = 32,
    WEIR__SURVEY_POOLS = 32
};

/* A loop, and how it was at the last look. */
struct weir__survey_loop {
    const weir_loop *loop; /* its address only, after the look */
    bool is_seen, is_asleep, is_calling, has_metrics;
    weir_kind kind;
    uint64_t thread, callbacks, turns, memory_bytes;
    double callbacks_per_s, turns_per_s;
    double busy;      /* the share of time since the look before; 0 .. 1 */
    int64_t since_ns; /* when this callback was first seen */
    uint64_t asleep_ns;
    weir_metrics metrics; /* without longest_name */
    char name[WEIR__SURVEY_NAME], callback[WEIR__SURVEY_NAME];
    char subject[WEIR__SURVEY_NAME + 40], longest[WEIR__SURVEY_NAME];
};

/* Something that keeps a loop or the pool from ending. */
struct weir__survey_holder {
    char loop[32], name[WEIR__SURVEY_NAME];
    weir_kind kind;
    bool is_running;
    uint64_t count;
    int64_t age_ns;
};

struct weir__survey_server {
    const weir_http_server *server; /* its address only */
    char name[32], address[64];
    bool is_draining, is_seen;
    size_t connections;
    uint64_t requests_before;
    double requests_per_s;
    weir_http_counts counts;
};

struct weir__survey {
    const weir_loop *own_loop;          /* not shown */
    const weir_http_server *own_server; /* not shown */
    int64_t looked_ns, passed_ns;       /* the last look, and since before it */
    int64_t cpu_ns, age_ns;
    double cpu; /* cores in use since the last look */
    uint64_t resident_bytes;
    struct weir__survey_loop *loops;
    size_t loop_count, loop_capacity, loop_at;
    bool is_short;  /* some loops did not fit */
    bool is_ending; /* a loop terminates, or a server drains */
    struct weir__survey_holder holders[WEIR__SURVEY_HOLDERS];
    size_t holder_count;
    struct weir__survey_server servers[WEIR__SURVEY_SERVERS];
    size_t server_count;
    weir_http_holder connections[WEIR__SURVEY_CONNECTIONS];
    size_t connection_count, connection_total;
    weir_pool_stats pool;
    bool has_pool;
    weir_lane_stats lanes[WEIR__SURVEY_LANES]; /* names outlive the pool */
    size_t lane_count;                         /* of these rows */
    weir_monitor_pool pools[WEIR__SURVEY_POOLS];
    size_t pool_count; /* of these rows */
    struct weir__recent recent;
};

/* Returns 0 or -ENOMEM. */
int weir__survey_init(struct weir__survey *survey, const weir_loop *own_loop,
                      const weir_http_server *own_server);
void weir__survey_fini(struct weir__survey *survey);

void weir__survey_look(struct weir__survey *survey,
                       const weir_monitor_options *options);

/* Write the members of a JSON object, without the braces. */
void weir__survey_write(const struct weir__survey *survey,
                        struct weir__text *text);

#endif /* WEIR_NET_MONITOR_SURVEY_H */
