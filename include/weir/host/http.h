/* SPDX-License-Identifier: MIT */
/*
 * weir/host/http.h -- an HTTP server on a loop that already runs.
 *
 * A server of weir/net/http.h is part of a service, which owns its loops and
 * is started once.  A host of a language has its own loop and serves at
 * any time.  It opens a server there as a guest:
 *
 *     weir_http_guest_options guest = {.size = sizeof(guest),
 *                                      .control = control,
 *                                      .on_end = on_end};
 *     weir_http_server_open(&server, loop, &options, &guest);
 *     weir_http_server_listen(server, "127.0.0.1:8080", NULL);
 *     ...
 *     weir_http_server_drain(server, WEIR_S(10));    any thread
 *
 * The drain is the one of weir/net/http.h.  It is driven by the thread of the
 * control loop, so a callback that blocks the server's loop delays neither the
 * phases of the drain nor its deadline.  weir_service_loop gives such a loop.
 */
#ifndef WEIR_HOST_HTTP_H
#define WEIR_HOST_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/net/http.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A connection of a server.  Valid from on_connection until on_disconnect. */
typedef struct weir__http_conn weir_http_connection;

/* Why the bytes of a client are refused. */
typedef struct weir_http_refusal {
    /* WEIR_EHTTP, WEIR_ELIMIT, WEIR_ETRUNCATED, -EOPNOTSUPP, -ETIMEDOUT or
     * -ENOMEM */
    int error;
    unsigned status;  /* what the server would answer with */
    const char *text; /* never NULL */
    bool has_head;    /* of a response that has not ended: none can follow */
} weir_http_refusal;

typedef struct weir_http_guest_options {
    size_t size; /* sizeof(weir_http_guest_options) */
    /* Must outlive the server, and its loop if that ends first. */
    weir_loop *control;
    void *arg; /* for the callbacks below */
    /* The server has ended.  Called exactly once, on the server's loop: with 0
     * after a drain that cut nothing off, with WEIR_EFORCED if the deadline cut
     * requests or connections off, or with WEIR_ECANCELED if the loop ends
     * first.  In the last case requests that are open end after this call. */
    void (*on_end)(void *arg, weir_http_server *server, int status);
    /* The deadline of the drain has passed, and what was left is being cut
     * off.  Called at most once, on the thread of the control loop; it must
     * not block.  A host can interrupt code here that keeps the server's loop
     * busy.  May be NULL. */
    void (*on_deadline)(void *arg, weir_http_server *server);
    /* A connection was accepted.  May be NULL. */
    void (*on_connection)(void *arg, weir_http_connection *connection);
    /* A connection that on_connection was called for has ended, with or without
     * an error.  Its requests have ended before.  May be NULL. */
    void (*on_disconnect)(void *arg, weir_http_connection *connection,
                          int status);
    /* A request was refused: it is not HTTP, exceeds a limit, or is late.  If
     * the function returns true, it has written a response with
     * weir_http_connection_write, and closes the connection, now or later.  A
     * request whose body was refused ends with the connection.  Otherwise the
     * server answers.  May be NULL. */
    bool (*on_refused)(void *arg, weir_http_connection *connection,
                       const weir_http_refusal *refusal);
    /* Accept requests that the server would refuse: with an expectation other
     * than 100-continue, which on_request answers, or of HTTP/1.1 without
     * Host. */
    bool accepts_any_expect, accepts_no_host;
    /* Read a body to its end if it is being read when the response ends and
     * the connection stays open.  From then on the reader cannot pause,
     * because the next request waits.  Other bodies are discarded. */
    bool reads_on;
    /* ... even if it is read only later, and with pauses.  weir_http_discard
     * has to be called if nobody reads it. */
    bool reads_late;
} weir_http_guest_options;

/**
 * Open a server on a loop that may already run and that the server does not
 * own.  It has one loop, so `loops` and `threads` of the options are not used.
 * weir_http_server_listen opens its listeners at once, on the loop's thread.
 *
 * Thread   loop
 * Owns     *server is the caller's until weir_http_server_free, which may be
 *          called from on_end on
 * Returns  0, -EINVAL (NULL, no on_request, no control, no on_end, or an
 *          option is invalid), -E2BIG (an option that this library does not
 *          know), -ENOMEM, WEIR_ECLOSED (the loop has ended)
 */
WEIR_API WEIR_CHECKED int
weir_http_server_open(weir_http_server **server, weir_loop *loop,
                      const weir_http_server_options *options,
                      const weir_http_guest_options *guest);

