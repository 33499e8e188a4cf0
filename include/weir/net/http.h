/* SPDX-License-Identifier: MIT */
/*
 * weir/net/http.h -- an HTTP/1.1 server that drains without losing a request.
 *
 *     static void on_request(void *arg, weir_http_request *request)
 *     {
 *         weir_http_respond(request, 200, "text/plain", "hello\n", 6);
 *     }
 *
 *     weir_http_server_options options = {.size = sizeof(options),
 *                                         .on_request = on_request};
 *     weir_service_new(&service, NULL);
 *     weir_http_server_new(&server, service, &options);
 *     weir_http_server_listen(server, "127.0.0.1:8080", NULL);
 *     weir_service_start(service);
 *     return weir_service_wait(service, -1) == 0 ? 0 : 1;
 *
 * The server is part of a service and runs on its loops.  Each connection
 * belongs to one loop; on_request and everything about its requests run there.
 *
 * A request is answered once, at any time: in on_request or later, with
 * weir_http_respond, or with weir_http_begin, weir_http_write and weir_http_end
 * for a body that is produced in pieces.  The handle is valid until the request
 * is answered or its connection ends, whichever comes first.  A handler that
 * answers later therefore takes a reference (weir_http_request_ref), or sets a
 * function that is called at the end (weir_http_request_on_end).  Requests that
 * a client has pipelined are handled one after the other.
 *
 * A function of a request that leaves by weir_raise fails alone.  If the request
 * is not answered yet, the answer is 500.  If its response has begun, the
 * connection is reset.
 *
 * The drain, which SIGTERM begins, loses nothing that a client has sent:
 *
 *  1. The service is not ready: /readyz answers 503.  Every response from now
 *     on says `Connection: close`.  Listeners stay open for drain_delay_ns,
 *     because a load balancer needs time to notice the 503.
 *  2. The listeners accept what the kernel has queued; then they close.
 *  3. An idle connection may carry one more request within drain_idle_ns.
 *     After that it is half-closed, and closed when the client has closed its
 *     side, or after drain_linger_ns in which the client has received nothing.
 *  4. Requests that have arrived are answered, and each connection is closed
 *     after its response has been sent.
 *  5. At drain_deadline_ns what is left is cut off: on_report of the service is
 *     called, then requests without a response get a 503, other connections are
 *     reset, and the service ends with WEIR_EFORCED; so it does if a client
 *     stopped receiving before it had its whole response.
 *
 * A handler that streams for a long time calls weir_http_request_on_drain, and
 * ends its response when the function that it has set is called.
 */
#ifndef WEIR_NET_HTTP_H
#define WEIR_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/net/bytes.h"
#include "weir/net/listener.h"
#include "weir/net/stream.h"
#include "weir/service.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_http_server weir_http_server;
typedef struct weir_http_request weir_http_request;
typedef struct weir_tls weir_tls;

/* A field of a head or of the trailers. */
typedef struct weir_http_field {
    weir_bytes name, value;
} weir_http_field;

/* A field with a string literal as its name, and one as its value. */
/* clang-format off */
#define WEIR_HTTP_FIELD(name, value) {WEIR_BYTES_OF(name), WEIR_BYTES_OF(value)}
/* clang-format on */

#define WEIR_HTTP_HEADER_NS WEIR_S(60)
#define WEIR_HTTP_REQUEST_NS WEIR_S(300)
#define WEIR_HTTP_KEEP_ALIVE_NS WEIR_S(6)
#define WEIR_HTTP_WRITE_NS WEIR_S(60)
#define WEIR_HTTP_BODY_BYTES (INT64_C(64) << 20)
#define WEIR_HTTP_CONNECTIONS 100000
#define WEIR_HTTP_DRAIN_DEADLINE_NS WEIR_S(10)
#define WEIR_HTTP_DRAIN_IDLE_NS WEIR_S(1)
#define WEIR_HTTP_DRAIN_LINGER_NS WEIR_S(2)

/* size and on_request must be set.  Every other member may be left 0, which
 * means the default.  A negative time means no limit. */
