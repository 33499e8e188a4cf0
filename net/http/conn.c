/* SPDX-License-Identifier: MIT */
/*
 * conn -- the life of a connection of the server.
 *
 * Life      A connection begins with a stream.  It reads requests (input.c),
 *           writes responses (response.c), and ends by itself, by its deadline,
 *           or because of the drain (conn_drain.c).
 * Output    Responses are collected in the shard's cork (a buffer) while input
 *           is parsed, and given to the kernel at its end.  So one system call
 *           answers pipelined requests.
 * Over      A request is over when its last byte has arrived and its response
 *           was written.  Its response has *left* when the kernel has all of
 *           it; requests wait for that in the list `leaving`.
 * Closing   A connection ends by weir_stream_finish: half-close, then discard
 *           until the client closes.  Closing a socket with unread input would
 *           reset it and destroy the response.
 * Time      One timer for each connection.  A later deadline is only stored;
 *           the timer is restarted when it fires too early.
 * Thread    The loop's.
 *
 * Tested by  test/net/http/server.c, timeouts.c, test/net/peers
 */
#include "http/conn.h"

#include <errno.h>
#include <string.h>

#include "stream/stream.h"
#include "weir/host/memory.h"
#include "weir/net/tls.h"

/* ---- the deadline ---- */

static void start_alarm(struct weir__http_conn *conn);

static void on_alarm(void *arg, int status)
{
    struct weir__http_conn *conn = arg;

    conn->alarm_ns = 0;
    if (status != 0 || conn->deadline_ns == 0)
        return;
    if (weir_clock_now() < conn->deadline_ns)
        start_alarm(conn);
    else
        weir__http_conn_expire(conn);
}

static void stop_alarm(struct weir__http_conn *conn)
{
    if (conn->alarm_ns != 0)
        (void)!weir_timer_cancel(conn->shard->loop, conn->alarm);
    conn->alarm_ns = 0;
}

/* Without memory for a timer there is no timeout. */
static void start_alarm(struct weir__http_conn *conn)
{
    stop_alarm(conn);
    if (weir_timer_start_at(conn->shard->loop, &conn->alarm, conn->deadline_ns,
                            on_alarm, conn) == 0)
        conn->alarm_ns = conn->deadline_ns;
}

void weir__http_conn_set_deadline(struct weir__http_conn *conn, int64_t from_ns,
                                  int64_t limit_ns)
{
    if (limit_ns < 0 || limit_ns > INT64_MAX - from_ns) {
        conn->deadline_ns = 0;
        return;
    }
    conn->deadline_ns = from_ns + limit_ns;
    if (conn->alarm_ns == 0 || conn->deadline_ns < conn->alarm_ns)
        start_alarm(conn);
}

void weir__http_conn_set_idle(struct weir__http_conn *conn)
{
    weir__http_conn_set_deadline(conn, weir_clock_now(),
                                 weir__http_conn_options(conn)->keep_alive_ns);
}

/* ---- the end of a connection ---- */

void weir__http_conn_free(struct weir__http_conn *conn)
{
    weir_gate *gate = &conn->shard->server->inside;

    weir_memory_free(conn, sizeof(*conn));
    weir_gate_exit(gate);
}

static void end_leaving(struct weir__http_conn *conn, int status)
{
    while (conn->leaving != NULL) {
        weir_http_request *request = conn->leaving;

        conn->leaving = request->next;
        if (conn->leaving == NULL)
            conn->last_leaving = &conn->leaving;
        if (status == 0)
            weir_counter_add(&conn->shard->counters.responses, 1);
        weir__http_request_end(request, status);
        weir__http_request_release(request);
    }
}