/**
 * Begin the drain of a server that was opened as a guest, or bring its deadline
 * forward.  deadline_ns counts from now.  With 0, everything is cut off at
 * once.  A negative value means drain_deadline_ns of the server's options.  A
 * later deadline than that of an earlier call has no effect.  The drain keeps
 * the loop running until on_end.
 *
 * Thread   any, until weir_http_server_free
 * Returns  0, -EINVAL (NULL, or the server is part of a service), -EALREADY
 *          (the server has ended)
 */
WEIR_API int weir_http_server_drain(weir_http_server *server,
                                    int64_t deadline_ns);

/**
 * Test whether the drain of a server that was opened as a guest has begun.
 *
 * Thread   any
 */
WEIR_API bool weir_http_server_is_draining(const weir_http_server *server);

/**
 * Make the listeners of a server that was opened as a guest keep weir_loop_run
 * running, or stop them from doing so.  New listeners do as the last call says.
 *
 * Thread   loop
 */
WEIR_API void weir_http_server_set_ref(weir_http_server *server, bool is_ref);

/**
 * Close the listeners of a server that was opened as a guest, and nothing else.
 * Connections continue, with any number of requests.  on_end is called after the
 * last one has ended, and the loop runs until then.  A drain can follow.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL, or the server is part of a service), -EALREADY
 *          (the listeners have been closed)
 */
WEIR_API int weir_http_server_close(weir_http_server *server);

/**
 * Serve a connection that was accepted elsewhere, for example by a process that
 * listens for several.  The server needs no listener of its own.  The limit of
 * connections, which pauses listeners, does not apply.
 *
 * Thread   loop
 * Owns     the stream is the server's from now on, unless an error is returned
 * Returns  0, -EINVAL (NULL, the server is part of a service, or the stream
 *          belongs to another loop), -EALREADY (the listeners have been closed,
 *          or the drain has begun)
 */
WEIR_API WEIR_CHECKED int weir_http_server_adopt(weir_http_server *server,
                                                 weir_stream *stream);

/**
 * Get the descriptor of the listener of a server that was opened as a guest, to
 * pass it to another process.
 *
 * Thread   loop
 * Owns     the descriptor stays the listener's
 * Returns  the descriptor of the listener that was added last, -EINVAL (NULL, or
 *          the server is part of a service), -ENOENT (no listener is open)
 */
WEIR_API int weir_http_server_fd(const weir_http_server *server);

/**
 * Change the times of a server that was opened as a guest.  They mean what they
 * mean in weir_http_server_options, where 0 is the default, and apply from the
 * next request of each connection on.
 *
 * Thread   loop
 */
WEIR_API void weir_http_server_set_times(weir_http_server *server,
                                         int64_t header_ns, int64_t request_ns,
                                         int64_t keep_alive_ns);

/* The times from the first byte of a request to the end of its response, and
 * the statuses, of all requests that were answered. */
enum { WEIR_HTTP_TIMES = 13 };

typedef struct weir_http_times {
    size_t size; /* sizeof(weir_http_times), set by the caller */
    /* Requests that took at most weir_http_time_bound(i) and more than the bound
     * before it; the last is without a bound. */
    uint64_t counts[WEIR_HTTP_TIMES + 1];
    uint64_t sum_ns;
    uint64_t statuses[5]; /* 1xx, 2xx, ..., 5xx */
} weir_http_times;

/**
 * Return the bound of a count of weir_http_times, in nanoseconds: 1 ms, 2.5 ms,
 * 5 ms, and so on, up to 10 s.
 *
 * Thread   any
 * Returns  the bound, or INT64_MAX from WEIR_HTTP_TIMES on
 */
WEIR_API int64_t weir_http_time_bound(size_t index);

/**
 * Get how long a server has taken for its requests so far.
 *
 * Thread   any
 * Owns     fills *times, up to times->size
 * Returns  0, -EINVAL (NULL, or a size that is invalid)
 */
WEIR_API WEIR_CHECKED int weir_http_server_times(const weir_http_server *server,
                                                 weir_http_times *times);

/* name: that of the server's options; may be NULL. */
typedef void weir_http_server_fn(void *arg, weir_http_server *server,
                                 const char *name);

/**
 * Call fn for each HTTP server of the process, the newest first, including
 * those that drain.  No server is freed meanwhile.  fn may call the functions of
 * a server that any thread may call, and weir_http_server_address.  It must not
 * wait, nor create or free servers.
 *
 * Thread   any; fn is called on it
 * Returns  0, -EINVAL (fn is NULL)
 */
WEIR_API WEIR_CHECKED int weir_http_server_each(weir_http_server_fn *fn,
                                                void *arg);

/* ---- connections ---- */

/**
 * Get the connection of a request.
 *
 * Thread   loop
 * Returns  the connection, or NULL if it is gone
 */