typedef struct weir_http_server_options {
    size_t size; /* sizeof(weir_http_server_options) */
    /* A request has arrived: its head, and perhaps its body. */
    void (*on_request)(void *arg, weir_http_request *request);
    void *arg;
    const char *name; /* for reports; not copied */
    /* The loops of the service that serve.  NULL: the server adds `threads`
     * loops to the service (0: one). */
    weir_loop *const *loops;
    size_t loop_count;
    unsigned threads;
    weir_tls *tls;   /* NULL: no TLS.  The server takes a reference */
    bool has_health; /* answer GET /livez and GET /readyz */
    /* True: a client that closes its side of the connection before it has
     * received the response has left, and the request ends with -ECONNRESET.
     * False: the response is sent, since the client may still read. */
    bool half_close_aborts;

    /* Limits.  A request that exceeds one is answered with the status given,
     * and the connection is closed. */
    uint32_t head_bytes; /* of the request line and the fields; 431.  16 KiB */
    uint32_t target_bytes; /* of the target; 414.  8 KiB */
    uint32_t fields;       /* their number; 431.  200 */
    int64_t body_bytes;    /* 413.  64 MiB.  Negative: no limit */
    uint32_t connections;  /* of each loop; further ones wait.  100,000 */
    /* Of each client, on each loop.  A client is an IPv4 address, or the first
     * 64 bits of an IPv6 address.  Further connections are closed at once.  0:
     * no limit. */
    uint32_t connections_per_address;
    uint32_t requests_per_connection; /* 0: no limit */

    /* Times. */
    int64_t header_ns;     /* for the head, or for the TLS handshake and the
                            * first byte; 408 if there is one.  60 s */
    int64_t request_ns;    /* for the head and the body; 408.  300 s */
    int64_t keep_alive_ns; /* from the moment at which a response has left to
                            * the next request.  6 s */
    int64_t write_ns;      /* without progress of a response.  60 s */

    /* The drain; see the beginning of this file. */
    int64_t drain_delay_ns;    /* 0; 5 s if KUBERNETES_SERVICE_HOST is set */
    int64_t drain_deadline_ns; /* from the beginning of the drain.  10 s */
    int64_t drain_idle_ns;     /* 1 s */
    int64_t drain_linger_ns;   /* 2 s */
} weir_http_server_options;

/* ---- the server ---- */

/**
 * Make an HTTP server that is a part of a service.
 *
 * Thread   any, before weir_service_start
 * Owns     *server is the caller's until weir_http_server_free
 * Returns  0, -EINVAL (NULL, no on_request, or an option is invalid), -E2BIG
 *          (an option that this library does not know), -EALREADY (the service
 *          was started), -ENOMEM, or an error of weir_service_add_loop
 */
WEIR_API WEIR_CHECKED int
weir_http_server_new(weir_http_server **server, weir_service *service,
                     const weir_http_server_options *options);

/**
 * Free a server.  Its memory is freed when the service has been freed, too, in
 * either order.  Passing NULL has no effect.
 *
 * Thread   any, after weir_service_wait has returned, or if the service was
 *          never started
 */
WEIR_API void weir_http_server_free(weir_http_server *server);

/**
 * Listen at an address, which is a string as for weir_address_parse.  The
 * socket is bound when the call returns, and connections are accepted when the
 * service has started.  If the server has several loops, each of them accepts.
 * If a listener cannot be opened then, or stops because of an error and has no
 * on_error, the service drains and ends with that error, because it could not
 * serve any client.
 *
 * options are those of weir_listener_open, or NULL.  Their on_stream and arg
 * are ignored; on_error gets arg of the server's options.  If address is NULL,
 * the address or the descriptor of the options is used.
 *
 * Thread   any, before weir_service_start
 * Returns  0, -EINVAL (NULL, or not an address), -EALREADY (the service was
 *          started), -ENOMEM, or an error of weir_listener_open
 */
WEIR_API WEIR_CHECKED int
weir_http_server_listen(weir_http_server *server, const char *address,
                        const weir_listener_options *options);

/**
 * Get the address of the n-th call of weir_http_server_listen, from 0 on.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL), -ENOENT (there is none)
 */
WEIR_API WEIR_CHECKED int
weir_http_server_address(const weir_http_server *server, size_t index,
                         weir_address *address);

/* What a server has done. */
typedef struct weir_http_counts {
    size_t size;          /* sizeof(weir_http_counts), set by the caller */
    uint64_t connections; /* accepted */
    uint64_t requests;    /* that on_request was called for */
    uint64_t responses;   /* that the kernel has taken completely */
    uint64_t refused;     /* malformed, or beyond a limit */
    /* Requests whose response was cut off, and connections whose client stopped
     * receiving before it had everything that the kernel has taken. */
    uint64_t cut;
    /* Bytes arrived after the server had half-closed the connection: requests
     * that were not executed, and that the client has to repeat. */
    uint64_t crossed;
} weir_http_counts;

/**
 * Get what a server has done so far.  The numbers are exact after the service
 * has ended.
 *
 * Thread   any
 * Owns     fills *counts, up to counts->size
 * Returns  0, -EINVAL (NULL, or a size that is invalid)
 */
