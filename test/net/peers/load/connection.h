/* SPDX-License-Identifier: MIT */
/*
 * connection.h -- one connection of the client, or one after the other.
 */
#ifndef WEIR_TEST_LOAD_CONNECTION_H
#define WEIR_TEST_LOAD_CONNECTION_H

#include <stddef.h>

#include "load.h"
#include "response.h"

enum { REQUESTS_MAX = 8 };

/* A request that has not been answered yet. */
typedef struct request {
    uint64_t id;
    uint64_t size;             /* of the expected body */
    const unsigned char *body; /* NULL: any */
    uint64_t start, end; /* its bytes, counted from the connection's first */
    int64_t begun_ns;
    int64_t idle_ns; /* how long the connection was idle before it */
} request;

typedef struct connection {
    load *load;
    kind kind;
    int fd;           /* -1: none */
    unsigned watched; /* epoll's events */
    bool is_connecting;
    bool is_late;     /* opened after the signal */
    bool is_closing;  /* a response said so: never send again */
    bool is_upgraded; /* to a WebSocket */
    bool has_close_frame;
    bool is_over;    /* nothing will happen here any more */
    int tries_left;  /* connections it may still open after the signal */
    int64_t wake_ns; /* 0: no timer */
    int64_t idle_since_ns;
    uint64_t served;         /* responses on this connection */
    uint64_t queued, handed; /* bytes, counted from the connection's first */
    int64_t handed_ns;       /* when the last of them were */
    uint64_t hold_at;        /* stop sending here until hold_ns */
    int64_t hold_ns;         /* INT64_MAX: for ever; 0: until the signal */
    unsigned char *out;      /* what is queued and not handed over */
    size_t out_at, out_size, out_capacity;
    request requests[REQUESTS_MAX];
    int first, outstanding;
    response response;
    unsigned char frame[70000]; /* a WebSocket frame so far */
    size_t frame_size;
    size_t message_size; /* of the message that is to be echoed */
} connection;

void connection_init(connection *c, load *l, kind k);

/* The timer has expired, or the signal was sent. */
void connection_wake(connection *c);
void connection_signalled(connection *c);

/* The descriptor is ready. */
void connection_ready(connection *c, unsigned events);

/* The run is over: say what is still unanswered. */
void connection_stop(connection *c);

/* Whether an answer is still expected. */
bool connection_waits(const connection *c);

/* What the parts of the client ask of each other. */
void connection_queue(connection *c, const void *data, size_t size);
void connection_flush(connection *c);
void connection_end(connection *c, const char *how);
void request_begin(connection *c);
void websocket_begin(connection *c);
void websocket_feed(connection *c, const unsigned char *data, size_t size);
void websocket_send(connection *c);

#endif
