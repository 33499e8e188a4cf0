/* SPDX-License-Identifier: MIT */
/*
 * server -- the inside of an HTTP server: shards, connections, requests.
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
struct weir__http_door {
    struct weir__http_door *next;
    struct weir__http_shard *shard;
    weir_listener_options options; /* what it is opened with */
    weir_stream_options stream;
    weir_listener *listener; /* NULL: not open */
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
    struct weir__http_door *doors;
    uint32_t doors_open;
    uint32_t conn_count;
    bool is_draining; /* its listeners are closed, or will never be open */
    bool is_full;     /* its listeners are paused */
    bool has_entered; /* the service's gate */
    bool is_quiet;    /* the server was told that no listener is left */
    struct weir__http_date date;
    char *cork; /* WEIR__CORK_SIZE bytes, for the conn that writes ... */
    size_t cork_size;
    struct weir__http_conn *corked; /* ... which is this one */
    struct weir__http_root *roots;
    struct weir__http_quota quota; /* of connections_per_address */
    weir_http_request *spare;      /* kept for the next request */
    weir_task close_doors;         /* posted by the drain */
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

enum weir__http_reply {
    WEIR__REPLY_NONE,  /* not begun */
    WEIR__REPLY_BEGUN, /* the head was written */
    WEIR__REPLY_ENDED,
};

struct weir_http_request {
    struct weir__http_conn *conn; /* NULL: the connection is gone */
    struct weir__http_message *message;
    weir_http_request *next; /* of those whose response is leaving */
    uint32_t refs;
    uint8_t reply;          /* enum weir__http_reply */
    bool owns_message : 1;  /* taken from the parser */
    bool is_complete : 1;   /* its last byte has arrived */
    bool is_discarding : 1; /* nobody will read the body */
    bool is_paused : 1;     /* the reader wants no more for now */
    bool was_read : 1;      /* weir_http_read was called */
    bool has_continued : 1; /* 100 was sent, or is not expected */
    bool is_head : 1;       /* the response has no body */
    bool is_chunked : 1;    /* the response is */
    bool is_over : 1;       /* on_end was called, or need not be */
    bool is_drain_told : 1;
    int end_status;
    int64_t left; /* of the response's body; -1: unknown */
    /* Shown by reports while the connection is BUSY. */
    int64_t since_ns;
    char shown_method[16], shown_target[80];
    weir_http_body_fn *read_fn;
    void *read_arg;
    weir_http_request_fn *on_end, *on_drain, *on_writable;
    void *end_arg, *drain_arg, *writable_arg;
    struct weir__http_collect *collect; /* NULL: none */
    int file;                           /* to be closed; -1: none */
    void *data;
    weir_task end; /* the end of an empty body */
};

struct weir__http_conn {
    weir_connection word; /* first */
    struct weir__http_shard *shard;
    weir_stream *stream;
    struct weir__http_parser parser;
    weir_http_request *request;                 /* the one in progress */
    weir_http_request *leaving, **last_leaving; /* whose bytes are queued */
    weir_bytes *input;                          /* while feeding */
    char *rest; /* input that waits, because a request is in progress */
    size_t rest_at, rest_size, rest_capacity;
    weir_counter received, sent;
    int64_t since_ns;    /* when it was accepted */
    int64_t begun_ns;    /* when the request in progress began */
    int64_t deadline_ns; /* 0: none */
    int64_t alarm_ns;    /* when the timer fires; 0: not started */
    weir_timer alarm;
    uint32_t request_count;
    bool must_close : 1; /* after the response in progress */
    bool has_ended : 1;  /* the client has half-closed */
    bool is_closing : 1; /* the stream is closing or finishing */
    bool is_upgraded : 1;
    bool is_settling : 1;        /* a write reports when all is sent */
    bool is_stalled : 1;         /* the stream is paused */
    void (*on_drain)(void *arg); /* is_upgraded */
    void *drain_arg;
    uint64_t quota_key; /* 0: it is not counted */
    uint8_t peer_size;
    uint8_t peer[28]; /* a struct sockaddr_in or sockaddr_in6 */
};

/* ---- conn.c ---- */

/* A connection was accepted. */
void weir__http_conn_open(struct weir__http_shard *shard, weir_stream *stream);

/* Give the kernel what is in the cork, and then tell the requests whose bytes
 * have left. */
void weir__http_conn_flush(struct weir__http_conn *conn);

/* The head of a response says whether the connection closes after it. */
bool weir__http_conn_decide_close(struct weir__http_conn *conn);

/* The response in progress has ended: go on when its request has, too. */
void weir__http_conn_replied(struct weir__http_conn *conn);

/* The state of the request has changed: read on. */
void weir__http_conn_resume(struct weir__http_conn *conn);

/* End the connection after what was written has left. */
void weir__http_conn_close_gracefully(struct weir__http_conn *conn);

/* The connection cannot go on. */
void weir__http_conn_fail(struct weir__http_conn *conn, int status);

/* Leave the connection to another protocol.  Returns its stream. */
int weir__http_conn_hand_over(struct weir__http_conn *conn,
                              void (*on_drain)(void *arg), void *arg,
                              weir_stream **stream);

/* ---- request.c ---- */

/* Make the request of a message whose head has arrived.  NULL: no memory. */
weir_http_request *weir__http_request_new(struct weir__http_conn *conn);

/* Release the server's reference. */
void weir__http_request_release(weir_http_request *request);

/* Give the reader a piece of the body, or its end. */
void weir__http_request_give(weir_http_request *request, int status,
                             weir_bytes bytes);

/* Whether the body may be parsed on: somebody reads it, or nobody will. */
bool weir__http_request_wants_body(const weir_http_request *request);

/* Call on_end, and on_drain. */
void weir__http_request_end(weir_http_request *request, int status);
void weir__http_request_drain(weir_http_request *request);

/* ---- response.c ---- */

/* Append to the cork, or return where `size` bytes can be appended; NULL if
 * there is no memory. */
char *weir__http_cork_reserve(struct weir__http_conn *conn, size_t size);

/* Answer without a handler: an error, or /livez.  The connection closes if
 * is_last. */
void weir__http_reply_plainly(struct weir__http_conn *conn, unsigned status,
                              bool is_last);

/* Write a part of the request's file, as a piece of the body. */
int weir__http_write_file(weir_http_request *request, int64_t offset,
                          int64_t size);

/* Tell the client to send the body. */
void weir__http_send_continue(struct weir__http_conn *conn);

/* ---- file.c ---- */

void weir__http_roots_free(struct weir__http_shard *shard);

#endif /* WEIR_NET_HTTP_SERVER_H */