WEIR_API weir_http_connection *
weir_http_connection_of(const weir_http_request *request);

/**
 * Attach a pointer to a connection.  A new connection has NULL.
 *
 * Thread   loop
 */
WEIR_API void weir_http_connection_set_data(weir_http_connection *connection,
                                            void *data);

/**
 * Get the pointer that was attached to a connection.
 *
 * Thread   loop
 */
WEIR_API void *
weir_http_connection_data(const weir_http_connection *connection);

/**
 * Get the stream of a connection, for its addresses and its TLS.  Do not read,
 * write or close it.
 *
 * Thread   loop
 * Returns  the stream, or NULL if the connection has ended
 */
WEIR_API weir_stream *
weir_http_connection_stream(const weir_http_connection *connection);

/**
 * Test whether a connection waits between two requests.
 *
 * Thread   loop
 */
WEIR_API bool
weir_http_connection_is_idle(const weir_http_connection *connection);

/**
 * Write bytes to a connection as they are, behind what was written before.
 *
 * Thread   loop
 * Owns     bytes that cannot be sent at once are copied
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED (the connection is closing), -ENOMEM
 */
WEIR_API int weir_http_connection_write(weir_http_connection *connection,
                                        weir_bytes bytes);

/**
 * Close a connection, whatever it does.  A request in progress ends with
 * -ECONNRESET.  What was written is sent first, unless is_abrupt.  on_disconnect
 * is called later, not during the call.
 *
 * Thread   loop
 */
WEIR_API void weir_http_connection_close(weir_http_connection *connection,
                                         bool is_abrupt);

/**
 * Discard the rest of the body of a request whose response has ended (see
 * reads_late).  A reader gets WEIR_ECANCELED.  Has no effect if the response
 * has not ended, or the body has.
 *
 * Thread   loop
 */
WEIR_API void weir_http_discard(weir_http_request *request);

/**
 * Get the status that a request was answered with, even after its end.
 *
 * Thread   loop, while there is a reference to the request
 * Returns  the status, such as 200; 0 if it was not answered, or with raw bytes
 *          whose status is not known
 */
WEIR_API unsigned weir_http_status(const weir_http_request *request);

/* ---- raw responses ---- */

/* How a raw response continues. */
enum weir_http_raw {
    WEIR_HTTP_RAW_INTERIM = 1, /* a response with a status below 200 */
    WEIR_HTTP_RAW_END = 2,     /* this is the end of the response */
    WEIR_HTTP_RAW_CLOSE = 4,   /* ... and of the connection */
};

/**
 * Answer a request with bytes that the caller has formatted: the head, the
 * body, and the framing of the body.  A host of a language that has its own
 * HTTP interface uses this instead of weir_http_begin.  The response begins
 * with the first call, except for interim responses, and ends with
 * WEIR_HTTP_RAW_END.  The server adds nothing.  The caller has to announce the
 * end of the connection (weir_http_raw_closes).
 *
 * Thread   loop
 * Owns     bytes that cannot be sent at once are copied.  After the end the
 *          handle is no longer valid, unless there is a reference
 * Returns  0, -EINVAL (NULL), -EALREADY (the response has ended, or has begun
 *          with weir_http_begin), WEIR_ECLOSED (the client has left), -ENOMEM
 */
WEIR_API int weir_http_raw_send(weir_http_request *request,
                                const weir_bytes *parts, size_t count,
                                unsigned flags);

/**
 * Test whether the server will close the connection after the response to this
 * request: the client wants that, or the drain has begun.
 *
 * Thread   loop
 */
WEIR_API bool weir_http_raw_closes(const weir_http_request *request);

/**
 * Test whether the client waits for an interim response before it sends the
 * body (Expect: 100-continue).
 *
 * Thread   loop
 */
WEIR_API bool weir_http_expects_continue(const weir_http_request *request);

/**
 * Test whether a request asks for another protocol, by Upgrade or CONNECT.
 *
 * Thread   loop
 */
WEIR_API bool weir_http_wants_upgrade(const weir_http_request *request);

/**
 * Take over the connection of a request without an answer, as weir_http_upgrade
 * does with one.
 *
 * Thread   loop
 * Owns     *stream is the caller's; the handle is no longer valid, unless there
 *          is a reference
 * Returns  0, -EINVAL (NULL, or the request has a body or asks for no upgrade),
 *          -EALREADY (it was answered), WEIR_ECLOSED (the client has left),
 *          -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_http_take(weir_http_request *request,
                                         weir_call_fn *on_drain, void *arg,
                                         weir_stream **stream);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_HTTP_H */