WEIR_API WEIR_CHECKED int
weir_http_server_counts(const weir_http_server *server,
                        weir_http_counts *counts);

/* A connection, in a report. */
typedef struct weir_http_holder {
    const char *phase; /* "new", "idle", "reading", "busy", "upgraded",
                          "closing" */
    char method[16];
    char target[80]; /* cut off at the end */
    char peer[64];   /* its address */
    int64_t age_ns;  /* of the request; of the connection if there is none */
    uint64_t received_bytes, sent_bytes; /* on the connection */
} weir_http_holder;

/**
 * Report the connections of a server: the busy ones first, then the others.
 * Within each group the order is unspecified.  The call never waits for a loop.
 *
 * Thread   any
 * Owns     fills holders[0 .. capacity - 1]; size is sizeof(weir_http_holder)
 * Returns  the number of connections, which may exceed capacity; 0 for NULL
 */
WEIR_API size_t weir_http_server_report(weir_http_server *server,
                                        weir_http_holder *holders,
                                        size_t capacity, size_t size);

/* ---- requests ---- */

/**
 * Get the method of a request, such as "GET".
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the request
 */
WEIR_API weir_bytes weir_http_method(const weir_http_request *request);

/**
 * Get the target of a request as it was sent, such as "/search?q=weir".
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the request
 */
WEIR_API weir_bytes weir_http_target(const weir_http_request *request);

/**
 * Get the path of a request: its target without the query, and without the host
 * of an absolute target.  It is not decoded.
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the request
 */
WEIR_API weir_bytes weir_http_path(const weir_http_request *request);

/**
 * Get the query of a request: what follows "?", or nothing.
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the request
 */
WEIR_API weir_bytes weir_http_query(const weir_http_request *request);

/**
 * Test whether a request has this method and this path.  A method of NULL
 * matches any.
 *
 * Thread   loop
 */
WEIR_API bool weir_http_is(const weir_http_request *request, const char *method,
                           const char *path);

/**
 * Find a field of a request by its name, ignoring case.  If there are several,
 * the first one is found.
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the request
 * Returns  the value; data is NULL if there is no such field
 */
WEIR_API weir_bytes weir_http_field_of(const weir_http_request *request,
                                       const char *name);

/**
 * Get the field of a request at an index.  Fields count from 0, in the order in
 * which they were sent.
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the request
 * Returns  true, or false if there is no field at this index
 */
WEIR_API bool weir_http_field_at(const weir_http_request *request, size_t index,
                                 weir_http_field *field);

/**
 * Get the field of a request's trailers at an index, which counts from 0.
 * There are none before the end of the body.
 *
 * Thread   loop
 * Owns     the bytes are valid as long as the request
 * Returns  true, or false if there is no field at this index
 */
WEIR_API bool weir_http_trailer_at(const weir_http_request *request,
                                   size_t index, weir_http_field *field);

/**
 * Get the version of a request: 10 for HTTP/1.0, 11 for HTTP/1.1.
 *
 * Thread   loop
 */
WEIR_API unsigned weir_http_version(const weir_http_request *request);

/**
 * Get the length of a request's body.
 *
 * Thread   loop
 * Returns  the length, 0 if there is no body, -1 if it is chunked
 */
WEIR_API int64_t weir_http_body_size(const weir_http_request *request);

/**
 * Get the stream of a request's connection, for its addresses and its TLS.  Do
 * not read, write or close it.
 *
 * Thread   loop
 * Returns  the stream, or NULL if the connection is gone
 */
WEIR_API weir_stream *weir_http_stream(const weir_http_request *request);

/**
 * Get the loop of a request.
 *
 * Thread   loop
 * Returns  the loop, or NULL if the connection is gone
 */
WEIR_API weir_loop *weir_http_loop(const weir_http_request *request);

/**
 * Attach a pointer to a request.  A new request has NULL.
 *
 * Thread   loop
 */
WEIR_API void weir_http_set_data(weir_http_request *request, void *data);

/**
 * Get the pointer that was attached to a request.
 *
 * Thread   loop
 */
WEIR_API void *weir_http_data(const weir_http_request *request);

/**
 * Take a reference to a request, so that the handle stays valid after the
 * response, and after the end of the connection.
 *
 * Thread   loop
 */
WEIR_API void weir_http_request_ref(weir_http_request *request);

/**
 * Release a reference to a request.
 *
 * Thread   loop
 */
WEIR_API void weir_http_request_unref(weir_http_request *request);

/* Bytes of a body (status 0), or its end: WEIR_EEOF after the last byte,
 * otherwise an error: WEIR_ETRUNCATED or -ECONNRESET (the client has left),
 * -ETIMEDOUT, WEIR_ELIMIT, WEIR_EHTTP (a malformed chunk), WEIR_ECANCELED. */
