/* SPDX-License-Identifier: MIT */
/*
 * start -- TLS on a stream: the deadline of the handshake, and its result.
 *
 * A connection is an engine (engine.h) with the caller's callback and a timer.
 * The stream owns it as its filter and frees it.  The timer ends with the
 * handshake.
 */
#include <errno.h>
#include <stddef.h>

#include "stream/stream.h"
#include "tls/config.h"
#include "tls/engine.h"
#include "tls/peer.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"
#include "weir/timer.h"

struct connection {
    struct weir__tls_engine engine; /* first: it begins with the filter */
    weir_stream *stream;
    weir_stream_fn *on_ready;
    void *arg;
    weir_timer timer;            /* 0: none */
    struct weir__tls_peer *peer; /* NULL until weir_tls_get_peer */
};

/* ---- the handshake ---- */

static void cancel_timer(struct connection *connection)
{
    if (connection->timer != 0)
        (void)!weir_timer_cancel(weir_stream_loop(connection->stream),
                                 connection->timer);
    connection->timer = 0;
}

static void free_connection(struct weir__filter *filter)
{
    struct connection *connection = (struct connection *)filter;

    cancel_timer(connection);
    weir__tls_engine_fini(&connection->engine);
    weir__tls_peer_free(connection->peer);
    weir_memory_free(connection, sizeof(*connection));
}

static void finish_handshake(struct weir__filter *filter, weir_stream *stream,
                             int status)
{
    struct connection *connection = (struct connection *)filter;
    weir_stream_fn *on_ready = connection->on_ready;

    cancel_timer(connection);
    if (on_ready != NULL)
        on_ready(connection->arg, stream, status);
}

static void on_timeout(void *arg, int status)
{
    struct connection *connection = arg;
    weir_stream *stream = connection->stream;

    connection->timer = 0;
    if (status != 0)
        return; /* the loop ends, and the stream with it */
    connection->engine.status =
        weir__tls_reason_set(weir__tls_engine_reason(&connection->engine),
                             -ETIMEDOUT, "the handshake took too long");
    weir__stream_hold(stream);
    weir__stream_fail(stream, -ETIMEDOUT);
    weir__stream_release(stream);
}

static int start_timer(struct connection *connection, int64_t timeout_ns)
{
    weir_loop *loop = weir_stream_loop(connection->stream);
    int err;

    if (timeout_ns == WEIR_TLS_NO_TIMEOUT)
        return 0;
    err = weir_timer_start(loop, &connection->timer,
                           timeout_ns != 0 ? timeout_ns : WEIR_TLS_TIMEOUT_NS,
                           WEIR_TIMER_ONCE, on_timeout, connection);
    if (err != 0)
        return err;
    (void)weir_timer_set_name(loop, connection->timer, "tls handshake");
    /* The stream keeps the loop running, if anything does. */
    (void)!weir_timer_unref(loop, connection->timer);
    return 0;
}

static int make_connection(struct connection **made, weir_stream *stream,
                           weir_tls *tls, const weir_tls_start_options *options)
{
    struct weir__tls_start start = {
        .server_name = options->server_name,
        .alpn = options->alpn,
        .received = options->received,
        .on_connection = options->on_connection,
        .arg = options->arg,
    };
    struct connection *connection = weir_memory_alloc(sizeof(*connection));
    weir_address peer;
    int err;

    if (connection == NULL)
        return -ENOMEM;
    if (tls->role == WEIR_TLS_CLIENT) {
        weir_stream_peer(stream, &peer);
        start.port = weir_address_port(&peer);
    }
    err = weir__tls_engine_init(&connection->engine, tls, &start);
    if (err != 0) {
        weir_memory_free(connection, sizeof(*connection));
        return err;
    }
    connection->engine.filter.on_ready = finish_handshake;
    connection->engine.filter.free = free_connection;
    connection->stream = stream;
    connection->on_ready = options->on_ready;
    connection->arg = options->arg;
    connection->timer = 0;
    connection->peer = NULL;
    *made = connection;
    return 0;
}

int weir_tls_start(weir_stream *stream, weir_tls *tls,
                   const weir_tls_start_options *given)
{
    weir_tls_start_options options;
    struct connection *connection;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (stream == NULL || tls == NULL || options.timeout_ns < 0 ||
        (options.received.data == NULL && options.received.size > 0))
        return -EINVAL;
    if (weir__stream_filter(stream) != NULL)
        return -EBUSY;
    err = make_connection(&connection, stream, tls, &options);
    if (err != 0)
        return err;
    err = start_timer(connection, options.timeout_ns);
    if (err == 0)
        err = weir__stream_set_filter(stream, &connection->engine.filter);
    if (err != 0)
        free_connection(&connection->engine.filter);
    else if (options.received.size > 0)
        weir_tls_continue(stream);
    return err;
}

/* ---- what came out of it ---- */

/* The connection of a stream with TLS, or NULL. */
static struct connection *connection_of(const weir_stream *stream)
{
    struct weir__filter *filter =
        stream != NULL ? weir__stream_filter(stream) : NULL;

    if (filter == NULL || filter->free != free_connection)
        return NULL;
    return (struct connection *)filter;
}

/* The same, once its handshake is over. */
static struct connection *ready_connection_of(const weir_stream *stream)
{
    struct connection *connection = connection_of(stream);

    return connection != NULL && connection->engine.is_ready ? connection
                                                             : NULL;
}

void *weir_tls_ssl(const weir_stream *stream)
{
    const struct connection *connection = connection_of(stream);

    return connection != NULL ? connection->engine.ssl : NULL;
}

void weir_tls_continue(weir_stream *stream)
{
    if (connection_of(stream) == NULL || stream->life == WEIR__STREAM_CLOSED)
        return;
    stream->has_input = true;
    weir__stream_tick(stream);
}

const char *weir_tls_reason(const weir_stream *stream)
{
    const struct connection *connection = connection_of(stream);

    return connection != NULL ? connection->engine.reason : NULL;
}

const char *weir_tls_alpn(const weir_stream *stream)
{
    const struct connection *connection = ready_connection_of(stream);

    return connection != NULL ? weir__tls_engine_alpn(&connection->engine)
                              : NULL;
}

const char *weir_tls_server_name(const weir_stream *stream)
{
    const struct connection *connection = connection_of(stream);

    return connection != NULL ? connection->engine.name : NULL;
}

const char *weir_tls_protocol(const weir_stream *stream)
{
    const struct connection *connection = ready_connection_of(stream);

    return connection != NULL ? SSL_get_version(connection->engine.ssl) : NULL;
}

const char *weir_tls_cipher(const weir_stream *stream)
{
    const struct connection *connection = ready_connection_of(stream);

    return connection != NULL ? SSL_CIPHER_standard_name(SSL_get_current_cipher(
                                    connection->engine.ssl))
                              : NULL;
}

bool weir_tls_is_resumed(const weir_stream *stream)
{
    const struct connection *connection = ready_connection_of(stream);

    return connection != NULL && SSL_session_reused(connection->engine.ssl);
}

int weir_tls_get_peer(const weir_stream *stream, weir_tls_peer *peer)
{
    struct connection *connection = ready_connection_of(stream);
    int err;

    if (stream == NULL || peer == NULL || peer->size < sizeof(peer->size))
        return -EINVAL;
    if (connection == NULL)
        return -ENOENT;
    if (connection->peer == NULL) {
        err = weir__tls_peer_new(&connection->peer, connection->engine.ssl);
        if (err != 0)
            return err;
    }
    return weir_sized_write(peer, weir__tls_peer_get(connection->peer),
                            sizeof(*peer));
}