void weir__http_conn_drop_request(struct weir__http_conn *conn, int status)
{
    weir_http_request *request = conn->request;

    if (request == NULL)
        return;
    /* A report reads the request of a BUSY connection. */
    (void)!weir_connection_begin(&conn->word);
    conn->request = NULL;
    if (!request->owns_message) {
        request->message = weir__http_parser_take(&conn->parser);
        request->owns_message = true;
    }
    weir_http_request_ref(request);
    if (!request->is_complete)
        weir__http_request_give(request, status, (weir_bytes){NULL, 0});
    weir__http_request_end(request, status);
    request->conn = NULL;
    weir__http_request_release(request);
    weir_http_request_unref(request);
}

/* Tell the host, which knows the connection. */
static void tell_disconnect(struct weir__http_conn *conn, int status)
{
    const struct weir__http_guest *guest = conn->shard->server->guest;

    if (conn->is_known && guest->options.on_disconnect != NULL)
        guest->options.on_disconnect(guest->options.arg, conn, status);
    conn->is_known = false;
}

/* The stream is gone. */
static void end_conn(struct weir__http_conn *conn, int status)
{
    struct weir__http_shard *shard = conn->shard;
    int reason = status != 0 ? status : conn->status;

    if (reason == 0)
        reason = WEIR_ECANCELED;
    if (shard->corked == conn) {
        shard->corked = NULL;
        shard->cork_size = 0;
    }
    conn->stream = NULL;
    end_leaving(conn, reason);
    weir__http_conn_drop_request(conn, reason);
    tell_disconnect(conn, status);
    stop_alarm(conn);
    weir__http_parser_fini(&conn->parser);
    weir_memory_free(conn->rest, conn->rest_capacity);
    conn->rest = NULL;
    shard->conn_count--;
    if (conn->quota_key != 0)
        weir__http_quota_leave(&shard->quota, conn->quota_key);
    if (shard->is_full && !shard->is_draining)
        weir__http_listeners_resume(shard);
    if (weir_connection_remove(&conn->word))
        weir__http_conn_free(conn);
}

static void on_closed(void *arg, weir_stream *stream, int status)
{
    struct weir__http_conn *conn = arg;

    if (weir__stream_discarded(stream) > 0)
        weir_counter_add(&conn->shard->counters.crossed, 1);
    if (weir__stream_is_cut(stream))
        weir__http_note_cut(conn->shard);
    end_conn(conn, status);
}

static void on_upgraded_gone(void *arg)
{
    end_conn(arg, 0);
}

void weir__http_conn_close(struct weir__http_conn *conn, int64_t linger_ns)
{
    if (conn->is_closing)
        return;
    weir_connection_close(&conn->word);
    weir__http_conn_flush(conn);
    if (conn->is_closing)
        return; /* it has failed meanwhile */
    conn->is_closing = true;
    conn->deadline_ns = 0;
    weir_stream_finish(conn->stream, linger_ns, on_closed, conn);
}

void weir__http_conn_close_gracefully(struct weir__http_conn *conn)
{
    weir__http_conn_close(conn, weir__http_conn_options(conn)->drain_linger_ns);
}

void weir__http_conn_fail(struct weir__http_conn *conn, int status)
{
    if (conn->is_closing)
        return;
    conn->is_closing = true;
    conn->status = status;
    conn->deadline_ns = 0;
    weir_connection_close(&conn->word);
    if (conn->shard->corked == conn)
        conn->shard->cork_size = 0;
    if (conn->request != NULL || conn->leaving != NULL)
        weir_stream_reset(conn->stream, on_closed, conn);
    else
        weir_stream_close(conn->stream, on_closed, conn);
}

/* The loop has ended.  The first that is told may be a write or the reader. */
static void count_cut(const struct weir__http_conn *conn)
{
    if (!conn->is_closing && conn->request != NULL &&
        conn->request->reply != WEIR__REPLY_ENDED)
        weir_counter_add(&conn->shard->counters.cut, 1);
}

void weir__http_conn_break(struct weir__http_conn *conn, int status)
{
    if (status == WEIR_ECANCELED)
        count_cut(conn);
    weir__http_conn_fail(conn, status);
}

/* ---- output ---- */

/* The time until the next request begins counts from the moment at which the
 * last response has left. */