typedef void weir_http_body_fn(void *arg, weir_http_request *request,
                               int status, weir_bytes bytes);

/**
 * Read the body of a request.  fn is called for each piece, and once at the
 * end.  If the client waits with its body (Expect: 100-continue), the server
 * sends 100 Continue.  When the response ends, the rest of the body is
 * discarded, and fn gets WEIR_ECANCELED, inside the call that ends the response.
 * So what fn frees at the end must not be used after such a call.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), -EBUSY (it is being read, or was), WEIR_ECLOSED
 *          (the request has ended)
 */
WEIR_API WEIR_CHECKED int weir_http_read(weir_http_request *request,
                                         weir_http_body_fn *fn, void *arg);

/**
 * Read the whole body of a request into memory, and call fn once: with 0 and
 * the body, or with the reason why there is none.  If the body is longer than
 * limit_bytes, fn gets WEIR_ELIMIT and answers the request itself.
 *
 * Thread   loop
 * Owns     the bytes are valid during fn
 * Returns  0, -EINVAL (NULL), -EBUSY (it is being read, or was), WEIR_ECLOSED
 *          (the request has ended), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_http_collect(weir_http_request *request,
                                            size_t limit_bytes,
                                            weir_http_body_fn *fn, void *arg);

/**
 * Pause the reading of a body: the client has to wait.
 *
 * Thread   loop
 */
WEIR_API void weir_http_pause(weir_http_request *request);

/**
 * Resume the reading of a body.
 *
 * Thread   loop
 */
WEIR_API void weir_http_resume(weir_http_request *request);

typedef void weir_http_request_fn(void *arg, weir_http_request *request,
                                  int status);

/**
 * Set the function that is called at the end of a request.  fn is called once:
 * with 0 when the whole response has been sent, or with the reason why it never
 * will be (-ECONNRESET, -ETIMEDOUT, WEIR_ECANCELED at the end of the drain).  A
 * handler that is still working on the response should stop then.
 *
 * Thread   loop; at most once for each request
 * Returns  0, -EINVAL (NULL), -EBUSY (set before), WEIR_ECLOSED (the request
 *          has ended)
 */
WEIR_API WEIR_CHECKED int weir_http_request_on_end(weir_http_request *request,
                                                   weir_http_request_fn *fn,
                                                   void *arg);

/**
 * Set the function that is called when the drain begins, to end a long response
 * early.  fn is called at most once, before the function of
 * weir_http_request_on_end.  If the drain has begun already, fn is called soon.
 *
 * Thread   loop; at most once for each request
 * Returns  0, -EINVAL (NULL), -EBUSY (set before), WEIR_ECLOSED (the request
 *          has ended)
 */
WEIR_API int weir_http_request_on_drain(weir_http_request *request,
                                        weir_http_request_fn *fn, void *arg);

/* ---- responses ---- */

/**
 * Answer a request with a complete body.  type is its media type, or NULL.  The
 * fields Content-Length, Date and Connection are added.
 *
 * Thread   loop
 * Owns     bytes that cannot be sent at once are copied
 * Returns  0, -EINVAL (NULL, or a status that is not between 200 and 999, or a
 *          type with control characters), -EALREADY (it was answered),
 *          WEIR_ECLOSED (the client has left), -ENOMEM
 */
WEIR_API int weir_http_respond(weir_http_request *request, unsigned status,
                               const char *type, const void *body, size_t size);

/**
 * Answer a request with fields and a complete body.  Content-Length and Date
 * are added, unless they are among the fields; a Content-Length must be
 * correct.  Connection and Transfer-Encoding are set by the server, and refused
 * here.
 *
 * Thread   loop
 * Owns     bytes that cannot be sent at once are copied
 * Returns  0, -EINVAL (NULL, an invalid status, an invalid field, or a wrong
 *          Content-Length), -EALREADY (it was answered), WEIR_ECLOSED (the
 *          client has left), -ENOMEM
 */
WEIR_API int weir_http_respond_with(weir_http_request *request, unsigned status,
                                    const weir_http_field *fields, size_t count,
                                    weir_bytes body);

