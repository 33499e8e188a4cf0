/* SPDX-License-Identifier: MIT */
/*
 * resolver -- a channel of c-ares on a loop.
 */
#ifndef WEIR_NET_NAMES_RESOLVER_H
#define WEIR_NET_NAMES_RESOLVER_H

#include <ares.h>
#include <stdbool.h>

#include "names/request.h"
#include "weir/net/query.h"

struct weir__watch;

/* Loop only. */
struct weir_resolver {
    weir_loop *loop;
    ares_channel channel; /* NULL: closed */
    struct weir__watch *watches;
    weir_timer timer;    /* for the next timeout of c-ares; 0: none */
    weir_query *queries; /* that have not finished, newest first */
    size_t unanswered;   /* what c-ares works on, including the cancelled */
    int err; /* why a socket cannot be watched, since the last update; 0 */
    bool is_closed;
};

/* Watch what c-ares needs now: call it after each call of c-ares.  If that
 * fails, all queries end with the error. */
void weir__resolver_update(weir_resolver *resolver);

/* A query has finished, and is no longer in the list.  Stops c-ares after the
 * last query, and then frees a resolver that was closed. */
void weir__resolver_leave(weir_resolver *resolver);

/* The request of a query, and the query after it in the list. */
struct weir__request *weir__query_request(weir_query *query);
weir_query *weir__query_next(const weir_query *query);

#endif /* WEIR_NET_NAMES_RESOLVER_H */
