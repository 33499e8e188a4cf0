/* SPDX-License-Identifier: MIT */
/*
 * client -- the internal structs of the HTTP client, which its files share.
 *
 *     client.c    the client: options, drain, close
 *     proxy.c     which proxy, if any
 *     pool.c      origins, waiting fetches, idle connections
 *     link.c      a connection: connect, tunnel, TLS, idle, close
 *     exchange.c  a request and its response on a link
 *     ask.c       the request of an exchange
 *     redirect.c  following redirects
 *     fetch.c     the life of a fetch, and the functions for its owner
 *     upload.c    the body of a request, in pieces
 *     collect.c   a whole response in memory
 *
 * Data      A client has origins.  An origin has links (connections) and a
 *           queue of fetches that wait for one.  A link serves one fetch at a
 *           time.
 * Owner     The client is freed after its last fetch, link and task.  An origin
 *           is freed when it has neither a link nor a fetch that waits.  A link
 *           is freed when its stream is, a fetch with its last reference.
 * Callbacks User callbacks are called in two places only: in exchange.c while a
 *           response is parsed, and in tasks of fetch.c.  Everything else,
 *           especially the pool, never calls back, so it may be called at any
 *           time, even by the user.  A fetch that fails is ended by a task.
 * Thread    The loop's.
 */
#ifndef WEIR_NET_HTTP_CLIENT_INSIDE_H
#define WEIR_NET_HTTP_CLIENT_INSIDE_H

#include "http/inflate.h"
#include "http/parser.h"
#include "http/url.h"
#include "weir/net/connect.h"
#include "weir/net/http_client.h"
#include "weir/timer.h"

struct weir__http_link;
struct weir__http_origin;

struct weir__http_fetches {
    weir_fetch *first, **last;
    uint32_t count;
};

/* A proxy: where it is, and what it wants to hear. */
struct weir__http_proxy {
    struct weir__http_url url; /* text is NULL: no proxy */
    char *credentials;         /* "Basic ..."; NULL: none */
    size_t credentials_size;
};

struct weir_http_client {
    weir_loop *loop;
    weir_http_client_options options; /* with the defaults filled in */
    struct weir__http_limits limits;
    weir_tls *tls;
    char *user_agent; /* NULL: none */
    char *no_proxy;
    struct weir__http_proxy proxies[2]; /* of http, of https */
    struct weir__http_origin *origins, **last_origin;
    struct weir__http_link *links;      /* all that are not closed */
    struct weir__http_link *idle_first; /* the one that is idle longest ... */
    struct weir__http_link *idle_last;  /* ... and shortest */
    weir_fetch *fetches;                /* all that have not ended */
    uint32_t link_count, idle_count, fetch_count, waiting_count;
    uint32_t refs; /* the owner, fetches, links, tasks */
    bool is_draining, is_drained, is_closed;
    uint64_t connected, reused, retried, redirected;
    weir_call_fn *drained;
    void *drained_arg;
    weir_call_fn *closed;
    void *closed_arg;
    weir_task drain_task, close_task;
};

/* Where links of one kind lead to. */
struct weir__http_origin {
    weir_http_client *client;
    struct weir__http_origin *next, **at;
    struct weir__http_fetches waiting;
    uint32_t link_count;    /* that are not closed */
    uint32_t dialing_count; /* of them: not ready yet */
    uint16_t port;          /* to connect to */
    bool is_tls;
    bool is_proxy;     /* requests go to a proxy, with absolute targets */
    const char *host;  /* to connect to */
    const char *name;  /* of the server, for TLS */
    weir_bytes tunnel; /* CONNECT to this first; size 0: no */
    const char *key;   /* what makes it different from others */
    size_t allocated;
    char text[]; /* of all the above */
};

enum weir__http_link_state {
    WEIR__LINK_CONNECTING,
    WEIR__LINK_TUNNELLING, /* CONNECT was sent to the proxy */
    WEIR__LINK_SECURING,   /* TLS handshake */
    WEIR__LINK_IDLE,
    WEIR__LINK_BUSY,
    WEIR__LINK_CLOSED,
};

