/* SPDX-License-Identifier: MIT */
/*
 * weir/net/http_client.h -- an HTTP/1.1 client with a pool of connections.
 *
 *     static void on_page(void *arg, weir_fetch *fetch, int status,
 *                         weir_bytes body)
 *     {
 *         if (status == 0)
 *             printf("%u: %zu bytes\n", weir_fetch_status(fetch), body.size);
 *     }
 *
 *     weir_http_client_new(&client, loop, NULL);
 *     weir_fetch_collect(client, NULL, 1 << 20, on_page, NULL,
 *                        &(weir_fetch_options){sizeof(weir_fetch_options),
 *                                              .url = "http://127.0.0.1/"});
 *     weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);
 *     weir_http_client_close(client, NULL, NULL);
 *
 * A client belongs to one loop.  It keeps connections open and reuses them for
 * the same origin (scheme, host and port).  Idle connections do not keep
 * weir_loop_run running.
 *
 * A fetch is one request and its response.  A fetch that was started calls
 * on_end exactly once: with 0 when the response is complete, whatever its
 * status, or with an error:
 *
 *     -ECONNRESET      the server closed the connection before its response
 *     WEIR_ETRUNCATED  the connection ended in the middle of the response
 *     WEIR_EHTTP       the response is malformed, or redirects to a URL that is
 *                      invalid or not http or https
 *     WEIR_ELIMIT      the response exceeds a limit, or redirects too often
 *     -EBADMSG         the compressed body is corrupt
 *     -ENOTSUP         a redirect needs the body again, but it was streamed
 *     -EMSGSIZE        weir_fetch_finish was called too early
 *     -ETIMEDOUT       one of the times below is over
 *     -ECONNREFUSED    no server listens, or the proxy refuses the tunnel
 *     -EACCES          the proxy requires credentials, or refuses those given
 *     WEIR_ECERT, WEIR_ETLS    see weir_fetch_reason
 *     WEIR_ECANCELED   weir_fetch_abort, the end of the client or the loop
 *     any other error of weir_connect and of a stream
 *
 * A server may close a connection that was kept open just as the client reuses
 * it.  The request is then sent again on a new connection, once, if no byte of
 * the response has arrived, the method is idempotent and the body was not
 * streamed.  Nothing else is ever sent twice.
 *
 * Interim responses (1xx) are skipped.  The body is decoded (gzip, deflate, br,
 * zstd), unless the fields have an Accept-Encoding or a Range, or is_raw is
 * set.
 */
#ifndef WEIR_NET_HTTP_CLIENT_H
#define WEIR_NET_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/clock.h"
#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/net/bytes.h"
#include "weir/net/http.h"
#include "weir/net/tls.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_http_client weir_http_client;
typedef struct weir_fetch weir_fetch;

#define WEIR_HTTP_CLIENT_PER_ORIGIN 16
#define WEIR_HTTP_CLIENT_CONNECTIONS 256
#define WEIR_HTTP_CLIENT_IDLE_CONNECTIONS 64
#define WEIR_HTTP_CLIENT_KEEP_ALIVE_NS WEIR_S(30)
#define WEIR_HTTP_CLIENT_CONNECT_NS WEIR_S(30)
#define WEIR_HTTP_CLIENT_HEADER_NS WEIR_S(60)
#define WEIR_HTTP_CLIENT_PROGRESS_NS WEIR_S(60)

/* Every member except size may be left 0, which means the default.  A negative
 * time means no limit. */
