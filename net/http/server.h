/* SPDX-License-Identifier: MIT */
/*
 * server -- the internal structs of an HTTP server: shards and what they share.
 *
 *     server  one for each weir_http_server_new
 *     shard   one for each loop: its connections, its listeners, what they share
 *     conn    one for each connection
 *     request one for each request that is being handled
 *
 * Everything of a shard belongs to its loop's thread, except for the words of
 * the connections (weir/host/connection.h) and the counters.
 */
#ifndef WEIR_NET_HTTP_SERVER_H
#define WEIR_NET_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/date.h"
#include "http/format.h"
#include "http/parser.h"
#include "http/quota.h"
#include "weir/gate.h"
#include "weir/host/connection.h"
#include "weir/host/counter.h"
#include "weir/net/http.h"
#include "weir/timer.h"

enum { WEIR__CORK_SIZE = 64 * 1024 };

struct weir__http_conn;

struct weir__http_counters {
    weir_counter connections, requests, responses, refused, cut, crossed;
};

/* A listener of a shard. */
struct weir__http_listener {
    struct weir__http_listener *next;
    struct weir__http_shard *shard;
    weir_listener_options options; /* what it is opened with */
    weir_stream_options stream;
    weir_listener *open; /* NULL: not open */
};

/* A directory with static files. */
struct weir__http_root {
    struct weir__http_root *next;
    int fd;
    size_t size; /* of this struct */
    char path[];
};

struct weir__http_shard {
    weir_http_server *server;
    weir_loop *loop;
    weir_connections connections;
    struct weir__http_counters counters;
    struct weir__http_listener *listeners;
    uint32_t listeners_open;
    uint32_t conn_count;
    bool is_draining; /* its listeners are closed, or will never be open */
    bool is_full;     /* its listeners are paused */
    bool has_entered; /* the service's gate */
    bool is_quiet;    /* has reported that no listener is left */
    struct weir__http_date date;
    char *cork; /* WEIR__CORK_SIZE bytes, for the conn that writes ... */
    size_t cork_size;
    struct weir__http_conn *corked; /* ... which is this one */
    struct weir__http_root *roots;
    struct weir__http_quota quota; /* of connections_per_address */
    weir_http_request *spare;      /* kept for the next request */
    weir_task close_listeners;     /* posted by the drain */
    weir_task quiet;               /* posted to the drain */
};

/* An address that the server listens at. */
struct weir__http_place {
    struct weir__http_place *next;
    weir_address address;
};

struct weir_http_server {
    weir_service *service; /* valid until the service has ended */
    weir_http_server_options options;
    struct weir__http_limits limits;
    struct weir__http_shard *shards;
    weir_loop **loops; /* of the shards */
    size_t shard_count;
    bool is_unfinished; /* const after new: it failed after its loops knew it */
    struct weir__http_place *places; /* const after the start */
    weir_gate inside; /* any thread: shards with listeners, and connections */
    weir_gate life;   /* any thread: the owner, and the shards' loops */
    /* The service's thread, from here on. */
    size_t quiet_shards;
    weir_timer delay, idle, deadline;
};

/* ---- listen.c ---- */

/* Open the listeners of a shard, on its loop.  Returns 0, or the first error. */
int weir__http_listeners_open(struct weir__http_shard *shard);
/* A connection of a shard that was full has ended: accept again. */
void weir__http_listeners_resume(struct weir__http_shard *shard);
/* Free them; sockets that were never opened as listeners are closed. */
void weir__http_listeners_free(struct weir__http_shard *shard);

/* ---- drain.c ---- */

void weir__http_drain_init(struct weir__http_shard *shard);
/* The service drains.  On its thread. */
void weir__http_drain_begin(void *server, int status);
/* The last connection has left.  On any thread. */
void weir__http_drain_end(void *server);

/* ---- conn.c ---- */

/* A connection was accepted. */
void weir__http_conn_open(struct weir__http_shard *shard, weir_stream *stream);

/* ---- file.c ---- */

void weir__http_roots_free(struct weir__http_shard *shard);

#endif /* WEIR_NET_HTTP_SERVER_H */
