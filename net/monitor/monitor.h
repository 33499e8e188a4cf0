/* SPDX-License-Identifier: MIT */
/*
 * monitor -- the state of the monitor, of which there is one.
 *
 * Written by start before the thread begins, and then the thread's.
 */
#ifndef WEIR_NET_MONITOR_H_INTERNAL
#define WEIR_NET_MONITOR_H_INTERNAL

#include <stdbool.h>
#include <stdint.h>

#include "monitor/access.h"
#include "monitor/feed.h"
#include "monitor/survey.h"
#include "weir/host/http.h"
#include "weir/host/thread.h"
#include "weir/net/monitor.h"

struct weir__monitor {
    weir_monitor_options options;
    char title[256], path[128], url[256];
    char token[WEIR__TOKEN_BYTES + 1];
    weir_loop *loop;
    weir_http_server *server;
    weir_thread thread;
    struct weir__feed feed;
    struct weir__survey survey;
};

/* ---- sample.c ---- */

/* Look at the process, unless that was done just now, and write what was seen
 * as a JSON object. */
void weir__sample_write(struct weir__monitor *monitor, struct weir__text *text);

/* ---- routes.c ---- */

void weir__routes_serve(void *monitor, weir_http_request *request);

#endif /* WEIR_NET_MONITOR_H_INTERNAL */