typedef struct weir_http_client_options {
    size_t size; /* sizeof(weir_http_client_options) */

    /* The pool.  Fetches beyond these limits wait for a connection, in
     * order. */
    uint32_t connections_per_origin; /* 16 */
    uint32_t connections;            /* in total; 256 */
    uint32_t idle_connections;       /* that are kept open; 64 */
    /* How long a connection is kept open without a request; 30 s.  A shorter
     * time that the server announces (Keep-Alive: timeout=5) takes
     * precedence.  Negative: connections are not reused. */
    int64_t keep_alive_ns;

    /* Times. */
    int64_t connect_ns; /* for a connection, and again for its TLS; 30 s */
    int64_t header_ns;  /* from the request to the head of the response; 60 s */
    int64_t progress_ns; /* without a byte of a body, either way; 60 s */
    int64_t total_ns;    /* for the whole fetch.  0: no limit */

    /* Limits of a response. */
    uint32_t head_bytes; /* of the status line and the fields; 64 KiB */
    uint32_t fields;     /* their number; 256 */
    int64_t body_bytes;  /* after decoding.  0: no limit */

    /* For https.  The client takes a reference.  NULL: a configuration with the
     * certificates of the system, which are read when the first fetch needs
     * them. */
    weir_tls *tls;

    /* Proxies, such as "http://user:password@proxy:3128", for http and for
     * https (through a tunnel by CONNECT), and a list of hosts that are
     * connected to directly: "localhost,.example.org,10.0.0.1:8080" or "*".
     * Copied.  NULL: the environment variables http_proxy, https_proxy and
     * no_proxy, or the same in capitals; HTTP_PROXY is ignored in a CGI
     * program.  "": none. */
    const char *http_proxy;
    const char *https_proxy;
    const char *no_proxy;

    const char *user_agent; /* copied.  NULL: "weir"; "": none */
} weir_http_client_options;

/**
 * Make a client.
 *
 * Thread   loop
 * Owns     *client is the caller's until weir_http_client_close
 * Returns  0, -EINVAL (NULL, options has no valid size, or a proxy or the user
 *          agent is invalid), -E2BIG (an option that this library does not
 *          know), -ENOMEM
 */
WEIR_API WEIR_CHECKED int
weir_http_client_new(weir_http_client **client, weir_loop *loop,
                     const weir_http_client_options *options);

/**
 * Drain a client: no connection is reused, and idle ones are closed.  Fetches
 * in progress finish, and done is called when none is left.  New fetches can
 * still be started, each on a new connection, because a server that drains may
 * need them to answer.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), -EALREADY (it is being drained)
 */
WEIR_API int weir_http_client_drain(weir_http_client *client,
                                    weir_call_fn *done, void *arg);

/**
 * Close a client.  Fetches in progress get WEIR_ECANCELED after this call has
 * returned.  closed (or NULL) is called when no callback and no connection is
 * left.
 *
 * Thread   loop, or any after the loop has ended; once, before the loop is
 *          freed.  It may be called in a callback of a fetch
 * Owns     the client is no longer the caller's
 */
WEIR_API void weir_http_client_close(weir_http_client *client,
                                     weir_call_fn *closed, void *arg);

/* What a client has done, and what it has now. */
typedef struct weir_http_client_counts {
    size_t size;          /* sizeof(weir_http_client_counts) */
    uint64_t connected;   /* connections that were made */
    uint64_t reused;      /* requests on a connection that had served before */
    uint64_t retried;     /* requests that were sent again */
    uint64_t redirected;  /* redirects that were followed */
    uint32_t connections; /* now, including those that are being made */
    uint32_t idle;        /* connections without a request, now */
    uint32_t fetches;     /* in progress, now */
    uint32_t waiting;     /* fetches that wait for a connection, now */
} weir_http_client_counts;

/**
 * Get the counts of a client.
 *
 * Thread   loop
 * Owns     fills *counts, up to counts->size
 * Returns  0, -EINVAL (NULL, or a size that is invalid)
 */
WEIR_API WEIR_CHECKED int
weir_http_client_get_counts(const weir_http_client *client,
                            weir_http_client_counts *counts);

/* ---- fetches ---- */

/* Something has happened to a fetch. */
typedef void weir_fetch_fn(void *arg, weir_fetch *fetch, int status);

/* A piece of the body. */
typedef void weir_fetch_body_fn(void *arg, weir_fetch *fetch, weir_bytes bytes);

/* The whole response; status is that of on_end. */
typedef void weir_fetch_collected_fn(void *arg, weir_fetch *fetch, int status,
                                     weir_bytes body);

