/* SPDX-License-Identifier: MIT */
/*
 * conn -- a connection of the server, and its requests.
 *
 * Everything belongs to the thread of the shard's loop, except for the word of
 * the connection, the counters, and what a report shows while the word pins it.
 */
#ifndef WEIR_NET_HTTP_CONN_H
#define WEIR_NET_HTTP_CONN_H

#include "http/server.h"

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
    bool is_discarding : 1; /* the body will not be read */
    bool is_paused : 1;     /* the reader wants no more for now */
    bool was_read : 1;      /* weir_http_read was called */
    bool has_continued : 1; /* 100 was sent, or is not expected */
    bool is_head : 1;       /* the response has no body */
    bool is_chunked : 1;    /* the response is */
    bool is_raw : 1;        /* the host formats the response */
    bool is_over : 1;       /* on_end was called, or need not be */
    bool is_drain_told : 1;
    int end_status;
    int64_t left;    /* of the response's body; -1: unknown */
    uint16_t status; /* of the response; 0: unknown */
    uint64_t began;  /* weir_recorder_begin */
    /* Shown by reports while the connection is BUSY. */
    int64_t since_ns;
    char shown_method[16], shown_target[80];
    weir_http_body_fn *read_fn;
    void *read_arg;
    weir_bytes given;             /* to read_fn, during its call */
    weir_http_request_fn *called; /* during its call */
    void *called_arg;
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
    uint64_t drain_limit; /* the bytes that had arrived, if noticed */
    int64_t since_ns;     /* when it was accepted */
    int64_t begun_ns;     /* when the request in progress began */
    int64_t deadline_ns;  /* 0: none */
    int64_t alarm_ns;     /* when the timer fires; 0: not started */
    weir_timer alarm;
    uint32_t request_count;
    int status;          /* why it has failed; 0: it has not */
    void *data;          /* the host's */
    bool is_known : 1;   /* on_connection was called */
    bool is_refused : 1; /* the host answers what cannot be parsed */
    bool must_close : 1; /* after the response in progress */
    bool has_ended : 1;  /* the client has half-closed */
    bool has_noticed_drain : 1;
    bool is_drain_open : 1; /* not all that had arrived by then was read */
    bool is_spared : 1;     /* by close_idle, until a request begins */
    bool is_closing : 1;    /* the stream is closing or finishing */
    bool is_upgraded : 1;
    bool is_settling : 1;        /* a write reports when all is sent */
    bool is_watched : 1;         /* a write reports that sending has failed */
    bool is_stalled : 1;         /* the stream is paused */
    void (*on_drain)(void *arg); /* is_upgraded */
    void *drain_arg;
    uint64_t quota_key; /* 0: it is not counted */
    uint8_t peer_size;
    uint8_t peer[28]; /* a struct sockaddr_in or sockaddr_in6 */
};

static inline const weir_http_server_options *
weir__http_conn_options(const struct weir__http_conn *conn)
{
    return &conn->shard->server->options;
}

/* ---- conn.c ---- */

/* The connection is no longer in use: free it, and leave the server. */
void weir__http_conn_free(struct weir__http_conn *conn);

/* Give the kernel what is in the cork, and then tell the requests whose bytes
 * have left. */
void weir__http_conn_flush(struct weir__http_conn *conn);

/* Set the deadline `limit_ns` after `from_ns`; negative: none. */
void weir__http_conn_set_deadline(struct weir__http_conn *conn, int64_t from_ns,
                                  int64_t limit_ns);
/* The same for a connection that waits for its next request. */
void weir__http_conn_set_idle(struct weir__http_conn *conn);

/* End the connection after what was written has left. */
void weir__http_conn_close(struct weir__http_conn *conn, int64_t linger_ns);
void weir__http_conn_close_gracefully(struct weir__http_conn *conn);

/* The connection cannot go on. */
void weir__http_conn_fail(struct weir__http_conn *conn, int status);

/* A write has failed, or the loop has ended (WEIR_ECANCELED), which cuts the
 * request off. */
void weir__http_conn_break(struct weir__http_conn *conn, int status);

/* The loop has ended: cut the request off. */
void weir__http_conn_end_with_loop(struct weir__http_conn *conn);

/* The request in progress will not be answered. */
void weir__http_conn_drop_request(struct weir__http_conn *conn, int status);

/* Leave the connection to another protocol.  Returns its stream. */
int weir__http_conn_hand_over(struct weir__http_conn *conn,
                              void (*on_drain)(void *arg), void *arg,
                              weir_stream **stream);

/* ---- conn_drain.c ---- */

/* The deadline of a connection is over: a request, or a part of one, has not
 * arrived in time. */
void weir__http_conn_expire(struct weir__http_conn *conn);
/* The drain has decided something about a connection. */
void weir__http_conn_on_notified(weir_connection *word, unsigned what);

/* ---- input.c ---- */

/* The stream has bytes, or has ended. */
void weir__http_conn_on_read(void *conn, weir_stream *stream, int status,
                             weir_bytes bytes);

/* Whether the connection closes after the response in progress, except for the
 * cost of the rest of its request. */
bool weir__http_conn_closes(struct weir__http_conn *conn);

/* The host has answered a request that is refused, or will. */
bool weir__http_conn_is_refused(struct weir__http_conn *conn,
                                weir_http_refusal refusal);

/* The head of a response says whether the connection closes after it. */
bool weir__http_conn_decide_close(struct weir__http_conn *conn);

/* The rest of the body of the request in progress is read and discarded. */
void weir__http_conn_discard(struct weir__http_conn *conn);

/* The response in progress has ended: go on when its request has, too. */
void weir__http_conn_replied(struct weir__http_conn *conn);

/* The state of the request has changed: read on. */
void weir__http_conn_resume(struct weir__http_conn *conn);

/* ---- request.c ---- */

/* Make the request of a message whose head has arrived.  NULL: no memory. */
weir_http_request *weir__http_request_new(struct weir__http_conn *conn);

/* Copy the head of a request that stays valid after the input. */
void weir__http_request_keep(weir_http_request *request);

/* Release the server's reference. */
void weir__http_request_release(weir_http_request *request);

/* Give the reader a piece of the body, or its end. */
void weir__http_request_give(weir_http_request *request, int status,
                             weir_bytes bytes);

/* Whether parsing of the body may continue: it is being read, or discarded. */
bool weir__http_request_wants_body(const weir_http_request *request);

/* Call on_end, and on_drain. */
/* Call a function of the user that may raise. */
void weir__http_request_call(weir_http_request *request,
                             weir_http_request_fn *fn, void *arg, int status);
/* A function of the user has raised: answer with 500, or cut the response
 * off.  No effect if the request is not in progress. */
void weir__http_request_raised(weir_http_request *request);
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

#endif /* WEIR_NET_HTTP_CONN_H */