struct weir__http_link {
    weir_http_client *client;
    struct weir__http_origin *origin;   /* NULL: closed */
    struct weir__http_link *next, **at; /* of client->links */
    struct weir__http_link *idle_next, *idle_prev;
    uint8_t state;
    bool is_feeding : 1;   /* the parser runs */
    bool is_stalled : 1;   /* reading is paused */
    bool is_resuming : 1;  /* the task is posted */
    bool is_interim : 1;   /* the message is 1xx */
    bool is_inflating : 1; /* the decoder may have more */
    bool has_bytes : 1;    /* of the response */
    bool is_sent : 1;      /* the request, completely */
    weir_connecting *connecting;
    weir_stream *stream;
    struct weir__http_parser parser;
    weir_fetch *fetch; /* BUSY */
    uint64_t served;   /* requests, with the one in progress */
    int64_t keep_alive_ns;
    weir_bytes data; /* of the body, not delivered yet */
    char *rest;      /* what was read and not parsed */
    size_t rest_at, rest_size, rest_capacity;
    size_t rest_data; /* the first bytes of the rest are data */
    char *head;       /* of the request, while it is being written */
    size_t head_capacity;
    weir_task task;
};

enum weir__fetch_phase {
    WEIR__FETCH_WAITING, /* in the queue of its origin */
    WEIR__FETCH_BUSY,    /* on a link */
    WEIR__FETCH_ENDED,   /* on_end is owed, or was called */
};

struct weir__fetch_collect {
    weir_fetch_collected_fn *fn; /* NULL: no */
    void *arg;
    char *data;
    size_t size, capacity, limit;
};

struct weir_fetch {
    weir_http_client *client;
    weir_fetch *next, **at;           /* of client->fetches */
    weir_fetch *queue_next;           /* of origin->waiting */
    struct weir__http_origin *origin; /* WAITING */
    struct weir__http_link *link;     /* BUSY */
    uint32_t refs;
    uint8_t phase;
    uint8_t kind; /* enum weir__http_method; GET for one without a number */
    bool is_paused : 1;
    bool owns_message : 1;
    bool has_retried : 1;
    bool is_redirecting : 1; /* the response is followed, not delivered */
    bool is_decoding : 1;    /* the body is decoded */
    bool has_body_over : 1;  /* the owner has ended it, or it is not wanted */
    bool is_telling : 1;     /* writable_task is posted */
    bool is_chunked : 1;     /* the request */
    struct weir__http_url url;
    weir_bytes method;
    weir_http_field *fields;
    size_t field_count;
    char *block; /* of method and fields */
    size_t block_size;
    weir_bytes body;
    bool is_streaming;
    int64_t stream_size, stream_left; /* negative: not known */
    bool is_raw, is_always_decoded;
    uint32_t redirects;
    int64_t total_ns;
    void *arg;
    weir_fetch_fn *on_head, *on_end, *on_writable;
    weir_fetch_body_fn *on_body;
    weir_bytes given; /* to on_body */
    struct weir__fetch_collect collect;
    struct weir__http_message *message; /* of the response; NULL: none yet */
    struct weir__http_inflate *inflate;
    uint64_t body_bytes;                           /* delivered, or discarded */
    int64_t total_deadline_ns, header_deadline_ns; /* 0: none */
    int64_t alarm_ns;                              /* 0: not started */
    weir_timer alarm;
    int status;
    char reason[96];
    weir_task end_task, writable_task;
};

/* ---- client.c ---- */

void weir__http_client_ref(weir_http_client *client);
void weir__http_client_unref(weir_http_client *client);
/* A fetch has ended: the drain may be over. */
void weir__http_client_check_drained(weir_http_client *client);
/* Make the configuration of TLS if there is none yet. */
int weir__http_client_need_tls(weir_http_client *client);

/* ---- proxy.c ---- */

/* Read the proxies of the options, or of the environment. */
int weir__http_proxy_init(weir_http_client *client,
                          const weir_http_client_options *options);
void weir__http_proxy_fini(weir_http_client *client);
/* Get the proxy for a URL, or NULL. */
const struct weir__http_proxy *
weir__http_proxy_for(const weir_http_client *client,
                     const struct weir__http_url *url);
/* Whether a list such as NO_PROXY has the host of a URL. */
bool weir__http_proxy_is_exempt(const char *list,
                                const struct weir__http_url *url);

/* ---- pool.c ---- */