/* size, url and on_end must be set.  Every other member may be left 0. */
typedef struct weir_fetch_options {
    size_t size;        /* sizeof(weir_fetch_options) */
    const char *method; /* NULL: "GET".  CONNECT is refused */
    const char *url;    /* "http://..." or "https://...", without a user */
    /* Copied.  Host, User-Agent, Accept and Accept-Encoding are added unless
     * they are among them.  Content-Length, Transfer-Encoding, Connection,
     * Upgrade and Trailer are set by the library, and refused here. */
    const weir_http_field *fields;
    size_t field_count;

    /* The body: bytes, which are borrowed until on_end is called; or pieces
     * written with weir_fetch_write. */
    weir_bytes body;
    bool is_streaming;
    int64_t stream_size; /* with is_streaming.  Negative: not known (chunked) */

    bool is_raw;            /* do not decode the body, ask for no coding */
    uint32_t redirects;     /* how many are followed.  0: none; a redirect is
                               delivered like any other response */
    int64_t total_ns;       /* 0: the client's; negative: no limit */
    void *arg;              /* for the callbacks */
    weir_fetch_fn *on_head; /* the head of the response has arrived; status 0 */
    weir_fetch_body_fn *on_body;
    weir_fetch_fn *on_end;
    /* Required with is_streaming.  The body can be written: called at the
     * beginning, and whenever weir_fetch_is_full was true and is no longer,
     * with status 0. */
    weir_fetch_fn *on_writable;

    /* Decode the body even if Accept-Encoding or Range is among the fields.
     * Without this, the owner who has asked gets what has come. */
    bool is_always_decoded;
} weir_fetch_options;

/**
 * Start a fetch.  If one of its functions leaves by weir_raise, the fetch is
 * aborted.
 *
 * Thread   loop
 * Owns     *fetch (or NULL) is valid until on_end has returned
 * Returns  0, -EINVAL (NULL, options has no valid size, an invalid method, URL
 *          or field, or bytes of a body as well as is_streaming), -E2BIG (an
 *          option that this library does not know), -ENOMEM, WEIR_ECLOSED (the
 *          client is being closed, or the loop no longer admits work), or an
 *          error of weir_connect or weir_tls_new
 */
WEIR_API WEIR_CHECKED int weir_fetch_start(weir_http_client *client,
                                           weir_fetch **fetch,
                                           const weir_fetch_options *options);

/**
 * Start a fetch, and call fn once with the whole response.  If the body is
 * longer than limit_bytes, fn gets WEIR_ELIMIT.  on_end of the options is not
 * used; on_head and on_body must be NULL.  arg of the options is for
 * on_writable.
 *
 * Thread   loop
 * Owns     *fetch (or NULL) is valid until fn has returned, and so are the
 *          bytes
 * Returns  0, -EINVAL (NULL, on_head or on_body is set), or an error of
 *          weir_fetch_start
 */
WEIR_API WEIR_CHECKED int
weir_fetch_collect(weir_http_client *client, weir_fetch **fetch,
                   size_t limit_bytes, weir_fetch_collected_fn *fn, void *arg,
                   const weir_fetch_options *options);

/**
 * Abort a fetch.  on_end gets WEIR_ECANCELED, after this call has returned.  No
 * other callback is called.  Has no effect on a fetch that has ended.
 *
 * Thread   loop, while the handle is valid
 */
WEIR_API void weir_fetch_abort(weir_fetch *fetch);

/**
 * Pause a fetch: no callback of its response begins until weir_fetch_resume,
 * except on_end with an error.  The server has to wait.
 *
 * Thread   loop
 */
WEIR_API void weir_fetch_pause(weir_fetch *fetch);

/**
 * Resume a fetch that was paused.
 *
 * Thread   loop
 */
WEIR_API void weir_fetch_resume(weir_fetch *fetch);

/**
 * Take a reference to a fetch, so that the handle and the head of its response
 * stay valid after on_end.
 *
 * Thread   loop
 */
WEIR_API void weir_fetch_ref(weir_fetch *fetch);

/**
 * Release a reference to a fetch.
 *
 * Thread   loop
 */
WEIR_API void weir_fetch_unref(weir_fetch *fetch);

/* ---- the request's body ---- */

