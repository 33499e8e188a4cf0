/* SPDX-License-Identifier: MIT */
/*
 * conn_drain -- ends a connection at its deadline, or because of the drain
 * (weir/host/connection.h).
 *
 * The drain runs on another thread.  It changes the word of the connection and
 * notifies the loop, where on_notified carries it out.
 *
 * Thread    The loop's.
 *
 * Tested by  test/net/http/server.c, timeouts.c, test/net/peers
 */
#include <errno.h>

#include "http/conn.h"
#include "os/socket.h"
#include "stream/stream.h"

#define CUT_LINGER_NS WEIR_MS(250)

static void tell_drain(struct weir__http_conn *conn)
{
    if (conn->is_upgraded) {
        void (*on_drain)(void *arg) = conn->on_drain;

        conn->on_drain = NULL;
        if (on_drain != NULL)
            on_drain(conn->drain_arg);
    } else if (conn->request != NULL) {
        weir__http_request_drain(conn->request);
    }
}

/* Give a connection more time if it has only seemed idle.  Bytes may wait to be
 * read because a handler has kept the loop busy.  But half a record of TLS is
 * input, too, so that does not count twice.  Requests that wait until the client
 * has received more are not idle either; if it receives nothing, a write fails.
 * A client that may stay idle for ever has to begin its first request all the
 * same. */
static bool spare(struct weir__http_conn *conn)
{
    const weir_http_server_options *options = weir__http_conn_options(conn);
    bool is_first = options->keep_alive_ns < 0 && conn->request_count == 0;

    if (conn->rest_size == 0 &&
        (conn->is_spared || !weir__stream_has_input(conn->stream)))
        return false;
    conn->is_spared = true;
    weir__http_conn_set_deadline(conn, weir_clock_now(),
                                 is_first ? options->header_ns
                                          : options->keep_alive_ns);
    return true;
}

/* Whether the client has not finished its handshake, and has sent no more of it
 * than was read.  Nothing can be said to it. */
static bool stalls_handshake(const struct weir__http_conn *conn)
{
    return !weir__stream_is_ready(conn->stream) &&
           (conn->is_spared ||
            !weir__socket_has_input(weir_stream_fd(conn->stream)));
}

/* No request has begun in time.  A response that is still leaving has the time
 * of a write. */
static void expire_idle(struct weir__http_conn *conn)
{
    if (conn->is_settling)
        return;
    if (stalls_handshake(conn))
        weir__http_conn_fail(conn, -ETIMEDOUT);
    else if (!spare(conn))
        weir__http_conn_close_gracefully(conn);
}

void weir__http_conn_expire(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;

    conn->deadline_ns = 0;
    if (conn->is_upgraded)
        tell_drain(conn); /* its turn has come (spread_drain) */
    if (conn->is_closing || conn->is_upgraded)
        return;
    if (request == NULL && weir__http_parser_is_idle(&conn->parser)) {
        expire_idle(conn);
        return;
    }
    weir_counter_add(&conn->shard->counters.refused, 1);
    if (request != NULL && request->reply != WEIR__REPLY_NONE) {
        weir__http_conn_fail(conn, -ETIMEDOUT);
        return;
    }
    weir__http_conn_drop_request(conn, -ETIMEDOUT);
    if (!conn->is_closing &&
        !weir__http_conn_is_refused(
            conn, (weir_http_refusal){-ETIMEDOUT, 408, "the request is late",
                                      false}) &&
        !conn->is_closing)
        weir__http_reply_plainly(conn, 408, true);
}

/* The drain's deadline is over. */
static void cut(struct weir__http_conn *conn)
{
    bool has_reply =
        conn->request != NULL && conn->request->reply != WEIR__REPLY_NONE;

    if (conn->is_upgraded) {
        weir_stream_resume(conn->stream); /* notify a paused reader */
        weir__stream_fail(conn->stream, WEIR_ECANCELED);
        return;
    }
    if (conn->is_closing) {
        weir__stream_abort(conn->stream, WEIR_ECANCELED);
        return;
    }
    weir_counter_add(&conn->shard->counters.cut, 1);
    if (has_reply) {
        weir__http_conn_fail(conn, WEIR_ECANCELED);
        return;
    }
    weir__http_conn_drop_request(conn, WEIR_ECANCELED);
    if (conn->is_closing)
        return;
    if (weir_connection_phase_of(&conn->word) == WEIR_CONNECTION_BUSY ||
        weir_connection_phase_of(&conn->word) == WEIR_CONNECTION_READING)
        weir__http_reply_plainly(conn, 503, true);
    weir__http_conn_close(conn, CUT_LINGER_NS);
}

/* Clients of upgraded connections connect again when theirs is closed.  To
 * avoid a burst, on_drain is called at random times within drain_idle_ns. */
static void spread_drain(struct weir__http_conn *conn)
{
    const weir_http_server_options *options = weir__http_conn_options(conn);
    uint64_t mixed = (uint64_t)(uintptr_t)conn ^ (uint64_t)conn->since_ns;
    int64_t spread_ns = options->drain_idle_ns;

    if (options->drain_deadline_ns > 0 &&
        spread_ns > options->drain_deadline_ns / 4)
        spread_ns = options->drain_deadline_ns / 4;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    if (spread_ns > 0)
        weir__http_conn_set_deadline(conn, weir_clock_now(),
                                     (int64_t)(mixed >> 1) % spread_ns);
    else
        tell_drain(conn);
}

void weir__http_conn_on_notified(weir_connection *word, unsigned what)
{
    struct weir__http_conn *conn = (struct weir__http_conn *)word;

    if (what & WEIR_CONNECTION_IS_GONE) {
        weir__http_conn_free(conn);
        return;
    }
    if (what & WEIR_CONNECTION_IS_CUT)
        cut(conn);
    else if (what & WEIR_CONNECTION_IS_CLOSING && !conn->is_closing) {
        if (!spare(conn))
            weir__http_conn_close_gracefully(conn);
    } else if (what & WEIR_CONNECTION_IS_DRAINING && conn->is_upgraded)
        spread_drain(conn);
    else if (what & WEIR_CONNECTION_IS_DRAINING && !conn->is_closing)
        tell_drain(conn);
}