/* Give a fetch an idle link, or let it wait for one; is_first: before the
 * others that wait.  Returns 0 or an error, and then the fetch is nowhere. */
int weir__http_pool_request(weir_fetch *fetch, bool is_first);
/* Take a fetch that waits out of the queue. */
void weir__http_pool_withdraw(weir_fetch *fetch);
/* Take the first that waits, or NULL. */
weir_fetch *weir__http_pool_next(struct weir__http_origin *origin);
/* Use a link that is ready and free: for the next that waits, or later. */
void weir__http_pool_release(struct weir__http_link *link);
/* Serve waiting fetches, because a link was closed. */
void weir__http_pool_serve(weir_http_client *client);
/* Close idle links, of one origin or of all (NULL). */
void weir__http_pool_close_idle(weir_http_client *client,
                                const struct weir__http_origin *origin);
void weir__http_pool_leave_idle(struct weir__http_link *link);
/* Free an origin that has neither links nor waiting fetches. */
void weir__http_pool_check(struct weir__http_origin *origin);

/* ---- link.c ---- */

/* Begin to connect. */
int weir__http_link_dial(struct weir__http_origin *origin);
/* Make a link idle.  It closes by itself when its time is over. */
void weir__http_link_rest(struct weir__http_link *link);
/* Close a link that has no fetch. */
void weir__http_link_close(struct weir__http_link *link);
/* Free a link that is closed, unless something of it is still pending. */
void weir__http_link_forget(struct weir__http_link *link);

/* ---- ask.c ---- */

/* Give the stream the head, and the body if it is there.  A head alone is
 * copied as far as it has to wait.  Returns 0 or an error. */
int weir__http_exchange_send(struct weir__http_link *link, weir_fetch *fetch);
/* The request was sent: the time for the response begins. */
void weir__http_exchange_sent(struct weir__http_link *link);

/* ---- exchange.c ---- */

/* Send the request of a fetch on a link.  After an error, nothing was sent. */
int weir__http_exchange_begin(struct weir__http_link *link, weir_fetch *fetch);
/* Bytes have arrived on a busy link, or its stream has ended. */
void weir__http_exchange_read(struct weir__http_link *link, int status,
                              weir_bytes bytes);
/* Separate a fetch from its link, and close the link. */
void weir__http_exchange_leave(weir_fetch *fetch);
/* The owner has paused or resumed the fetch of the link. */
void weir__http_exchange_pause(struct weir__http_link *link);
void weir__http_exchange_resume(struct weir__http_link *link);

/* ---- redirect.c ---- */

/* Whether the response sends the fetch elsewhere, and that is wanted.  Returns
 * 1, 0, or an error (too often, or not possible). */
int weir__http_redirect_check(const weir_fetch *fetch);
/* Go there.  The fetch has no link, and owns its message. */
int weir__http_redirect_follow(weir_fetch *fetch);

/* ---- fetch.c ---- */

void weir__fetch_end(weir_fetch *fetch, int status); /* now: calls on_end */
void weir__fetch_end_soon(weir_fetch *fetch, int status); /* by a task */
/* End a fetch that has failed or was aborted, in a task. */
void weir__fetch_stop(weir_fetch *fetch, int status);
/* Call a function of the owner.  It may leave by weir_raise, but must not leave
 * the functions that have called it, whose input would be lost: the fetch is
 * aborted. */
void weir__fetch_call(weir_fetch *fetch, weir_fn *call);
void weir__fetch_set_reason(weir_fetch *fetch, const char *reason);
/* The deadline that is so long from now; 0 (none) if it is negative. */
int64_t weir__fetch_deadline(int64_t limit_ns);
/* Let the alarm follow the deadlines. */
int weir__fetch_check_alarm(weir_fetch *fetch);
/* Copy the texts of the response, or drop it. */
void weir__fetch_keep_message(weir_fetch *fetch);
/* Forget the response: another one follows. */
void weir__fetch_drop_response(weir_fetch *fetch);

/* ---- upload.c ---- */

void weir__fetch_tell_writable(weir_fetch *fetch);

/* ---- collect.c ---- */

void weir__fetch_collect_free(struct weir__fetch_collect *collect);

#endif /* WEIR_NET_HTTP_CLIENT_INSIDE_H */