/**
 * Write a piece of the body of a request with is_streaming.  done (or NULL) is
 * called when the kernel has the bytes, or with the reason why not.
 *
 * Thread   loop
 * Owns     with done, the bytes are borrowed until it is called; with done
 *          NULL, bytes that cannot be sent at once are copied
 * Returns  0, -EINVAL (NULL, or the fetch is not streaming), -EAGAIN (there is
 *          no connection yet: wait for on_writable), -EMSGSIZE (more than
 *          stream_size), -EALREADY (the body has ended), WEIR_ECLOSED (the
 *          fetch has ended, or the server reads no more), -ENOMEM
 */
WEIR_API int weir_fetch_write(weir_fetch *fetch, weir_bytes bytes,
                              weir_fetch_fn *done, void *arg);

/**
 * End the body of a request with is_streaming.  Trailers are sent only if the
 * body is chunked, that is, if its size is not known.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL, an invalid field, or the fetch is not streaming),
 *          -EAGAIN (there is no connection yet: wait for on_writable),
 *          -EMSGSIZE (less than stream_size was written: the fetch is aborted,
 *          and on_end gets this error), -EALREADY (the body has ended),
 *          WEIR_ECLOSED (the fetch has ended, or the server reads no more),
 *          -ENOMEM
 */
WEIR_API int weir_fetch_finish(weir_fetch *fetch,
                               const weir_http_field *trailers, size_t count);

/**
 * Test whether a writer should wait for on_writable.
 *
 * Thread   loop
 */
WEIR_API bool weir_fetch_is_full(const weir_fetch *fetch);

/* ---- the response ---- */

/**
 * Get the status of a response, such as 200.
 *
 * Thread   loop
 * Returns  the status; 0 before on_head
 */
WEIR_API unsigned weir_fetch_status(const weir_fetch *fetch);

/**
 * Get the reason that follows the status of a response, such as "OK".
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the fetch
 * Returns  the reason, which may be empty; data is NULL before on_head
 */
WEIR_API weir_bytes weir_fetch_status_text(const weir_fetch *fetch);

/**
 * Test whether the body of a response is decoded, in on_head or later.  Then
 * its Content-Encoding and Content-Length are not those of the bytes that
 * on_body gets.
 *
 * Thread   loop
 */
WEIR_API bool weir_fetch_is_decoded(const weir_fetch *fetch);

/**
 * Find a field of a response by its name, ignoring case.  If there are several,
 * the first one is found.
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the fetch
 * Returns  the value; data is NULL if there is no such field, or no response
 */
WEIR_API weir_bytes weir_fetch_field_of(const weir_fetch *fetch,
                                        const char *name);

/**
 * Get the field of a response at an index.  Fields count from 0, in the order
 * in which they were sent.
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the fetch
 * Returns  true, or false if there is no field at this index
 */
WEIR_API bool weir_fetch_field_at(const weir_fetch *fetch, size_t index,
                                  weir_http_field *field);

/**
 * Get the field of a response's trailers at an index, which counts from 0, in
 * on_end or later.
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the fetch
 * Returns  true, or false if there is no field at this index
 */
WEIR_API bool weir_fetch_trailer_at(const weir_fetch *fetch, size_t index,
                                    weir_http_field *field);

/**
 * Get the length of the response's body before decoding, as the server has
 * announced it.
 *
 * Thread   loop
 * Returns  the length; -1 if it is not known
 */
WEIR_API int64_t weir_fetch_body_size(const weir_fetch *fetch);

/**
 * Get the URL of a fetch, normalized and without a fragment.  After redirects
 * it is the last one.
 *
 * Thread   loop
 * Owns     the text is valid until the next redirect, or as long as the fetch
 */
WEIR_API const char *weir_fetch_url(const weir_fetch *fetch);

/**
 * Explain why a fetch has failed, such as "certificate has expired".
 *
 * Thread   loop
 * Owns     the text is valid as long as the fetch
 * Returns  a text, which is "" if there is nothing to add to the error
 */
WEIR_API const char *weir_fetch_reason(const weir_fetch *fetch);

/**
 * Get the stream of a fetch, for its addresses and its TLS.  Do not read, write
 * or close it.
 *
 * Thread   loop
 * Returns  the stream, or NULL if the fetch has no connection
 */
WEIR_API weir_stream *weir_fetch_stream(const weir_fetch *fetch);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_HTTP_CLIENT_H */
