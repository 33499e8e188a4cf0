/* SPDX-License-Identifier: MIT */
/*
 * feed -- server-sent events: a sample every half second, and each block.
 */
#ifndef WEIR_NET_MONITOR_FEED_H
#define WEIR_NET_MONITOR_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/text.h"
#include "weir/net/http.h"
#include "weir/timer.h"

struct weir__client {
    struct weir__client *next, **link;
    struct weir__monitor *monitor;
    weir_http_request *request;
    uint64_t version; /* of the blocks that were sent */
};

struct weir__feed {
    struct weir__client *clients;
    unsigned client_count;
    weir_timer tick;
    bool is_ticking;
    struct weir__text sample, events;
};

/* Answer a request with the events from now on. */
void weir__feed_add(struct weir__monitor *monitor, weir_http_request *request);

/* Free its memory, when there are no clients. */
void weir__feed_fini(struct weir__feed *feed);

#endif /* WEIR_NET_MONITOR_FEED_H */
