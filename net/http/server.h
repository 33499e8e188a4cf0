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
#include "os/listen.h"
#include "weir/gate.h"
#include "weir/host/connection.h"
#include "weir/host/counter.h"
#include "weir/host/guest.h"
#include "weir/host/http.h"
#include "weir/net/http.h"
#include "weir/timer.h"

enum { WEIR__CORK_SIZE = 64 * 1024 };

struct weir__http_conn;

struct weir__http_counters {
    weir_counter connections, requests, responses, refused, cut, crossed;
    /* Of answered requests; times.c */
    weir_counter times[WEIR_HTTP_TIMES + 1], time_ns, statuses[5];
};

/* A listener of a shard. */
struct weir__http_listener {
    struct weir__http_listener *next;
    struct weir__http_shard *shard;
    weir_listener_options options; /* what it is opened with */
    weir_stream_options stream;
    void (*on_error)(void *arg, weir_listener *listener, int err); /* or NULL */
    weir_listener *open;           /* NULL: not open */
    struct weir__listen_file file; /* of a socket that was not opened */
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
    bool was_cut;     /* a client has lost a response in the drain of a guest */
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

/* What a server that is not part of a service has instead; guest.c */
struct weir__http_guest {
    weir_http_server *server;
    weir_http_guest_options options; /* const after open */
    weir_timer sentinel;             /* loop only: cancelled with the loop */
    bool is_ref;                     /* loop only */
    weir_guest guest;                /* any thread */
    /* The control loop's thread, from here on. */
    bool has_begun, was_cut, is_late;
    bool is_empty; /* `ended` is on its way, and nothing may follow it */
    weir_task drain, over, ended;
};

struct weir_http_server {
    weir_http_server *next, **link; /* of all servers: registry.c */
    weir_service *service; /* valid until the service has ended; or NULL: */
    struct weir__http_guest *guest;
    weir_loop *control; /* whose thread drives the drain */
    weir_http_server_options options;
    struct weir__http_limits limits;
    struct weir__http_shard *shards;
    weir_loop **loops; /* of the shards */
    size_t shard_count;
    bool is_unfinished; /* const after new: it failed after its loops knew it */
    struct weir__http_place *places; /* const after the start */
    weir_gate inside; /* any thread: shards with listeners, and connections */
    weir_gate life;   /* any thread: the owner, and the shards' loops */
    /* The thread of the control loop, from here on. */
    size_t quiet_shards;
    bool is_accepting_no_more; /* the listeners were told to close */
    bool is_closing_idle;      /* the timer `idle` has begun */
    weir_timer delay, idle, deadline;
};

/* ---- server.c ---- */

/* Fill a server that has no loops yet. */
int weir__http_server_fill(weir_http_server *server,
                           const weir_http_server_options *options);
/* Start a server's gates. */
int weir__http_server_start_gates(weir_http_server *server);
void weir__http_server_init_shard(weir_http_server *server, size_t index);
/* Free the memory; nothing else refers to it. */
void weir__http_server_destroy(void *server);
/* Free what only the loop of a shard uses. */
void weir__http_shard_fini(struct weir__http_shard *shard);

/* ---- registry.c ---- */

/* Let other threads see a server that is complete, and no longer. */
void weir__http_registry_enter(weir_http_server *server);
void weir__http_registry_leave(weir_http_server *server);
/* Append an address that the server listens at. */
void weir__http_registry_add_place(weir_http_server *server,
                                   struct weir__http_place *place);

/* ---- guest.c ---- */

/* The server cannot accept any more, for this reason: it ends. */
void weir__http_fail(weir_http_server *server, int err);
/* Whether a load balancer should send more requests. */
bool weir__http_is_ready(const weir_http_server *server);
/* Record that something was cut off.  The control loop's thread. */
void weir__http_set_cut(weir_http_server *server);
/* A client has not received all of its response.  The shard's thread. */
void weir__http_note_cut(struct weir__http_shard *shard);
/* Post a task to the loop of a shard.  The control loop's thread. */
void weir__http_post(struct weir__http_shard *shard, weir_task *task);
/* The last connection of a guest has left.  On any thread. */
void weir__http_guest_over(weir_http_server *server);

/* ---- times.c ---- */

/* Count a request that was answered with this status. */
void weir__http_times_add(struct weir__http_shard *shard, unsigned status,
                          int64_t duration_ns);

/* ---- listen.c ---- */

/* Open the listeners of a shard, on its loop.  Returns 0, or the first error. */
int weir__http_listeners_open(struct weir__http_shard *shard);
/* Let them keep the loop running, or not. */
void weir__http_listeners_set_ref(struct weir__http_shard *shard, bool is_ref);
/* A connection of a shard that was full has ended: accept again. */
void weir__http_listeners_resume(struct weir__http_shard *shard);
/* Free them, when the loop has ended.  Sockets that were never opened as
 * listeners are closed. */
void weir__http_listeners_free(struct weir__http_shard *shard);

/* ---- drain.c ---- */

void weir__http_drain_init(struct weir__http_shard *shard);
/* The service drains.  On its thread. */
void weir__http_drain_begin(void *server, int status);
/* Begin the drain with this deadline; negative: none.  Then change the
 * deadline.  On the control loop's thread, like the next one. */
void weir__http_drain_start(weir_http_server *server, int64_t deadline_ns);
void weir__http_drain_hasten(weir_http_server *server, int64_t deadline_ns);
/* Cancel the timers of a drain that is over. */
void weir__http_drain_fini(weir_http_server *server);
/* Close the listeners of a shard whose loop ends, on the loop's thread. */
void weir__http_drain_abandon(struct weir__http_shard *shard);
/* The last connection has left.  On any thread. */
void weir__http_drain_end(void *server);

/* ---- conn.c ---- */

/* A connection was accepted. */
void weir__http_conn_open(struct weir__http_shard *shard, weir_stream *stream);

/* ---- file.c ---- */

void weir__http_roots_free(struct weir__http_shard *shard);

#endif /* WEIR_NET_HTTP_SERVER_H */