static void on_settled(void *arg, weir_stream *stream, int status)
{
    struct weir__http_conn *conn = arg;

    conn->is_settling = false;
    if (status != 0) {
        weir__http_conn_break(conn, status);
        return;
    }
    if (weir_connection_phase_of(&conn->word) == WEIR_CONNECTION_IDLE)
        weir__http_conn_set_idle(conn);
    end_leaving(conn, 0);
}

/* Tell the requests whose responses have left, now or when they have. */
static void settle(struct weir__http_conn *conn)
{
    if (conn->leaving == NULL || conn->is_settling)
        return;
    if (weir_stream_queued_bytes(conn->stream) == 0)
        end_leaving(conn, 0);
    else if (weir_stream_write(conn->stream, NULL, 0, on_settled, conn) == 0)
        conn->is_settling = true;
}

static void watch_output(struct weir__http_conn *conn);

static void on_output(void *arg, weir_stream *stream, int status)
{
    struct weir__http_conn *conn = arg;

    conn->is_watched = false;
    if (conn->is_upgraded)
        return;
    if (status == 0)
        watch_output(conn);
    else
        weir__http_conn_break(conn, status);
}

/* Notice that the client has left in the middle of a response.  Nothing else
 * does while the input is paused: the pieces are written without a callback. */
static void watch_output(struct weir__http_conn *conn)
{
    if (conn->request == NULL || conn->is_watched || conn->is_closing ||
        weir_stream_queued_bytes(conn->stream) == 0)
        return;
    conn->is_watched =
        weir_stream_write(conn->stream, NULL, 0, on_output, conn) == 0;
}

void weir__http_conn_flush(struct weir__http_conn *conn)
{
    struct weir__http_shard *shard = conn->shard;
    weir_bytes bytes = {shard->cork, shard->cork_size};
    int err;

    if (shard->corked == conn && bytes.size > 0) {
        shard->cork_size = 0;
        shard->corked = NULL;
        weir_counter_add(&conn->sent, bytes.size);
        err = weir_stream_write(conn->stream, &bytes, 1, NULL, NULL);
        if (err != 0) {
            weir__http_conn_fail(conn, err);
            return;
        }
    }
    settle(conn);
    watch_output(conn);
}

/* ---- leaving it to another protocol ---- */

int weir__http_conn_hand_over(struct weir__http_conn *conn,
                              void (*on_drain)(void *arg), void *arg,
                              weir_stream **stream)
{
    weir_http_request *request = conn->request;
    weir_bytes rest = {conn->rest + conn->rest_at, conn->rest_size};
    int err;

    if (conn->input != NULL)
        rest = *conn->input;
    err = weir__stream_unread(conn->stream, rest);
    if (err != 0)
        return err;
    weir__http_conn_flush(conn);
    if (conn->is_closing)
        return WEIR_ECLOSED;
    if (conn->input != NULL)
        conn->input->size = 0;
    conn->is_upgraded = true;
    conn->on_drain = on_drain;
    conn->drain_arg = arg;
    conn->deadline_ns = 0;
    weir_connection_upgrade(&conn->word); /* a report has read the request */
    conn->request = NULL;
    weir_stream_stop(conn->stream);
    weir__stream_set_on_drain(conn->stream, NULL, NULL);
    weir_stream_set_on_end(conn->stream, NULL, NULL);
    (void)!weir_stream_set_timeouts(conn->stream, 0, 0);
    weir__stream_on_gone(conn->stream, on_upgraded_gone, conn);
    *stream = conn->stream;
    weir__http_request_end(request, 0);
    weir__http_request_release(request);
    /* on_drain must not be called before the call returns. */
    if (weir_connection_is_draining(&conn->word) && conn->on_drain != NULL)
        weir__http_conn_set_deadline(conn, weir_clock_now(), 0);
    return 0;
}

/* ---- the beginning ---- */

