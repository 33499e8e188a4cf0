/* SPDX-License-Identifier: MIT */
/*
 * metrics -- all loops, a pool and all HTTP servers, for Prometheus.
 */
#ifndef WEIR_NET_MONITOR_METRICS_H
#define WEIR_NET_MONITOR_METRICS_H

#include "monitor/text.h"
#include "weir/net/http.h"
#include "weir/pool.h"

/* pool: may be NULL.  The server `without` is left out. */
void weir__metrics_write(struct weir__text *text, const weir_pool *pool,
                         const weir_http_server *without);

#endif /* WEIR_NET_MONITOR_METRICS_H */