/**
 * Begin a response whose body follows in pieces.  body_size is the length of
 * the body, or -1 if it is not known.  A body of unknown length is chunked; for
 * a client of HTTP/1.0 it ends with the connection.  Responses to HEAD and
 * those with status 204 or 304 have no body: what is written is discarded.
 *
 * Thread   loop
 * Owns     the fields are copied
 * Returns  0, -EINVAL (NULL, an invalid status or field), -EALREADY (it was
 *          answered), WEIR_ECLOSED (the client has left), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_http_begin(weir_http_request *request,
                                          unsigned status,
                                          const weir_http_field *fields,
                                          size_t count, int64_t body_size);

/**
 * Write a piece of the body of a response that has begun.  done (or NULL) is
 * called when the kernel has the bytes.
 *
 * Thread   loop
 * Owns     with done, the bytes are borrowed until it is called; with done
 *          NULL, bytes that cannot be sent at once are copied
 * Returns  0, -EINVAL (NULL, or the response has not begun), -EMSGSIZE (more
 *          than body_size), -EALREADY (it has ended), WEIR_ECLOSED (the client
 *          has left), -ENOMEM
 */
WEIR_API int weir_http_write(weir_http_request *request, weir_bytes bytes,
                             weir_http_request_fn *done, void *arg);

/**
 * Test whether a writer should wait, because too much of the response is
 * queued.  The function of weir_http_on_writable is called when the queue is
 * empty.
 *
 * Thread   loop
 */
WEIR_API bool weir_http_is_full(const weir_http_request *request);

/**
 * Set the function that is called whenever a response that was full can be
 * written again.  NULL: none.
 *
 * Thread   loop
 */
WEIR_API void weir_http_on_writable(weir_http_request *request,
                                    weir_http_request_fn *fn, void *arg);

/**
 * End a response that has begun.  Trailers are sent if the body is chunked.
 *
 * Thread   loop
 * Owns     the handle is no longer valid, unless there is a reference
 * Returns  0, -EINVAL (NULL, the response has not begun, or an invalid field),
 *          -EMSGSIZE (less than body_size was written: the connection is
 *          reset), -EALREADY (it has ended), WEIR_ECLOSED (the client has
 *          left), -ENOMEM
 */
WEIR_API int weir_http_end(weir_http_request *request,
                           const weir_http_field *trailers, size_t count);

/**
 * Abort a response.  The connection is reset, so the client does not mistake
 * the part that it has received for the whole response.  If the response has
 * not begun, the client receives nothing.
 *
 * Thread   loop
 * Owns     the handle is no longer valid, unless there is a reference
 * Returns  0, -EINVAL (NULL), -EALREADY (the response has ended), WEIR_ECLOSED
 *          (the client has left)
 */
WEIR_API int weir_http_abort(weir_http_request *request);

/**
 * Answer a request with a part of a file, by sendfile(2) if possible.  The file
 * is closed afterwards.
 *
 * Thread   loop
 * Owns     fd is the library's, unless an error is returned
 * Returns  0, or an error of weir_http_begin
 */
WEIR_API int weir_http_respond_file(weir_http_request *request, unsigned status,
                                    const weir_http_field *fields, size_t count,
                                    int fd, int64_t offset, int64_t size);

/**
 * Answer a request with a static file.  The decoded path of the request names a
 * file below the directory root; for a directory it is the "index.html" there.
 * GET, HEAD, media types by extension, ETag, Last-Modified, conditional
 * requests, and single and multiple ranges are supported.  Paths never lead out
 * of root, not even through a symbolic link.  Otherwise the answer is 400 (an
 * invalid path), 403 (not allowed), 404 (no such file), 405 (another method) or
 * 503 (no descriptor or memory left, or another process has a lease on it).
 *
 * Thread   loop.  The call opens a file, which can block on slow disks
 * Returns  0, -EINVAL (NULL), -EALREADY (it was answered), WEIR_ECLOSED (the
 *          client has left), -ENOMEM
 */
WEIR_API int weir_http_serve_file(weir_http_request *request, const char *root);

/**
 * Answer a request with 101 (or 200 to CONNECT) and take over its connection.
 * Bytes that the client has already sent after the request are read from the
 * stream first.  Its reads and writes have no time limits: set them with
 * weir_stream_set_timeouts.  The connection remains part of the server: the
 * drain waits until the stream is closed.  on_drain (or NULL) is called during
 * the drain, at a random time within drain_idle_ns, so that clients do not all
 * reconnect at once.
 *
 * Thread   loop
 * Owns     *stream is the caller's; the handle is no longer valid, unless there
 *          is a reference
 * Returns  0, -EINVAL (NULL, an invalid field, or the request has a body or
 *          asks for no upgrade), -EALREADY (it was answered), WEIR_ECLOSED (the
 *          client has left), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_http_upgrade(weir_http_request *request,
                                            const weir_http_field *fields,
                                            size_t count,
                                            weir_call_fn *on_drain, void *arg,
                                            weir_stream **stream);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_HTTP_H */