/* The stream was full and is empty. */
static void on_stream_drain(void *arg, weir_stream *stream)
{
    struct weir__http_conn *conn = arg;
    weir_http_request *request = conn->request;

    if (conn->is_closing)
        return;
    if (request != NULL && request->on_writable != NULL &&
        request->reply == WEIR__REPLY_BEGUN)
        weir__http_request_call(request, request->on_writable,
                                request->writable_arg, 0);
    if (!conn->is_closing)
        weir__http_conn_resume(conn);
}

void weir__http_conn_end_with_loop(struct weir__http_conn *conn)
{
    count_cut(conn);
    if (conn->request != NULL && conn->request->reply == WEIR__REPLY_BEGUN)
        weir__http_conn_fail(conn, WEIR_ECANCELED); /* its end is missing */
    weir__http_conn_drop_request(conn, WEIR_ECANCELED);
    weir__http_conn_fail(conn, WEIR_ECANCELED);
}

/* The loop has ended.  A reader that is paused was not told. */
static void on_loop_end(void *arg, weir_stream *stream)
{
    weir__http_conn_end_with_loop(arg);
}

static void remember_peer(struct weir__http_conn *conn)
{
    weir_address peer;
    const void *name;
    size_t size;

    weir_stream_peer(conn->stream, &peer);
    name = weir_address_sockaddr(&peer, &size);
    if (size > sizeof(conn->peer) ||
        weir_address_family_of(&peer) == WEIR_ADDRESS_UNIX)
        return;
    memcpy(conn->peer, name, size);
    conn->peer_size = (uint8_t)size;
}

/* Count the connection of a client.  False if the client has too many. */
static bool is_within_quota(struct weir__http_conn *conn)
{
    uint32_t limit = weir__http_conn_options(conn)->connections_per_address;
    uint64_t key = weir__http_quota_key(conn->peer, conn->peer_size);

    if (limit == 0 || key == 0)
        return true;
    if (weir__http_quota_enter(&conn->shard->quota, key, limit) != 0)
        return false;
    conn->quota_key = key;
    return true;
}

static void tell_connect(struct weir__http_conn *conn)
{
    const struct weir__http_guest *guest = conn->shard->server->guest;

    if (guest == NULL || guest->options.on_connection == NULL)
        return;
    conn->is_known = true;
    guest->options.on_connection(guest->options.arg, conn);
}

void weir__http_conn_open(struct weir__http_shard *shard, weir_stream *stream)
{
    const weir_http_server_options *options = &shard->server->options;
    struct weir__http_conn *conn = weir_memory_alloc(sizeof(*conn));

    if (conn == NULL || weir_gate_enter(&shard->server->inside) != 0) {
        weir_memory_free(conn, sizeof(*conn));
        weir_stream_close(stream, NULL, NULL);
        return;
    }
    memset(conn, 0, sizeof(*conn));
    conn->shard = shard;
    conn->stream = stream;
    conn->last_leaving = &conn->leaving;
    conn->since_ns = weir_clock_now();
    weir__http_parser_init_request(&conn->parser, &shard->server->limits);
    remember_peer(conn);
    shard->conn_count++;
    weir_counter_add(&shard->counters.connections, 1);
    weir_connection_add(&shard->connections, &conn->word,
                        weir__http_conn_on_notified);
    weir__stream_set_on_drain(stream, on_stream_drain, conn);
    weir_stream_set_on_end(stream, on_loop_end, conn);
    if (!is_within_quota(conn) ||
        (options->tls != NULL &&
         weir_tls_start(stream, options->tls, NULL) != 0) ||
        weir_stream_set_timeouts(
            stream, 0, options->write_ns < 0 ? 0 : options->write_ns) != 0 ||
        weir_stream_read(stream, weir__http_conn_on_read, conn) != 0) {
        weir__http_conn_fail(conn, -ENOMEM);
        return;
    }
    weir__http_conn_set_deadline(conn, conn->since_ns, options->header_ns);
    tell_connect(conn);
}
